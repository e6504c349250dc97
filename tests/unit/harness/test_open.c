// link: duet_sync duet_base
/* How a process finds its runner, or that it has none; and calls in the wrong order. */
#include "unit/harness/mini_runner.h"

#include "duet/duet.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "support/waiting_child.h"

#include <cmocka.h>

enum { ITERATIONS = 3 };
static const char *self_path; /* of this program, for tests that execute it again */

static int iterate(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("test");
    int attached = duet_attached(d);
    uint64_t count = 0;
    while (duet_next(d)) {
        count++;
        duet_begin(d);
        duet_end(d);
    }
    int status = duet_close(d);
    if (status == 0 && (!attached || count != ITERATIONS)) {
        return 20;
    }
    return status;
}

/* Runs one side by itself on a page, and says with which status it ended. */
static int run_solo(int (*body)(void *), void *context, uint64_t *ret_records)
{
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    mini_fork(&mini, 0, body, context);
    mini_serve(&mini);
    *ret_records = mini.counts[0];
    int status = mini.statuses[0];
    mini_close(&mini);
    return status;
}

static void assert_attaches(int (*body)(void *))
{
    uint64_t records = 0;
    assert_int_equal(run_solo(body, NULL, &records), 0);
    assert_int_equal(records, ITERATIONS);
}

/* Where the page's sides find the bell, and which process they take for the runner. */
static void point_to(struct mini *mini, int64_t pid, int bell_fd)
{
    sync_attach_format(&(struct sync_attach){SYNC_PAGE_VERSION, MINI_PAGE_FD, bell_fd,
                                             pid, 0, mini->map.page->header.nonce},
                       mini->attach[0]);
}

/* The number that the next file gets: one that is left open changes it. */
static int next_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    (void)close(fd);
    return fd;
}

static int with_inherited_descriptors(void *unused)
{
    int status = iterate(unused);
    /* What the program executes later does not get them. */
    bool closing = (fcntl(MINI_PAGE_FD, F_GETFD) & FD_CLOEXEC) != 0 &&
                   (fcntl(MINI_BELL_FD, F_GETFD) & FD_CLOEXEC) != 0;
    return closing ? status : 21;
}

static int with_closed_descriptors(void *unused)
{
    (void)close(MINI_PAGE_FD);
    (void)close(MINI_BELL_FD);
    return iterate(unused);
}

static int with_other_files_there(void *unused)
{
    int others[2];
    if (pipe(others) != 0 || dup2(others[0], MINI_PAGE_FD) < 0 ||
        dup2(others[1], MINI_BELL_FD) < 0 ||
        fcntl(others[0], F_SETFL, O_NONBLOCK) != 0) {
        return 22;
    }
    int status = iterate(unused);
    char byte;
    return read(others[0], &byte, 1) < 0 ? status : 23; /* nothing was written */
}

static int through_python(void *unused)
{
    (void)unused;
    (void)execlp("python3", "python3", "-c",
                 "import subprocess, sys\n"
                 "sys.exit(subprocess.call([sys.argv[1], 'iterate'], close_fds=True))",
                 self_path, (char *)NULL);
    return 77;
}

static void finds_the_page(void **state)
{
    (void)state;
    assert_attaches(with_inherited_descriptors);
    assert_attaches(with_closed_descriptors);
    assert_attaches(with_other_files_there);
}

static void finds_the_page_below_a_launcher(void **state)
{
    (void)state;
    uint64_t records = 0;
    int status = run_solo(through_python, NULL, &records);
    if (status == 77) {
        print_message(
            "python3 is not installed: no launcher that closes descriptors\n");
        skip();
    }
    assert_int_equal(status, 0);
    assert_int_equal(records, ITERATIONS);
}

static int attach_twice(void *unused)
{
    struct duet *first = duet_open("first");
    struct duet *second = duet_open("second");
    if (!duet_attached(first) || duet_attached(second) || duet_next(second) ||
        duet_close(second) != 1) {
        return 24;
    }
    (void)unused;
    uint64_t count = 0;
    while (duet_next(first)) {
        duet_begin(first);
        duet_end(first);
        count++;
    }
    int status = duet_close(first);
    struct duet *third = duet_open("third"); /* after the end neither */
    return duet_close(third) == 1 && count == ITERATIONS ? status : 25;
}

static void a_process_attaches_once(void **state)
{
    (void)state;
    assert_attaches(attach_twice);
}

/* The child of `fork` that `body` is run in; its exit status. */
static int in_child(int (*body)(void *), void *context)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int result = body(context);
        (void)fflush(NULL);
        _exit(result);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 99;
}

static int helper_with_a_harness(void *unused)
{
    (void)unused;
    FILE *errors = tmpfile();
    char said[512] = "";
    char parent[64];
    if (errors == NULL || dup2(fileno(errors), STDERR_FILENO) < 0) {
        return 26;
    }
    struct duet *d = duet_open("helper");
    if (duet_attached(d) || duet_next(d) || duet_close(d) != 1) {
        return 27;
    }
    (void)snprintf(parent, sizeof parent, "process %d (", (int)getppid());
    rewind(errors);
    said[fread(said, 1, sizeof said - 1, errors)] = 0;
    return strstr(said, parent) != NULL && strstr(said, "duet_hand_on()") != NULL &&
                   strstr(said, "without DUET_ATTACH") != NULL
               ? 0
               : 28;
}

/* It finds the page and the bell by the runner, and leaves neither open. */
static int helper_without_descriptors(void *unused)
{
    (void)close(MINI_PAGE_FD);
    (void)close(MINI_BELL_FD);
    int next = next_descriptor();
    struct duet *d = duet_open("helper");
    bool told = strstr(duet_reason(d), "already takes part") != NULL;
    (void)unused;
    return told && duet_close(d) == 1 && next_descriptor() == next ? 0 : 56;
}

static int inherited_handle(void *context)
{
    struct duet *d = context;
    if (duet_next(d) || duet_attached(d) || duet_index(d) != 0) {
        return 29;
    }
    duet_begin(d);
    duet_end(d);
    return duet_close(d);
}

static int parent_with_children(void *unused)
{
    (void)unused;
    struct duet *d = duet_open("parent");
    while (duet_next(d)) {
        duet_begin(d);
        int helper = in_child(helper_with_a_harness, NULL);
        int bare = in_child(helper_without_descriptors, NULL);
        int heir = in_child(inherited_handle, d);
        duet_end(d);
        if (helper != 0 || bare != 0 || heir != 0) {
            return helper != 0 ? helper : bare != 0 ? bare : heir;
        }
    }
    return duet_close(d);
}

static void children_do_not_join(void **state)
{
    (void)state;
    assert_attaches(parent_with_children);
}

/* The parent attaches, hands its slot on and waits for the child that takes it. */
static int parent_that_hands_on(void *unused)
{
    struct duet *d = duet_open("parent");
    if (!duet_attached(d)) {
        return 40;
    }
    duet_hand_on(d);
    duet_hand_on(d); /* again: nothing */
    if (duet_attached(d) || duet_next(d)) {
        return 41;
    }
    int child = in_child(iterate, unused);
    return child == 0 ? duet_close(d) : child;
}

static void a_slot_goes_to_a_child(void **state)
{
    (void)state;
    assert_attaches(parent_that_hands_on);
}

static int hand_on_too_late(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 42;
    }
    duet_begin(d);
    duet_end(d);
    duet_hand_on(d);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 43;
}

static int count_nothing(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 44;
    }
    duet_count(d, 0);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 45;
}

static int count_outside(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    duet_count(d, 2);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 46;
}

static int region_outside(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 47;
    }
    duet_region(d, "early");
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 48;
}

static int region_without_a_name(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 49;
    }
    duet_begin(d);
    duet_region(d, "line\nbreak");
    duet_end(d);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 50;
}

static int too_many_regions(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    char name[SYNC_REGION_BYTES];
    if (!duet_next(d)) {
        return 51;
    }
    duet_begin(d);
    for (int i = 0; i <= SYNC_REGIONS_MAX; i++) {
        (void)snprintf(name, sizeof name, "part %d", i);
        duet_region(d, name);
    }
    duet_end(d);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 52;
}

static int with_text(void *context)
{
    (void)setenv(SYNC_ATTACH_VARIABLE, context, 1);
    struct duet *d = duet_open("broken");
    if (duet_attached(d) || duet_next(d) || duet_reason(d) == NULL) {
        return 30;
    }
    duet_begin(d);
    duet_end(d);
    return duet_close(d) == 1 ? 0 : 31;
}

static void a_wrong_text_is_an_error(void **state)
{
    (void)state;
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    char other_nonce[SYNC_ATTACH_BYTES];
    char other_version[SYNC_ATTACH_BYTES];
    char no_process[SYNC_ATTACH_BYTES];
    sync_attach_format(&(struct sync_attach){2, MINI_PAGE_FD, MINI_BELL_FD, getpid(), 0,
                                             mini.map.page->header.nonce + 1},
                       other_nonce);
    sync_attach_format(&(struct sync_attach){1, MINI_PAGE_FD, MINI_BELL_FD, getpid(), 0,
                                             mini.map.page->header.nonce},
                       other_version);
    sync_attach_format(
        &(struct sync_attach){2, 900, 901, INT32_MAX, 0, mini.map.page->header.nonce},
        no_process);
    char nonsense[] = "v2:nonsense";
    char *const texts[] = {other_nonce, other_version, no_process, nonsense};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(in_child(with_text, texts[i]), 0);
    }
    mini.map.page->header.version = 1;
    assert_int_equal(in_child(with_text, mini.attach[0]), 0);
    assert_int_equal(atomic_load(&mini.map.page->slots[0].claim), 0);
    mini_close(&mini);
}

static int without_a_bell(void *text)
{
    (void)setenv(SYNC_ATTACH_VARIABLE, text, 1);
    int next = next_descriptor();
    struct duet *d = duet_open("deaf");
    bool told = strstr(duet_reason(d), "cannot reach duet's bell") != NULL;
    return told && !duet_attached(d) && !duet_next(d) && duet_close(d) == 1 &&
                   next_descriptor() == next
               ? 0
               : 57;
}

static void a_bell_that_is_none_is_an_error(void **state)
{
    (void)state;
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    const int64_t pids[] = {getpid(), INT32_MAX};
    const int bells[] = {900, MINI_PAGE_FD}; /* closed, and a file */
    for (size_t i = 0; i < 4; i++) {
        point_to(&mini, pids[i / 2], bells[i % 2]);
        assert_int_equal(in_child(without_a_bell, mini.attach[0]), 0);
    }
    assert_int_equal(atomic_load(&mini.map.page->slots[0].claim), 0);
    mini_close(&mini);
}

/* As in a pid namespace of its own: what was inherited is all that there is. */
static void assert_attaches_without(struct mini *mini, int64_t pid)
{
    point_to(mini, pid, MINI_BELL_FD);
    mini_fork(mini, 0, with_inherited_descriptors, NULL);
    mini_serve(mini);
    assert_int_equal(mini->statuses[0], 0);
    assert_int_equal(mini->counts[0], ITERATIONS);
    mini_close(mini);
}

static void a_runner_may_be_invisible(void **state)
{
    (void)state;
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    assert_attaches_without(&mini, INT32_MAX);
}

/* A pipe where the runner has its page and its bell. */
static void hold_pipe(void *context)
{
    const int *pipes = context;
    (void)dup2(pipes[0], MINI_PAGE_FD);
    (void)dup2(pipes[1], MINI_BELL_FD);
}

/* The runner's number is another process's, which has a pipe where the runner has the
 * bell: nothing is written into it. */
static void a_stranger_is_not_rung(void **state)
{
    (void)state;
    struct mini mini;
    int pipes[2];
    char byte;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    assert_int_equal(pipe(pipes), 0);
    pid_t stranger = waiting_child(hold_pipe, pipes);
    assert_attaches_without(&mini, stranger);
    (void)kill(stranger, SIGKILL);
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
    (void)close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 0);
    (void)close(pipes[0]);
}

static void a_bell_without_listener_kills_nobody(void **state)
{
    (void)state;
    struct mini mini;
    mini_open(&mini, SYNC_PAGE_SOLO, ITERATIONS, SYNC_NEVER);
    (void)close(mini.bell_read);
    mini.bell_read = -1;
    mini_fork(&mini, 0, iterate, NULL);
    mini_serve(&mini);
    assert_int_equal(mini.statuses[0], 0);
    mini_close(&mini);
}

static int begin_without_next(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (duet_reason(d) != NULL) {
        return 31;
    }
    duet_begin(d);
    duet_end(d);
    bool told = strstr(duet_reason(d), "duet_begin()") != NULL;
    return duet_next(d) == 0 && told && duet_close(d) == 1 ? 0 : 32;
}

static int begin_twice(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 33;
    }
    duet_begin(d);
    duet_begin(d);
    duet_end(d);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 34;
}

static int next_before_end(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    if (!duet_next(d)) {
        return 35;
    }
    duet_begin(d);
    return duet_next(d) == 0 && duet_close(d) == 1 ? 0 : 36;
}

static int next_again_is_fine(void *unused)
{
    (void)unused;
    struct duet *d = duet_open(NULL);
    for (int i = 0; i < ITERATIONS; i++) {
        if (!duet_next(d) || !duet_next(d) || duet_index(d) != (uint64_t)i) {
            return 37; /* a `continue` in the loop's body */
        }
        duet_begin(d);
        duet_end(d);
        if (duet_index(d) != (uint64_t)i) {
            return 38;
        }
    }
    return duet_next(d) == 0 ? duet_close(d) : 39;
}

static void wrong_order_is_told(void **state)
{
    (void)state;
    uint64_t records = 0;
    int (*const bodies[])(void *) = {
        begin_without_next, begin_twice,      next_before_end,
        hand_on_too_late,   count_nothing,    count_outside,
        region_outside,     too_many_regions, region_without_a_name};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        assert_int_equal(run_solo(bodies[i], NULL, &records), 0);
        assert_true(records <= SYNC_ITERATION_RECORDS);
        assert_int_equal(in_child(bodies[i], NULL), 0); /* alone, too */
    }
    assert_attaches(next_again_is_fine);
}

static void odds_and_ends(void **state)
{
    (void)state;
    assert_int_equal(duet_close(NULL), 0);
    assert_int_equal(duet_version(), DUET_VERSION);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "iterate") == 0) {
        return iterate(NULL);
    }
    static char path[4096];
    mini_check(readlink("/proc/self/exe", path, sizeof path - 1) > 0, "readlink");
    self_path = path;
    (void)unsetenv(SYNC_ATTACH_VARIABLE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_page),
        cmocka_unit_test(finds_the_page_below_a_launcher),
        cmocka_unit_test(a_process_attaches_once),
        cmocka_unit_test(children_do_not_join),
        cmocka_unit_test(a_slot_goes_to_a_child),
        cmocka_unit_test(a_wrong_text_is_an_error),
        cmocka_unit_test(a_bell_that_is_none_is_an_error),
        cmocka_unit_test(a_runner_may_be_invisible),
        cmocka_unit_test(a_stranger_is_not_rung),
        cmocka_unit_test(a_bell_without_listener_kills_nobody),
        cmocka_unit_test(wrong_order_is_told),
        cmocka_unit_test(odds_and_ends),
    };
    (void)argv;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
