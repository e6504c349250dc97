/* Who takes part by the page, and who is gone: processes that hold one, and end. */
#include "measure/claimant.h"
#include "measure/launch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/waiting_child.h"

#include <cmocka.h>

enum { SLOT = 1 };

static struct runner runner;
static struct claimants claimants;
static struct sync_slot *slot;
static pid_t worker;
static int closed[2]; /* a pipe: the worker has closed its descriptor */

/* A runner with a page and a board, and nothing else. */
static int setup(void **state)
{
    const struct sync_setup wanted = {.iterations = 100, .run_time_ns = SYNC_NEVER};
    struct duet_error error;
    (void)state;
    runner = (struct runner){.page_fd = -1, .board = board_new()};
    claimants = (struct claimants){.pids = {0}};
    if (runner.board == NULL ||
        sync_page_create(&wanted, &runner.page_fd, &runner.map, &error) != DUET_OK) {
        return -1;
    }
    slot = &runner.map.page->slots[SLOT];
    return pipe(closed);
}

static int teardown(void **state)
{
    (void)state;
    sync_page_unmap(&runner.map);
    (void)close(runner.page_fd);
    board_free(runner.board);
    (void)close(closed[0]);
    (void)close(closed[1]);
    return 0;
}

/* As daemons do, whatever they have inherited. */
static void on_usr1(int number)
{
    (void)number;
    (void)close(LAUNCH_PAGE_FD);
    (void)!write(closed[1], "x", 1);
}

static const struct sigaction close_page = {.sa_handler = on_usr1};

/* Has the page where programs inherit it, or another file there. */
static void hold_page(void *with_page)
{
    (void)sigaction(SIGUSR1, &close_page, NULL);
    (void)dup2(with_page != NULL ? runner.page_fd : STDERR_FILENO, LAUNCH_PAGE_FD);
}

static void start(bool with_page)
{
    worker = waiting_child(hold_page, with_page ? &runner : NULL);
    assert_true(sync_slot_claim(slot, worker));
    atomic_store(&slot->state, SYNC_SLOT_ATTACHED);
}

/* Nobody has collected it yet. */
static void end(void)
{
    siginfo_t info;
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)worker, &info, WEXITED | WNOWAIT), 0);
}

static void collect(void)
{
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

static void assert_never_lost(void)
{
    for (int looks = 0; looks < 4; looks++) {
        assert_false(claimant_is_lost(&runner, &claimants, 0));
        assert_false(claimant_is_lost(&runner, &claimants, SLOT));
    }
}

static void a_worker_is_lost_at_the_second_look(void **state)
{
    (void)state;
    start(true);
    claimants_note(&runner, &claimants);
    assert_int_equal(claimants.pids[SLOT], worker);
    assert_never_lost();
    end();
    assert_false(claimant_is_lost(&runner, &claimants, SLOT));
    assert_true(claimant_is_lost(&runner, &claimants, SLOT));
    atomic_store(&slot->state, SYNC_SLOT_FULL);
    collect();
    assert_true(claimant_is_lost(&runner, &claimants, SLOT));
    assert_false(claimant_is_lost(&runner, &claimants, 0));
}

static void descriptors_may_be_closed(void **state)
{
    (void)state;
    start(true);
    claimants_note(&runner, &claimants);
    assert_int_equal(kill(worker, SIGUSR1), 0);
    assert_int_equal(read(closed[0], &(char){0}, 1), 1);
    assert_never_lost();
    end();
    collect();
}

static void who_has_closed_may_go(void **state)
{
    (void)state;
    start(true);
    claimants_note(&runner, &claimants);
    end();
    assert_false(claimant_is_lost(&runner, &claimants, SLOT));
    atomic_store(&slot->state, SYNC_SLOT_CLOSED);
    assert_never_lost();
    collect();
}

static void a_slot_may_be_handed_on(void **state)
{
    (void)state;
    start(true);
    claimants_note(&runner, &claimants);
    end();
    collect();
    assert_false(claimant_is_lost(&runner, &claimants, SLOT));
    atomic_store(&slot->claim, 0);
    start(true);
    assert_never_lost();
    claimants_note(&runner, &claimants);
    assert_int_equal(claimants.pids[SLOT], worker);
    assert_never_lost();
    end();
    collect();
    assert_false(claimant_is_lost(&runner, &claimants, SLOT));
    assert_true(claimant_is_lost(&runner, &claimants, SLOT));
}

/* Its supervisor says how it ended. */
static void the_program_itself_is_not_judged(void **state)
{
    (void)state;
    start(true);
    atomic_store(&runner.board->slots[SLOT].program, worker);
    claimants_note(&runner, &claimants);
    end();
    assert_never_lost();
    collect();
}

/* As in a pid namespace of its own, where the number is another process's. */
static void a_stranger_is_not_missed(void **state)
{
    (void)state;
    start(false);
    claimants_note(&runner, &claimants);
    assert_int_equal(claimants.pids[SLOT], 0);
    end();
    collect();
    claimants_note(&runner, &claimants);
    assert_never_lost();
    atomic_store(&slot->claim, UINT64_MAX); /* a program may write anything */
    claimants_note(&runner, &claimants);
    assert_never_lost();
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_worker_is_lost_at_the_second_look),
        CASE(descriptors_may_be_closed),
        CASE(who_has_closed_may_go),
        CASE(a_slot_may_be_handed_on),
        CASE(the_program_itself_is_not_judged),
        CASE(a_stranger_is_not_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
