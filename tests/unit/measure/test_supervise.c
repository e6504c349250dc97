/* A supervisor's life: its orders and reports, and what each call that fails does to
 * it. */
// link: -Wl,--wrap=socketpair,--wrap=fork,--wrap=poll,--wrap=waitpid
// link: -Wl,--wrap=prctl,--wrap=dup3,--wrap=clock_gettime
// labels: novalgrind
#include "measure/supervise.h"

#include "measure/launch.h"
#include "support/alloc_fail.h"
#include "sync/futex.h"
#include "sync/page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Calls that fail, here and in the supervisors that are started ---- */

static struct {
    int socketpair_errno;
    int fork_errno;
    int poll_errno;
    int prctl_errno;
    int dup_errno; /* of a descriptor that becomes dup_target */
    int dup_target;
    int dups_allowed;      /* so many of these go well before */
    int polls_interrupted; /* so many of the next ones */
    int waits_interrupted;
    bool no_waiting; /* poll() does not */
    bool clock_runs; /* a minute between two looks */
} faults;

int __real_socketpair(int domain, int type, int protocol, int fds[2]);
int __wrap_socketpair(int domain, int type, int protocol, int fds[2]);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_poll(struct pollfd *events, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *events, nfds_t count, int timeout_ms);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __real_prctl(int option, unsigned long argument);
int __wrap_prctl(int option, unsigned long argument);
int __real_dup3(int from, int to, int flags);
int __wrap_dup3(int from, int to, int flags);
int __real_clock_gettime(clockid_t clock, struct timespec *ret_now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now);

static bool fails(int errnum)
{
    errno = errnum != 0 ? errnum : errno;
    return errnum != 0;
}

static bool is_interrupted(int *left)
{
    return *left > 0 && (*left)-- > 0 && fails(EINTR);
}

int __wrap_socketpair(int domain, int type, int protocol, int fds[2])
{
    return fails(faults.socketpair_errno)
               ? -1
               : __real_socketpair(domain, type, protocol, fds);
}

pid_t __wrap_fork(void)
{
    return fails(faults.fork_errno) ? -1 : __real_fork();
}

int __wrap_poll(struct pollfd *events, nfds_t count, int timeout_ms)
{
    return fails(faults.poll_errno) || is_interrupted(&faults.polls_interrupted)
               ? -1
               : __real_poll(events, count, faults.no_waiting ? 0 : timeout_ms);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    return is_interrupted(&faults.waits_interrupted)
               ? -1
               : __real_waitpid(pid, status, options);
}

int __wrap_prctl(int option, unsigned long argument)
{
    return fails(faults.prctl_errno) ? -1 : __real_prctl(option, argument);
}

int __wrap_dup3(int from, int to, int flags)
{
    bool now = to == faults.dup_target && faults.dups_allowed-- <= 0;
    return now && fails(faults.dup_errno) ? -1 : __real_dup3(from, to, flags);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    static time_t passed_s;
    int rc = __real_clock_gettime(clock, ret_now);
    if (faults.clock_runs) {
        passed_s += 60;
        ret_now->tv_sec += passed_s;
    }
    return rc;
}

/* ---- A supervisor of position 0, alone ---- */

struct post {
    struct model_plan plan;
    struct model_cpu_set cpus;
    struct supervisor_setup setup;
    struct supervisor supervisor;
    struct duet_error error;
    size_t descriptors; /* before */
};

static size_t descriptors_count(void)
{
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    assert_non_null(entries);
    while (readdir(entries) != NULL) {
        count++;
    }
    (void)closedir(entries);
    return count;
}

static int post_setup(void **state)
{
    static const char *const argv[] = {"sh", "-c", "exit 3", NULL};
    struct post *post = calloc(1, sizeof *post);
    cpu_set_t mask;
    if (post == NULL || sched_getaffinity(0, sizeof mask, &mask) != 0) {
        free(post);
        return -1;
    }
    while (!CPU_ISSET(post->cpus.cpus[0], &mask)) {
        post->cpus.cpus[0]++;
    }
    post->cpus.count = 1;
    post->plan = (struct model_plan){.name = "post",
                                     .sides[MODEL_NEW].argv = argv,
                                     .ignore_failure = true,
                                     .output.kind = MODEL_STREAM_NULL,
                                     .error_output.kind = MODEL_STREAM_NULL};
    post->setup = (struct supervisor_setup){
        .plan = &post->plan,
        .cpus = &post->cpus,
        .board = board_new(),
        .paths = {[MODEL_NEW] = "/bin/sh"},
        .stdin_fd = -1,
        .stdout_fd = -1,
        .stderr_fds = {-1, -1},
        .bell_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
        .cancel_fd = -1,
    };
    post->descriptors = descriptors_count();
    *state = post;
    return post->setup.board != NULL && post->setup.bell_fd >= 0 ? 0 : -1;
}

/* Nothing may be left: neither a process nor a descriptor. */
static int post_teardown(void **state)
{
    struct post *post = *state;
    memset(&faults, 0, sizeof faults);
    supervisor_stop(&post->supervisor);
    bool left =
        waitpid(-1, NULL, WNOHANG) != -1 || descriptors_count() != post->descriptors;
    (void)close(post->setup.bell_fd);
    board_free(post->setup.board);
    free(post);
    return left ? -1 : 0;
}

static enum duet_code start(struct post *post)
{
    return supervisor_start(&post->setup, &post->supervisor, &post->error);
}

static void assert_does_not_start(struct post *post, enum duet_code code,
                                  const char *said)
{
    assert_int_equal(start(post), code);
    assert_string_equal(post->error.message, said);
    assert_int_equal(post->supervisor.pid, 0); /* untouched */
}

/* One execution of the new side, with a page of its own. */
static enum duet_code order_with(struct post *post, int page_fd, uint64_t nonce,
                                 uint32_t flags)
{
    const struct supervisor_order order = {.side = MODEL_NEW,
                                           .flags = SUPERVISOR_NEW_PAGE | flags,
                                           .executions = 1,
                                           .run = 4,
                                           .first = 9,
                                           .page_nonce = nonce};
    board_reset(post->setup.board, true);
    return supervisor_order(&post->supervisor, &order, page_fd, &post->error);
}

static void order(struct post *post, uint32_t flags)
{
    const struct sync_setup setup = {.iterations = 1, .run_time_ns = SYNC_NEVER};
    struct sync_map map;
    int fd = -1;
    assert_int_equal(sync_page_create(&setup, &fd, &map, &post->error), DUET_OK);
    assert_int_equal(order_with(post, fd, map.page->header.nonce, flags), DUET_OK);
    sync_page_unmap(&map);
    (void)close(fd);
}

static struct supervisor_report report_of(struct post *post)
{
    struct supervisor_report report = {.trouble = SUPERVISOR_STOPPED};
    assert_int_equal(supervisor_report(&post->supervisor, &report, &post->error),
                     DUET_OK);
    return report;
}

/* It ends by itself, and nobody waits for it at a meeting. */
static void assert_has_ended(struct post *post)
{
    int status = 0;
    assert_int_equal(waitpid(post->supervisor.pid, &status, 0), post->supervisor.pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    (void)close(post->supervisor.socket_fd);
    post->supervisor.pid = 0;
    struct sync_party late = {.spins = false};
    assert_int_equal(sync_meet(&post->setup.board->begin, &late, NULL), SYNC_POISONED);
    late = (struct sync_party){.single = true};
    assert_int_equal(sync_meet(&post->setup.board->end, &late, NULL), SYNC_POISONED);
}

/* ---- Orders ---- */

static void an_order_is_carried_out(void **state)
{
    struct post *post = *state;
    assert_int_equal(start(post), DUET_OK);
    for (int n = 0; n < 3; n++) { /* the second page takes the first one's place */
        if (n < 2) {
            order(post, 0);
        } else {
            assert_int_equal(order_with(post, -1, 0, 0), DUET_OK);
        }
        struct supervisor_report report = report_of(post);
        const struct board_slot *slot = &post->setup.board->slots[0];
        assert_int_equal(report.trouble, SUPERVISOR_FINE);
        assert_int_equal(report.executions, 1);
        assert_int_equal(report.execution, 9);
        assert_int_equal(report.attached, 0);
        assert_int_equal(slot->record_count, 1);
        assert_int_equal(slot->records[0].index, 9);
        assert_int_equal(slot->records[0].exit_status, 3);
        assert_int_equal(slot->records[0].cpu, post->cpus.cpus[0]);
        assert_int_equal(slot->processes[0].pid, report.pid);
    }
    assert_false(supervisor_is_stopped(&post->supervisor));
}

static void a_cancelled_order_ends_and_the_supervisor_stays(void **state)
{
    static const char *const argv[] = {"sh", "-c", "sleep 100", NULL};
    struct post *post = *state;
    post->plan.sides[MODEL_NEW].argv = argv;
    assert_int_equal(start(post), DUET_OK);
    for (int n = 0; n < 2; n++) {
        order(post, 0);
        supervisor_cancel(&post->supervisor);
        struct supervisor_report report = report_of(post);
        assert_int_equal(report.trouble, SUPERVISOR_CANCELLED);
        assert_int_equal(report.status, SIGTERM);
        assert_int_equal(report.executions, 0);
        assert_int_equal(kill((pid_t)-report.pid, 0), -1); /* its group is gone */
    }
}

static void what_is_no_page_ends_it(void **state)
{
    struct post *post = *state;
    assert_int_equal(start(post), DUET_OK);
    int fd = memfd_create("no-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(order_with(post, fd, 1, 0), DUET_OK);
    (void)close(fd);
    struct supervisor_report report = report_of(post);
    assert_int_equal(report.trouble, SUPERVISOR_NOT_STARTED);
    assert_int_equal(report.status, EPROTO);
    assert_int_equal(report.execution, 9);
    assert_int_equal(report.executions, 0);
    assert_has_ended(post);
}

static void a_page_that_cannot_be_held_ends_it(void **state)
{
    struct post *post = *state;
    faults.dup_target = LAUNCH_PAGE_FD;
    faults.dups_allowed = 1; /* the number is held from the start */
    faults.dup_errno = EMFILE;
    assert_int_equal(start(post), DUET_OK);
    order(post, 0);
    struct supervisor_report report = report_of(post);
    assert_int_equal(report.trouble, SUPERVISOR_NOT_STARTED);
    assert_int_equal(report.status, EMFILE);
    assert_has_ended(post);
}

/* In the supervisor; with one allocation more than it makes, none fails. */
static void no_memory_is_reported(void **state)
{
    struct post *post = *state;
    size_t reported = 0;
    bool done = false;
    for (unsigned long n = 1; !done; n++) {
        alloc_fail_at(n);
        assert_int_equal(start(post), DUET_OK);
        alloc_fail_at(0);
        order(post, 0);
        struct supervisor_report report = report_of(post);
        done = report.trouble == SUPERVISOR_FINE;
        if (!done) {
            assert_int_equal(report.trouble, SUPERVISOR_NOT_STARTED);
            assert_int_equal(report.status, ENOMEM);
            assert_has_ended(post);
            reported++;
        }
    }
    assert_true(reported > 0);
}

static void a_broken_order_ends_it(void **state)
{
    struct post *post = *state;
    assert_int_equal(start(post), DUET_OK);
    assert_int_equal(send(post->supervisor.socket_fd, "x", 1, MSG_NOSIGNAL), 1);
    assert_has_ended(post);
}

static void a_killed_one_is_gone(void **state)
{
    struct post *post = *state;
    char expected[128];
    assert_int_equal(start(post), DUET_OK);
    supervisor_kill(&post->supervisor);
    struct pollfd gone = {.fd = post->supervisor.socket_fd};
    assert_int_equal(poll(&gone, 1, -1), 1);
    assert_true((gone.revents & POLLHUP) != 0);
    struct supervisor_report report;
    assert_int_equal(supervisor_report(&post->supervisor, &report, &post->error),
                     DUET_E_SYSTEM);
    (void)snprintf(expected, sizeof expected,
                   "supervisor process %d is gone (killed from outside?)",
                   (int)post->supervisor.pid);
    assert_string_equal(post->error.message, expected);
    assert_int_equal(order_with(post, -1, 0, 0), DUET_E_SYSTEM);
    (void)snprintf(expected, sizeof expected,
                   "supervisor process %d does not respond: %s",
                   (int)post->supervisor.pid, strerror(EPIPE));
    assert_string_equal(post->error.message, expected);
}

/* Its child waits for the other side, which does not come any more. */
static void without_a_runner_nobody_is_waited_for(void **state)
{
    struct post *post = *state;
    faults.clock_runs = true;
    assert_int_equal(start(post), DUET_OK);
    order(post, SUPERVISOR_PAIRED);
    (void)shutdown(post->supervisor.socket_fd, SHUT_RDWR);
    const struct timespec moment = {.tv_nsec = 1000000};
    siginfo_t info = {.si_pid = 0};
    while (info.si_pid == 0) { /* or it looks after ten seconds */
        futex_wake_all(&post->setup.board->begin.first);
        (void)nanosleep(&moment, NULL);
        assert_int_equal(waitid(P_PID, (id_t)post->supervisor.pid, &info,
                                WEXITED | WNOHANG | WNOWAIT),
                         0);
    }
    const struct board_slot *slot = &post->setup.board->slots[0];
    assert_int_equal(slot->launch.outcome, SYNC_ORPHANED);
    assert_int_equal(slot->record_count, 0);
    assert_has_ended(post);
}

/* ---- The start ---- */

static void what_the_runner_cannot_have(void **state)
{
    struct post *post = *state;
    faults.socketpair_errno = EMFILE;
    assert_does_not_start(post, DUET_E_SYSTEM,
                          "cannot talk to a supervisor process: Too many open files; "
                          "allow more with ulimit -n 1024");
    faults.socketpair_errno = 0;
    faults.fork_errno = EAGAIN;
    assert_does_not_start(
        post, DUET_E_SYSTEM,
        "cannot start a supervisor process: Resource temporarily unavailable; end other "
        "processes, or allow more with ulimit -u");
    faults.fork_errno = 0;
    faults.poll_errno = ENOMEM;
    faults.no_waiting = true;
    assert_int_equal(start(post), DUET_E_SYSTEM);
    assert_string_equal(post->error.message,
                        "cannot wait for a supervisor process: Cannot allocate memory");
}

static void interruptions_do_not_matter(void **state)
{
    struct post *post = *state;
    faults.polls_interrupted = 3;
    assert_int_equal(start(post), DUET_OK);
    assert_int_equal(faults.polls_interrupted, 0);
    faults.polls_interrupted = 3;
    faults.waits_interrupted = 3;
    supervisor_stop(&post->supervisor);
    assert_int_equal(faults.polls_interrupted, 0);
    assert_int_equal(faults.waits_interrupted, 0);
    assert_int_equal(post->supervisor.pid, 0);
    supervisor_stop(&post->supervisor); /* once is enough */
}

static void what_it_cannot_have_itself(void **state)
{
    struct post *post = *state;
    struct rlimit before;
    post->cpus.cpus[0] = 8 * 1024;
    assert_does_not_start(post, DUET_E_UNSUITABLE, "this machine has no CPU 8192");
    faults.prctl_errno = EINVAL;
    assert_does_not_start(post, DUET_E_SYSTEM,
                          "cannot set up a supervisor: Invalid argument");
    faults.prctl_errno = 0;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit few = {.rlim_cur = LAUNCH_BELL_FD, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    enum duet_code code = start(post);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(code, DUET_E_SYSTEM);
    assert_string_equal(post->error.message,
                        "cannot set up a supervisor (ulimit -n "
                        "must be 64 or more): Too many open files");
    faults.dup_target = LAUNCH_BELL_FD;
    faults.dup_errno = EBUSY; /* another reason is told as it is */
    assert_int_equal(start(post), DUET_E_SYSTEM);
    assert_non_null(strstr(post->error.message, strerror(EBUSY)));
}

/* What its counters' opening does. */
static int open_fatally(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                        int group_fd, unsigned long flags)
{
    (void)context;
    (void)attr;
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    (void)raise(SIGKILL);
    return -1;
}

static int open_late(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group_fd, unsigned long flags)
{
    (void)context;
    (void)attr;
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    (void)sleep(100);
    errno = ENOENT;
    return -1;
}

static void one_that_dies_at_its_start(void **state)
{
    struct post *post = *state;
    struct counters_calls calls = counters_kernel;
    calls.event_open = open_fatally;
    post->plan.usage = true;
    post->setup.counters_calls = &calls;
    assert_does_not_start(post, DUET_E_SYSTEM,
                          "the supervisor of position 0 died at its start");
}

static void one_that_does_not_get_to_it(void **state)
{
    struct post *post = *state;
    struct counters_calls calls = counters_kernel;
    calls.event_open = open_late;
    post->plan.usage = true;
    post->setup.counters_calls = &calls;
    faults.no_waiting = true; /* the two minutes are over at once */
    assert_does_not_start(
        post, DUET_E_SYSTEM,
        "the supervisor of position 0 did not start within 120 s: other programs keep "
        "its CPU busy; stop them, or choose other CPUs (--cpus)");
}

/* ---- In a child of this process: what it tells, and how it ends ---- */

enum parent { OURS, ANOTHER, NOBODY_LISTENS, LEADS_A_SESSION };

static int supervise(struct post *post, enum parent parent,
                     struct supervise_ready *ret_ready)
{
    int ends[2];
    int status = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    pid_t runner = parent == ANOTHER ? 1 : getpid();
    if (parent == NOBODY_LISTENS) {
        (void)shutdown(ends[0], SHUT_RDWR);
    }
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)close(ends[0]);
        if (parent == LEADS_A_SESSION) {
            (void)setsid();
        }
        supervise_main(&post->setup, ends[1], runner);
    }
    (void)close(ends[1]);
    if (parent != NOBODY_LISTENS) {
        assert_int_equal(recv(ends[0], ret_ready, sizeof *ret_ready, 0),
                         sizeof *ret_ready);
    }
    (void)shutdown(ends[0], SHUT_RDWR);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    (void)close(ends[0]);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void who_has_no_runner_ends(void **state)
{
    struct post *post = *state;
    struct supervise_ready ready = {.message = ""};
    assert_int_equal(supervise(post, OURS, &ready), 0);
    assert_int_equal(ready.code, DUET_OK);
    assert_string_equal(ready.message, "");
    assert_int_equal(supervise(post, ANOTHER, &ready), 0);
    assert_int_equal(ready.code, DUET_E_INTERRUPTED);
    assert_string_equal(ready.message, "the runner is gone");
    assert_int_equal(supervise(post, LEADS_A_SESSION, &ready), 0);
    assert_int_equal(ready.code, DUET_E_SYSTEM);
    assert_string_equal(ready.message,
                        "cannot set up a supervisor: Operation not permitted");
    assert_int_equal(supervise(post, NOBODY_LISTENS, &ready), 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, post_setup, post_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_order_is_carried_out),
        CASE(a_cancelled_order_ends_and_the_supervisor_stays),
        CASE(what_is_no_page_ends_it),
        CASE(a_page_that_cannot_be_held_ends_it),
        CASE(no_memory_is_reported),
        CASE(a_broken_order_ends_it),
        CASE(a_killed_one_is_gone),
        CASE(without_a_runner_nobody_is_waited_for),
        CASE(what_the_runner_cannot_have),
        CASE(interruptions_do_not_matter),
        CASE(what_it_cannot_have_itself),
        CASE(one_that_dies_at_its_start),
        CASE(one_that_does_not_get_to_it),
        CASE(who_has_no_runner_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
