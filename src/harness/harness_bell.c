#include "harness/harness_bell.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void find_again(struct harness_bell *bell)
{
    bell->pipe.fd = bell->held[0] != '\0'
                        ? open(bell->held, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                        : -1;
    bell->owned = bell->pipe.fd >= 0;
    if (bell->owned && !harness_descriptor_holds(&bell->pipe)) {
        (void)close(bell->pipe.fd);
        bell->owned = false;
        bell->pipe.fd = -1;
    }
}

static void bell_write(int bell_fd)
{
    sigset_t pipe_only;
    sigset_t before;
    sigset_t pending;
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)sigpending(&pending);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    /* EAGAIN: the runner has more bytes waiting than it needs. */
    if (write(bell_fd, "", 1) < 0 && errno == EPIPE &&
        sigismember(&pending, SIGPIPE) == 0) {
        const struct timespec at_once = {0};
        (void)sigtimedwait(&pipe_only, NULL, &at_once);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void harness_bell_ring(struct harness_bell *bell)
{
    if (!harness_descriptor_holds(&bell->pipe)) {
        find_again(bell);
    }
    if (bell->pipe.fd >= 0) {
        bell_write(bell->pipe.fd);
    }
}

void harness_bell_close(struct harness_bell *bell)
{
    if (bell->owned) {
        harness_descriptor_close(&bell->pipe);
    }
    bell->owned = false;
    bell->pipe.fd = -1;
}
