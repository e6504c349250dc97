#include "measure/trial.h"

#include "measure/hook.h"
#include "measure/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child becomes; fds: its standard streams. */
struct trial_child {
    const char *path;
    const char *const *argv;
    int fds[3];
};

static _Noreturn void child_become(const struct trial_child *child)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 3; fd++) {
        if (child->fds[fd] >= 0) {
            (void)dup2(child->fds[fd], fd);
        }
    }
    (void)execv(child->path, (char *const *)(uintptr_t)child->argv);
    _exit(127);
}

static enum duet_code child_wait(pid_t pid, uint64_t timeout_ns, int cancel_fd,
                                 int *ret_status, struct duet_error *reterr)
{
    int status = 0;
    enum hook_end end = hook_wait(pid, cancel_fd, timeout_ns, &status);
    if (end == HOOK_CANCELLED) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted during a check");
    }
    if (end == HOOK_TIMED_OUT) {
        return error_set(reterr, DUET_E_TIMEOUT,
                         "it took longer than %.3g s when its output was checked",
                         (double)timeout_ns / 1e9);
    }
    *ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return DUET_OK;
}

static enum duet_code child_run(const struct trial_child *child, uint64_t timeout_ns,
                                int cancel_fd, int *ret_status,
                                struct duet_error *reterr)
{
    pid_t pid = fork();
    if (pid < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot start '%s'",
                               child->path);
    }
    if (pid == 0) {
        child_become(child);
    }
    return child_wait(pid, timeout_ns, cancel_fd, ret_status, reterr);
}

/* The program with its streams; err_fd: a file for standard error, -1: none is kept. */
static enum duet_code execute(const struct model_plan *plan, enum model_side side,
                              const char *path, int cancel_fd, int output_fd,
                              int err_fd, int *ret_status, struct duet_error *reterr)
{
    struct streams streams;
    struct model_plan quiet = *plan;
    quiet.output.kind = MODEL_STREAM_NULL;
    if (err_fd >= 0) {
        quiet.error_output.kind = MODEL_STREAM_NULL;
    }
    int errnum = streams_open(&streams, &quiet, side, -1, -1);
    if (errnum != 0) {
        return error_set_errno(reterr, DUET_E_USAGE, errnum,
                               "cannot open what '%s' reads or writes",
                               plan->sides[side].command);
    }
    struct trial_child child = {
        .path = path,
        .argv = plan->sides[side].argv,
        .fds = {streams.fds[0], output_fd, err_fd >= 0 ? err_fd : streams.fds[2]}};
    enum duet_code code =
        child_run(&child, plan->timeout_ns, cancel_fd, ret_status, reterr);
    streams_close(&streams);
    return code;
}

static void read_tail(int fd, struct stream_tail *tail)
{
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > STREAMS_TAIL_BYTES ? size - STREAMS_TAIL_BYTES : 0;
    if (size > 0 && lseek(fd, from, SEEK_SET) == from) {
        stream_tail_read(tail, fd);
    }
}

static enum duet_code find_and_execute(const struct model_plan *plan,
                                       enum model_side side, int cancel_fd,
                                       int output_fd, struct trial_result *result,
                                       struct duet_error *reterr)
{
    char *path = NULL;
    int err_fd = -1;
    enum duet_code code = launch_find(plan->sides[side].argv[0], &path, reterr);
    if (code == DUET_OK && plan->error_output.kind == MODEL_STREAM_PIPE) {
        err_fd = memfd_create("duet-stderr", MFD_CLOEXEC);
        if (err_fd < 0) {
            code = error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                   "cannot make a file for standard error");
        }
    }
    if (code == DUET_OK) {
        code = execute(plan, side, path, cancel_fd, output_fd, err_fd, &result->status,
                       reterr);
    }
    if (err_fd >= 0) {
        read_tail(err_fd, &result->tail);
        (void)close(err_fd);
    }
    free(path);
    return code;
}

enum duet_code measure_trial(const struct model_plan *plan, enum model_side side,
                             int cancel_fd, int output_fd,
                             struct trial_result *ret_result, struct duet_error *reterr)
{
    const struct model_workload *workload = &plan->sides[side];
    struct trial_result result = {0};
    if (ftruncate(output_fd, 0) != 0 || lseek(output_fd, 0, SEEK_SET) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot empty the file for an output");
    }
    enum duet_code code = hook_shell(workload->prepare, "--prepare", cancel_fd, reterr);
    if (code == DUET_OK) {
        code = find_and_execute(plan, side, cancel_fd, output_fd, &result, reterr);
    }
    if (code == DUET_OK) {
        code = hook_shell(workload->conclude, "--conclude", cancel_fd, reterr);
    }
    if (code == DUET_OK && lseek(output_fd, 0, SEEK_SET) != 0) {
        code = error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot read an output");
    }
    if (code == DUET_OK) {
        *ret_result = result;
    }
    return code;
}

enum duet_code measure_trial_judge(const char *command, int input_fd,
                                   uint64_t timeout_ns, int cancel_fd, int *ret_status,
                                   struct duet_error *reterr)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    struct trial_child child = {
        .path = "/bin/sh", .argv = argv, .fds = {input_fd, STDERR_FILENO, -1}};
    if (lseek(input_fd, 0, SEEK_SET) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot read an output");
    }
    return child_run(&child, timeout_ns, cancel_fd, ret_status, reterr);
}
