#include "study/lab/study_load.h"

#include "session/self.h"
#include "study/lab/study_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t second_ns = UINT64_C(1000000000);

/* In the child. It ends with this process, however that ends. */
static _Noreturn void become_load(const char *path, char *const *argv, pid_t parent)
{
    sigset_t none; /* a study blocks what it takes one by one */
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        (void)dup2(null, fd);
    }
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent) {
        (void)execv(path, argv);
    }
    _exit(127);
}

enum duet_code study_load_start(uint64_t period_ns, struct study_load *ret_load,
                                struct duet_error *reterr)
{
    struct study_load load = {0};
    char period[32];
    char command[] = "duet";
    char stress[] = "stress";
    char period_option[] = "--period";
    uint64_t kept_ns = period_ns < second_ns ? second_ns : period_ns;
    (void)snprintf(period, sizeof period, "%.1fs", (double)kept_ns / 1e9);
    (void)snprintf(load.profile, sizeof load.profile,
                   "duet stress --load mix --wave triangle --peak 100%% --period %s",
                   period);
    (void)snprintf(load.condition, sizeof load.condition, STUDY_LAB_BUSY "%s)",
                   load.profile);
    char *path = self_path();
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    /* mix, triangle and 100% are the defaults of `duet stress`. */
    char *const argv[] = {command, stress, period_option, period, NULL};
    pid_t parent = getpid();
    load.pid = fork();
    if (load.pid == 0) {
        become_load(path, argv, parent);
    }
    free(path);
    if (load.pid < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot start the competing load");
    }
    *ret_load = load;
    return DUET_OK;
}

enum duet_code study_load_stop(struct study_load *load, enum duet_code code,
                               struct duet_error *reterr)
{
    if (load->pid <= 0) {
        return code;
    }
    siginfo_t info = {0};
    bool alive =
        waitid(P_PID, (id_t)load->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == 0;
    (void)kill(load->pid, SIGTERM);
    while (waitpid(load->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    load->pid = 0;
    return alive || code != DUET_OK
               ? code
               : error_set(reterr, DUET_E_SYSTEM,
                           "the competing load ended before the measurement: some runs "
                           "stored as measured under load were not; measure again");
}
