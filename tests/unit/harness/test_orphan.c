// link: duet_sync duet_base
// labels: long
/* A side that waits notices by itself that its runner is gone, and takes no runner for
 * gone that lives or cannot be seen. Takes SYNC_ORPHAN_CHECK_NS. */
#include "unit/harness/mini_runner.h"

#include "duet/duet.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "support/waiting_child.h"

#include <cmocka.h>

enum { IS_ORPHANED = 10, IS_TOLD_OF_THE_PEER, IS_TOLD_NOTHING };

/* Until nothing more is to be done; why, as an exit status. With this root; NULL: as it
 * is, which is as good where it may not be changed. */
static int iterate(void *root)
{
    struct duet *d = duet_open("side");
    if (root != NULL && (chroot(root) == 0 || unshare(CLONE_NEWUSER) == 0)) {
        (void)!chroot(root);
    }
    while (duet_next(d)) {
        duet_begin(d);
        duet_end(d);
    }
    const char *reason = duet_reason(d);
    int status = reason == NULL                                  ? IS_TOLD_NOTHING
                 : strstr(reason, "duet itself is gone") != NULL ? IS_ORPHANED
                 : strstr(reason, sync_abort_text(SYNC_ABORT_PEER_DIED)) != NULL
                     ? IS_TOLD_OF_THE_PEER
                     : IS_TOLD_NOTHING;
    return duet_close(d) == 1 ? status : 0;
}

/* A page, the process that holds it, and a side that has attached. */
struct trio {
    struct mini mini;
    pid_t runner;
};

static void trio_start(struct trio *trio, uint32_t flags, bool visible, char *root)
{
    const struct timespec brief = {.tv_nsec = 1000000};
    struct mini *mini = &trio->mini;
    mini_open(mini, flags, SYNC_NEVER, SYNC_NEVER);
    trio->runner = waiting_child(NULL, NULL);
    sync_attach_format(&(struct sync_attach){SYNC_PAGE_VERSION, MINI_PAGE_FD,
                                             MINI_BELL_FD,
                                             visible ? trio->runner : INT32_MAX, 0,
                                             mini->map.page->header.nonce},
                       mini->attach[0]);
    mini_fork(mini, 0, iterate, root);
    while (atomic_load(&mini->map.page->slots[0].claim) == 0) {
        mini_reap(mini, 0);
        assert_int_equal(mini->statuses[0], -1);
        (void)nanosleep(&brief, NULL);
    }
}

static void runner_end(struct trio *trio)
{
    assert_int_equal(kill(trio->runner, SIGKILL), 0);
}

static void runner_collect(struct trio *trio)
{
    assert_int_equal(waitpid(trio->runner, NULL, 0), trio->runner);
}

static int side_status(const struct trio *trio)
{
    int status = 0;
    assert_int_equal(waitpid(trio->mini.pids[0], &status, 0), trio->mini.pids[0]);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_end_of_the_runner_is_noticed(void **state)
{
    (void)state;
    struct trio alive;
    struct trio invisible;
    struct trio elsewhere;
    struct trio waiting;
    struct trio full;
    char root[] = "/dev";
    trio_start(&alive, 0, true, NULL);
    trio_start(&invisible, 0, false, NULL);
    trio_start(&elsewhere, 0, true, root);
    trio_start(&waiting, 0, true, NULL); /* for the other side, which never comes */
    trio_start(&full, SYNC_PAGE_SOLO, true, NULL); /* for its ring to be emptied */
    runner_end(&invisible);
    runner_end(&waiting); /* collected by nobody meanwhile */
    runner_end(&full);
    runner_collect(&full);
    assert_int_equal(side_status(&waiting), IS_ORPHANED);
    assert_int_equal(side_status(&full), IS_ORPHANED);
    assert_true(sync_ring_waiting(&full.mini.map, 0) > 0);
    /* These have looked as often, and wait for who may come. */
    struct trio *const others[] = {&alive, &invisible, &elsewhere};
    for (size_t i = 0; i < 3; i++) {
        mini_reap(&others[i]->mini, 0);
        assert_int_equal(others[i]->mini.statuses[0], -1);
        sync_page_abort(others[i]->mini.map.page, SYNC_ABORT_PEER_DIED);
        assert_int_equal(side_status(others[i]), IS_TOLD_OF_THE_PEER);
    }
    runner_end(&alive);
    runner_end(&elsewhere);
    runner_collect(&alive);
    runner_collect(&elsewhere);
    runner_collect(&invisible);
    runner_collect(&waiting);
    mini_close(&alive.mini);
    mini_close(&invisible.mini);
    mini_close(&elsewhere.mini);
    mini_close(&waiting.mini);
    mini_close(&full.mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_the_runner_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
