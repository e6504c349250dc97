// link: -Wl,--wrap=pipe2,--wrap=signalfd,--wrap=eventfd,--wrap=eventfd_write
// link: -Wl,--wrap=pthread_create,--wrap=poll
/* Requests to stop. The thread that waits for them has the time that the test gives it,
 * and what begins it may fail. */
#include "cli/interrupt.h"

#include "cli/cli.h"
#include "measure/cancel.h"
#include "support/standard_error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

/* How long the thread waits at a time. */
enum { ANY_TIME_MS = -1, READING_MS = 200, SAME_REQUEST_MS = 1000, PATIENCE_MS = 2000 };
enum call { NO_CALL, PIPE2, SIGNALFD, EVENTFD, EVENTFD_WRITE, PTHREAD_CREATE };

static enum call failing;
static atomic_bool poll_is_interrupted; /* the next one, by a signal */
static int waits[2] = {-1, -1};         /* a pipe: the limit of each wait that begins */
static int passed_fd = -1;              /* an eventfd: 1 when that time has passed */
static struct duet_error error;

int __real_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags);
int __real_signalfd(int fd, const sigset_t *set, int flags);
int __wrap_signalfd(int fd, const sigset_t *set, int flags);
int __real_eventfd(unsigned int count, int flags);
int __wrap_eventfd(unsigned int count, int flags);
int __real_eventfd_write(int fd, eventfd_t value);
int __wrap_eventfd_write(int fd, eventfd_t value);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *argument), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *argument), void *argument);
int __real_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms);

static int fail_with(int errnum)
{
    errno = errnum;
    return -1;
}

int __wrap_pipe2(int fds[2], int flags)
{
    return failing == PIPE2 ? fail_with(EMFILE) : __real_pipe2(fds, flags);
}

int __wrap_signalfd(int fd, const sigset_t *set, int flags)
{
    return failing == SIGNALFD ? fail_with(EMFILE) : __real_signalfd(fd, set, flags);
}

int __wrap_eventfd(unsigned int count, int flags)
{
    return failing == EVENTFD ? fail_with(EMFILE) : __real_eventfd(count, flags);
}

int __wrap_eventfd_write(int fd, eventfd_t value)
{
    return failing == EVENTFD_WRITE ? fail_with(ENOSPC)
                                    : __real_eventfd_write(fd, value);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *argument), void *argument)
{
    return failing == PTHREAD_CREATE
               ? EAGAIN
               : __real_pthread_create(thread, attributes, start, argument);
}

/* Of the thread only: this one uses __real_poll(). */
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
    if (atomic_exchange(&poll_is_interrupted, false)) {
        return fail_with(EINTR);
    }
    if (write(waits[1], &timeout_ms, sizeof timeout_ms) != sizeof timeout_ms) {
        abort();
    }
    struct pollfd all[] = {
        polled[0],
        polled[1],
        {.fd = timeout_ms < 0 ? -1 : passed_fd, .events = POLLIN},
    };
    if (count != 2 || __real_poll(all, 3, -1) <= 0) {
        abort();
    }
    polled[0].revents = all[0].revents;
    polled[1].revents = all[1].revents;
    eventfd_t passed = 0;
    return (all[0].revents | all[1].revents) != 0
               ? 1
               : eventfd_read(passed_fd, &passed); /* 0 */
}

/* Also in a process of its own, which must not go on with other tests. */
static void must(bool holds, int line)
{
    if (!holds) {
        (void)fprintf(stderr, "line %d\n", line);
        abort();
    }
}
#define MUST(holds) must((holds), __LINE__)

/* The thread begins to wait, for that long at most. */
static void await_wait(int timeout_ms)
{
    int waiting_ms = 0;
    MUST(read(waits[0], &waiting_ms, sizeof waiting_ms) == sizeof waiting_ms);
    MUST(waiting_ms == timeout_ms);
}

static void pass_time(void)
{
    MUST(__real_eventfd_write(passed_fd, 1) == 0);
}

static void request(int number)
{
    MUST(kill(getpid(), number) == 0);
}

static bool is_blocked(int number)
{
    sigset_t now;
    MUST(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    return sigismember(&now, number) == 1;
}

static bool is_pending(int number)
{
    sigset_t now;
    MUST(sigpending(&now) == 0);
    return sigismember(&now, number) == 1;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* The lowest descriptor that is free: another one when one was left open. */
static int next_fd(void)
{
    int fd = dup(STDERR_FILENO);
    MUST(fd >= 0 && close(fd) == 0);
    return fd;
}

static int setup(void **state)
{
    (void)state;
    /* What started the test may ignore some, as a shell does for what runs beside it.
     */
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction as_usual = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (sigaction(requests[i], &as_usual, NULL) != 0) {
            return -1;
        }
    }
    failing = NO_CALL;
    error = (struct duet_error){.code = DUET_OK};
    passed_fd = __real_eventfd(0, EFD_CLOEXEC);
    return passed_fd < 0 ? -1 : __real_pipe2(waits, O_CLOEXEC);
}

static int teardown(void **state)
{
    (void)state;
    (void)close(passed_fd);
    (void)close(waits[0]);
    (void)close(waits[1]);
    return 0;
}

/* ---- Requests ---- */

/* Opened, and as many steps further: a request, the end of its second, another one. */
static void open_and_go(struct interrupt *interrupt, int steps)
{
    MUST(interrupt_open(interrupt, &error) == DUET_OK && interrupt->has_thread);
    await_wait(ANY_TIME_MS);
    MUST(cancel_count(interrupt->cancel_fd) == 0);
    if (steps >= 1) {
        request(SIGINT);
        await_wait(SAME_REQUEST_MS);
        MUST(cancel_count(interrupt->cancel_fd) == 1);
    }
    if (steps >= 2) {
        request(SIGTERM); /* as one who sends both */
        pass_time();
        await_wait(ANY_TIME_MS);
        MUST(!is_pending(SIGINT) && !is_pending(SIGTERM));
        MUST(cancel_count(interrupt->cancel_fd) == 1);
    }
    if (steps >= 3) {
        request(SIGHUP);
        await_wait(PATIENCE_MS);
        MUST(cancel_count(interrupt->cancel_fd) == CANCEL_AT_ONCE);
    }
}

/* Whatever it waits for, and what was asked for meanwhile ends nobody. */
static void it_is_closed_at_any_time(void **state)
{
    (void)state;
    int fd = next_fd();
    for (int steps = 0; steps <= 3; steps++) {
        struct interrupt interrupt;
        open_and_go(&interrupt, steps);
        assert_true(is_blocked(SIGINT) && is_blocked(SIGTERM) && is_blocked(SIGHUP));
        assert_true(is_blocked(SIGPIPE));
        interrupt_close(&interrupt);
        assert_false(is_blocked(SIGINT) || is_blocked(SIGTERM) || is_blocked(SIGHUP));
        assert_false(is_blocked(SIGPIPE));
        assert_false(is_open(interrupt.cancel_fd));
        assert_int_equal(next_fd(), fd);
    }
}

static void a_wait_goes_on_after_another_signal(void **state)
{
    (void)state;
    struct interrupt interrupt;
    atomic_store(&poll_is_interrupted, true);
    open_and_go(&interrupt, 2);
    interrupt_close(&interrupt);
}

static void what_is_ignored_stays_so(void **state)
{
    (void)state;
    struct interrupt interrupt;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    assert_int_equal(sigaction(SIGHUP, &ignored, &before), 0);
    assert_int_equal(interrupt_open(&interrupt, &error), DUET_OK);
    await_wait(ANY_TIME_MS);
    assert_false(is_blocked(SIGHUP));
    request(SIGHUP);
    request(SIGTERM);
    await_wait(SAME_REQUEST_MS);
    assert_int_equal(cancel_count(interrupt.cancel_fd), 1);
    interrupt_close(&interrupt);
    struct sigaction now;
    assert_int_equal(sigaction(SIGHUP, &before, &now), 0);
    assert_true(now.sa_handler == SIG_IGN);
}

/* Its exit status, or 128 and the number of the signal that ended it. */
static int status_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static _Noreturn void hang(void)
{
    pass_time();
    for (;;) {
        (void)pause();
    }
}

static void two_requests_end_what_is_stuck(void **state)
{
    (void)state;
    standard_error_begin();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct interrupt interrupt;
        open_and_go(&interrupt, 3);
        hang();
    }
    int status = status_of(child);
    assert_string_equal(
        standard_error_end(),
        "duet: interrupted twice, and ended at once; finished runs are in the store\n");
    assert_int_equal(status, CLI_EXIT_INTERRUPTED);
}

static void begin_to_read(struct interrupt *interrupt)
{
    open_and_go(interrupt, 0);
    interrupt_reads(interrupt, true);
    request(SIGINT);
    await_wait(READING_MS);
    MUST(cancel_count(interrupt->cancel_fd) == 1);
}

static void one_request_ends_what_reads(void **state)
{
    (void)state;
    standard_error_begin();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct interrupt interrupt;
        begin_to_read(&interrupt);
        hang();
    }
    int status = status_of(child);
    assert_string_equal(standard_error_end(),
                        "duet: interrupted while it read its input\n");
    assert_int_equal(status, CLI_EXIT_INTERRUPTED);
}

/* It ends in order then, and so does what is closed meanwhile. */
static void what_was_read_in_time_goes_on(void **state)
{
    (void)state;
    struct interrupt interrupt;
    begin_to_read(&interrupt);
    interrupt_reads(&interrupt, false);
    pass_time();
    await_wait(SAME_REQUEST_MS);
    interrupt_close(&interrupt);
    begin_to_read(&interrupt);
    interrupt_close(&interrupt);
    assert_false(is_open(interrupt.cancel_fd));
}

/* ---- What fails ---- */

static void without_a_pipe_nothing_begins(void **state)
{
    (void)state;
    struct interrupt interrupt = {.cancel_fd = -7};
    failing = PIPE2;
    assert_int_equal(interrupt_open(&interrupt, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot watch for signals: Too many open"));
    assert_int_equal(interrupt.cancel_fd, -7);
    assert_false(is_blocked(SIGINT) || is_blocked(SIGPIPE));
}

/* It measures all the same, and Ctrl-C works. */
static void without_a_thread_a_signal_ends_the_process(void **state)
{
    (void)state;
    static const enum call calls[] = {SIGNALFD, EVENTFD, PTHREAD_CREATE};
    int fd = next_fd();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct interrupt interrupt;
        failing = calls[i];
        assert_int_equal(interrupt_open(&interrupt, &error), DUET_OK);
        assert_false(interrupt.has_thread);
        assert_int_equal(cancel_count(interrupt.cancel_fd), 0);
        assert_true(is_blocked(SIGPIPE));
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            request(SIGTERM);
            abort();
        }
        assert_int_equal(status_of(child), 128 + SIGTERM);
        interrupt_close(&interrupt);
        assert_false(is_blocked(SIGINT) || is_blocked(SIGPIPE));
        assert_int_equal(next_fd(), fd);
    }
}

/* It does not wait for a thread that does not end. */
static void a_thread_that_cannot_be_told_stays(void **state)
{
    (void)state;
    struct interrupt interrupt;
    open_and_go(&interrupt, 0);
    failing = EVENTFD_WRITE;
    interrupt_close(&interrupt);
    assert_true(is_open(interrupt.cancel_fd) && is_open(interrupt.signal_fd));
    failing = NO_CALL; /* so that nothing is left */
    interrupt_close(&interrupt);
    assert_false(is_open(interrupt.cancel_fd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_closed_at_any_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wait_goes_on_after_another_signal, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_ignored_stays_so, setup, teardown),
        cmocka_unit_test_setup_teardown(two_requests_end_what_is_stuck, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(one_request_ends_what_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_read_in_time_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_pipe_nothing_begins, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_thread_a_signal_ends_the_process,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_thread_that_cannot_be_told_stays, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
