#include "base/apart.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A signal that it gets by itself ends it although it is blocked. */
static _Noreturn void live(void (*run)(void *context), void *context)
{
    static const struct rlimit no_core = {0, 0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    run(context);
    _exit(0);
}

/* Its wait status; 0 when somebody else has taken it. */
static int wait_for(pid_t pid)
{
    int status = 0;
    pid_t gone = -1;
    do {
        gone = waitpid(pid, &status, 0);
    } while (gone < 0 && errno == EINTR);
    return gone == pid ? status : 0;
}

enum duet_code apart_execute(void (*run)(void *context), void *context,
                             const char *what, int *ret_status,
                             struct duet_error *reterr)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    /* A handler of ours would take the child's signals for its own. */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        live(run, context);
    }
    int errnum = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) {
        return error_set_start(reterr, errnum, "cannot start %s", what);
    }
    *ret_status = wait_for(pid);
    return DUET_OK;
}
