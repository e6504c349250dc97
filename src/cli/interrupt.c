#include "cli/interrupt.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
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

/* Until one of them comes; what else wakes a thread is none. */
static void wait_for(const sigset_t *set)
{
    while (sigwaitinfo(set, NULL) < 0 && errno == EINTR) {
    }
}

static void *await_requests(void *argument)
{
    const struct interrupt *interrupt = argument;
    const struct timespec same_request = {.tv_sec = 1};
    const struct timespec patience = {.tv_sec = 2};
    sigset_t set;
    sigset_t all;
    signals_of(&set);
    /* SIGCHLD, say, while the thread that waits for children has it blocked. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    wait_for(&set);
    (void)!write(interrupt->request_fd, "", 1);
    (void)nanosleep(&same_request, NULL);
    forget(&set);
    wait_for(&set);
    (void)!write(interrupt->request_fd, "", 1);
    (void)nanosleep(&patience, NULL);
    static const char words[] =
        "duet: interrupted twice, and ended at once; finished runs are in the store\n";
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(CLI_EXIT_INTERRUPTED);
}

enum duet_code interrupt_open(struct interrupt *ret_interrupt,
                              struct duet_error *reterr)
{
    sigset_t set;
    signals_of(&set);
    sigset_t blocked = set;
    sigaddset(&blocked, SIGXFSZ); /* a limit on file sizes is the store's to report */
    sigaddset(&blocked, SIGPIPE); /* what must be cleaned up comes first */
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot watch for signals");
    }
    *ret_interrupt = (struct interrupt){.cancel_fd = fds[0], .request_fd = fds[1]};
    int errnum = pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    if (errnum == 0) {
        errnum =
            pthread_create(&ret_interrupt->thread, NULL, await_requests, ret_interrupt);
    }
    ret_interrupt->watched = errnum == 0;
    if (errnum != 0) {
        (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    return DUET_OK;
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->watched) {
        (void)pthread_cancel(interrupt->thread);
        (void)pthread_join(interrupt->thread, NULL);
    }
    (void)close(interrupt->cancel_fd);
    (void)close(interrupt->request_fd);
    sigset_t set;
    signals_of(&set);
    forget(&set);
    sigaddset(&set, SIGPIPE);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
