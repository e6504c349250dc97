#include "cli/interrupt.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static void signals_of(sigset_t *ret_set)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(ret_set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        bool ignored =
            sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!ignored) { /* nohup: stays ignored */
            sigaddset(ret_set, numbers[i]);
        }
    }
}

/* Which of them are pending is forgotten. */
static void forget(const sigset_t *set)
{
    const struct timespec now = {0};
    while (sigtimedwait(set, NULL, &now) > 0) {
    }
}

/* With `request` until one comes, else for that time; false: interrupt_close() came
 * first. It does not call pthread_cancel(), which loads a library, and ends the process
 * when it cannot. */
static bool await(const struct interrupt *interrupt, bool request, int timeout_ms)
{
    struct pollfd polled[] = {
        {.fd = interrupt->end_fd, .events = POLLIN},
        {.fd = request ? interrupt->signal_fd : -1, .events = POLLIN}};
    int count = 0;
    do {
        count = poll(polled, sizeof polled / sizeof polled[0], timeout_ms);
    } while (count < 0 && errno == EINTR);
    return count >= 0 && polled[0].revents == 0;
}

static _Noreturn void end(const char *words)
{
    (void)!write(STDERR_FILENO, words, strlen(words));
    _exit(CLI_EXIT_INTERRUPTED);
}

/* Relaxed: nothing else is shared, and what begins afterwards asks the pipe. */
static bool reads_now(struct interrupt *interrupt)
{
    return atomic_load_explicit(&interrupt->reads, memory_order_relaxed);
}

static void *await_requests(void *argument)
{
    enum { READING_MS = 200, SAME_REQUEST_MS = 1000, PATIENCE_MS = 2000 };
    struct interrupt *interrupt = argument;
    sigset_t set;
    signals_of(&set);
    if (!await(interrupt, true, -1)) {
        return NULL;
    }
    (void)!write(interrupt->request_fd, "", 1);
    if (reads_now(interrupt)) {
        if (!await(interrupt, false, READING_MS)) {
            return NULL;
        }
        if (reads_now(interrupt)) {
            end("duet: interrupted while it read its input\n");
        }
    }
    if (!await(interrupt, false, SAME_REQUEST_MS)) {
        return NULL;
    }
    forget(&set);
    if (!await(interrupt, true, -1)) {
        return NULL;
    }
    (void)!write(interrupt->request_fd, "", 1);
    if (!await(interrupt, false, PATIENCE_MS)) {
        return NULL;
    }
    end("duet: interrupted twice, and ended at once; finished runs are in the store\n");
}

/* The thread has all signals blocked, whatever this one has: the one that waits for
 * children asks for SIGCHLD, say. */
static bool start_thread(struct interrupt *interrupt, const sigset_t *set)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    interrupt->signal_fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
    interrupt->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (interrupt->signal_fd < 0 || interrupt->end_fd < 0 ||
        pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    int errnum = pthread_create(&interrupt->thread, NULL, await_requests, interrupt);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return errnum == 0;
}

enum duet_code interrupt_open(struct interrupt *ret_interrupt,
                              struct duet_error *reterr)
{
    sigset_t set;
    signals_of(&set);
    sigset_t blocked = set;
    sigaddset(&blocked, SIGPIPE); /* what must be cleaned up comes first */
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot watch for signals");
    }
    *ret_interrupt = (struct interrupt){.cancel_fd = fds[0], .request_fd = fds[1]};
    (void)pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    ret_interrupt->has_thread = start_thread(ret_interrupt, &set);
    if (!ret_interrupt->has_thread) {
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    return DUET_OK;
}

void interrupt_reads(struct interrupt *interrupt, bool reads)
{
    /* Relaxed: see reads_now(). */
    atomic_store_explicit(&interrupt->reads, reads, memory_order_relaxed);
}

static void close_open(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->has_thread) {
        if (eventfd_write(interrupt->end_fd, 1) != 0) {
            return; /* the thread and what it waits for stay until the process ends */
        }
        (void)pthread_join(interrupt->thread, NULL);
    }
    close_open(interrupt->signal_fd);
    close_open(interrupt->end_fd);
    (void)close(interrupt->cancel_fd);
    (void)close(interrupt->request_fd);
    sigset_t set;
    signals_of(&set);
    forget(&set);
    sigaddset(&set, SIGPIPE);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
