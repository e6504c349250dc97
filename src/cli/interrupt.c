#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
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

enum duet_code interrupt_open(int *ret_fd, struct duet_error *reterr)
{
    sigset_t set;
    signals_of(&set);
    sigset_t blocked = set;
    sigaddset(&blocked, SIGXFSZ); /* a limit on file sizes is the store's to report */
    sigaddset(&blocked, SIGPIPE); /* what must be cleaned up comes first */
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot block signals");
    }
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot watch for signals");
    }
    *ret_fd = fd;
    return DUET_OK;
}

void interrupt_close(int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) > 0) {
    }
    (void)close(fd);
    sigset_t set;
    signals_of(&set);
    sigaddset(&set, SIGPIPE);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
