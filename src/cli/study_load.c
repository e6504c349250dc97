#include "cli/study_load.h"

#include "cli/self.h"
#include "cli/study_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t second_ns = UINT64_C(1000000000);

static int spawn_quietly(const char *path, char *const *argv, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) {
        return status;
    }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && status == 0; fd++) {
        status = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    }
    if (status == 0) {
        status = posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return status;
}

enum duet_code study_load_start(uint64_t period_ns, uint64_t duration_ns,
                                struct study_load *ret_load, struct duet_error *reterr)
{
    struct study_load load = {0};
    char period[32];
    char duration[32];
    char command[] = "duet";
    char stress[] = "stress";
    char period_option[] = "--period";
    char duration_option[] = "--duration";
    uint64_t kept_ns = period_ns < second_ns ? second_ns : period_ns;
    (void)snprintf(period, sizeof period, "%.1fs", (double)kept_ns / 1e9);
    (void)snprintf(duration, sizeof duration, "%.0fs",
                   (double)(duration_ns + second_ns) / 1e9);
    (void)snprintf(load.profile, sizeof load.profile,
                   "duet stress --load mix --wave triangle --peak 100%% --period %s",
                   period);
    (void)snprintf(load.condition, sizeof load.condition, STUDY_LAB_BUSY "%s)",
                   load.profile);
    char *path = self_path();
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    /* mix, triangle and 100% are the defaults of `duet stress`. */
    char *const argv[] = {command,         stress,   period_option, period,
                          duration_option, duration, NULL};
    int status = spawn_quietly(path, argv, &load.pid);
    free(path);
    if (status != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, status,
                               "cannot start the competing load");
    }
    *ret_load = load;
    return DUET_OK;
}

void study_load_stop(struct study_load *load)
{
    if (load->pid > 0) {
        (void)kill(load->pid, SIGTERM);
        while (waitpid(load->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        load->pid = 0;
    }
}
