#include "measure/trial.h"

#include "base/alloc.h"
#include "measure/environment.h"
#include "measure/hook.h"
#include "measure/launch.h"
#include "measure/reap.h"
#include "sync/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child becomes; fds: its standard streams; limit: of its files' bytes, 0: none.
 */
struct trial_child {
    const char *path;
    const char *const *argv;
    const char *folder;      /* NULL: this one */
    const char *const *envp; /* NULL: ours */
    int fds[3];
    rlim_t limit;
};

/* Files for what a program prints. err_fd -1: standard error is not kept. */
struct trial_files {
    int output_fd;
    int err_fd;
    rlim_t limit;
    const char *const *envp; /* NULL: ours */
};

/* Without a terminal (measure/hook.c). */
static _Noreturn void child_become(const struct trial_child *child)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (child->limit > 0) {
        const struct rlimit limit = {child->limit, child->limit};
        (void)setrlimit(RLIMIT_FSIZE, &limit);
    }
    for (int fd = 0; fd < 3; fd++) {
        if (child->fds[fd] >= 0) {
            (void)dup2(child->fds[fd], fd);
        }
    }
    if (child->folder != NULL && chdir(child->folder) != 0) {
        _exit(127);
    }
    (void)execve(child->path, (char *const *)(uintptr_t)child->argv,
                 child->envp != NULL ? (char *const *)(uintptr_t)child->envp : environ);
    _exit(127);
}

static enum duet_code child_wait(pid_t pid, uint64_t timeout_ns, int cancel_fd,
                                 int *ret_status, struct duet_error *reterr)
{
    int status = 0;
    enum hook_end end = hook_wait(pid, "", cancel_fd, timeout_ns, &status);
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

static enum duet_code child_execute(const struct trial_child *child,
                                    uint64_t timeout_ns, int cancel_fd, int *ret_status,
                                    struct duet_error *reterr)
{
    pid_t pid = fork();
    if (pid < 0) {
        return error_set_start(reterr, errno, "cannot start '%s'", child->path);
    }
    if (pid == 0) {
        child_become(child);
    }
    return child_wait(pid, timeout_ns, cancel_fd, ret_status, reterr);
}

/* What it leaves ends with it, also in a session of its own, as after a measured run:
 * as the subreaper this process becomes its parent. */
static enum duet_code child_run(const struct trial_child *child, uint64_t timeout_ns,
                                int cancel_fd, int *ret_status,
                                struct duet_error *reterr)
{
    struct reap_children others;
    int before = 0; /* inside an experiment it is one already */
    bool reaps = reap_children(&others) &&
                 prctl(PR_GET_CHILD_SUBREAPER, &before) == 0 &&
                 prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    enum duet_code code =
        child_execute(child, timeout_ns, cancel_fd, ret_status, reterr);
    if (reaps) {
        (void)reap_leftovers(&others, NULL);
        (void)prctl(PR_SET_CHILD_SUBREAPER, before);
    }
    reap_children_release(&others);
    return code;
}

/* The program with its streams. */
static enum duet_code execute(const struct model_plan *plan, enum model_side side,
                              const char *path, int cancel_fd,
                              const struct trial_files *files, int *ret_status,
                              struct duet_error *reterr)
{
    int err_fd = files->err_fd;
    struct streams streams;
    struct model_plan quiet = *plan;
    quiet.output.kind = MODEL_STREAM_NULL;
    if (err_fd >= 0) {
        quiet.error_output.kind = MODEL_STREAM_NULL;
    }
    int errnum = streams_open(&streams, &quiet, side, -1, -1);
    if (errnum != 0) {
        /* Of too many files the command knows nothing. */
        bool ours = errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
        return error_set_errno(reterr, ours ? DUET_E_SYSTEM : DUET_E_USAGE, errnum,
                               "cannot open what '%s' reads or writes",
                               plan->sides[side].command);
    }
    struct trial_child child = {.path = path,
                                .argv = plan->sides[side].argv,
                                .folder = plan->sides[side].folder,
                                .envp = files->envp,
                                .fds = {streams.fds[0], files->output_fd,
                                        err_fd >= 0 ? err_fd : streams.fds[2]},
                                .limit = files->limit};
    enum duet_code code =
        child_run(&child, plan->timeout_ns, cancel_fd, ret_status, reterr);
    streams_close(&streams);
    return code;
}

static enum duet_code find_and_execute(const struct model_plan *plan,
                                       enum model_side side, int cancel_fd,
                                       struct trial_files files,
                                       struct trial_result *result,
                                       struct duet_error *reterr)
{
    char *path = NULL;
    enum duet_code code = launch_find_in(plan->sides[side].folder,
                                         plan->sides[side].argv[0], &path, reterr);
    if (code == DUET_OK && plan->error_output.kind == MODEL_STREAM_PIPE) {
        files.err_fd = memfd_create("duet-stderr", MFD_CLOEXEC);
        if (files.err_fd < 0) {
            code = error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                   "cannot make a file for standard error");
        }
    }
    if (code == DUET_OK) {
        code = execute(plan, side, path, cancel_fd, &files, &result->status, reterr);
    }
    if (files.err_fd >= 0) {
        stream_tail_read_file(&result->tail, files.err_fd);
        (void)close(files.err_fd);
    }
    free(path);
    return code;
}

static enum duet_code rewind_output(int fd, struct duet_error *reterr)
{
    return lseek(fd, 0, SEEK_SET) == 0
               ? DUET_OK
               : error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot read an output");
}

static enum duet_code try_once(const struct model_plan *plan, enum model_side side,
                               const char *const *envp, int cancel_fd, int output_fd,
                               struct trial_result *ret_result,
                               struct duet_error *reterr)
{
    const struct model_workload *workload = &plan->sides[side];
    struct trial_result result = {0};
    if (ftruncate(output_fd, 0) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot empty the file for an output");
    }
    enum duet_code code = rewind_output(output_fd, reterr);
    if (code == DUET_OK) {
        code = hook_shell(workload->prepare, "--prepare", workload->folder, cancel_fd,
                          reterr);
    }
    if (code == DUET_OK) {
        const struct trial_files files = {
            .output_fd = output_fd, .err_fd = -1, .envp = envp};
        code = find_and_execute(plan, side, cancel_fd, files, &result, reterr);
    }
    if (code == DUET_OK) {
        code = hook_shell(workload->conclude, "--conclude", workload->folder, cancel_fd,
                          reterr);
    }
    if (code == DUET_OK) {
        code = rewind_output(output_fd, reterr);
    }
    if (code == DUET_OK) {
        *ret_result = result;
    }
    return code;
}

enum duet_code measure_trial(const struct model_plan *plan, enum model_side side,
                             int cancel_fd, int output_fd,
                             struct trial_result *ret_result, struct duet_error *reterr)
{
    return try_once(plan, side, NULL, cancel_fd, output_fd, ret_result, reterr);
}

enum duet_code measure_trial_quiet(const struct model_plan *plan, enum model_side side,
                                   int cancel_fd, int output_fd,
                                   struct trial_result *ret_result,
                                   struct duet_error *reterr)
{
    static const char *const added[] = {SYNC_ITERATIONS_VARIABLE "=1",
                                        SYNC_REPORT_VARIABLE "=" SYNC_REPORT_NONE};
    enum { ADDED = sizeof added / sizeof added[0] };
    struct environment *environment = environment_new("", true);
    const char *const *entries =
        environment == NULL ? NULL : environment_entries(environment);
    size_t count = 0;
    size_t out = ADDED;
    while (entries != NULL && entries[count] != NULL) {
        count++;
    }
    const char **all = alloc_array(count + ADDED + 1, sizeof *all);
    if (entries == NULL || all == NULL) {
        environment_free(environment);
        free((void *)all);
        return error_no_memory(reterr);
    }
    memcpy((void *)all, (const void *)added, sizeof added);
    /* Of two with the same name a shell takes the last one, getenv() the first. */
    for (size_t i = 0; i < count; i++) {
        if (!environment_is_named(entries[i], SYNC_ITERATIONS_VARIABLE) &&
            !environment_is_named(entries[i], SYNC_REPORT_VARIABLE)) {
            all[out++] = entries[i];
        }
    }
    enum duet_code code =
        try_once(plan, side, all, cancel_fd, output_fd, ret_result, reterr);
    environment_free(environment);
    free((void *)all);
    return code;
}

enum duet_code measure_trial_output(const struct model_plan *plan, enum model_side side,
                                    int cancel_fd, struct stream_tail *ret_tail,
                                    int *ret_status, struct duet_error *reterr)
{
    const uint64_t longest_ns = UINT64_C(10000000000);
    const rlim_t most_bytes = (rlim_t)16 << 20;
    struct trial_result result = {0};
    struct model_plan limited = *plan;
    if (limited.timeout_ns == 0 || limited.timeout_ns > longest_ns) {
        limited.timeout_ns = longest_ns;
    }
    const struct trial_files files = {.output_fd =
                                          memfd_create("duet-output", MFD_CLOEXEC),
                                      .err_fd = -1,
                                      .limit = most_bytes};
    if (files.output_fd < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot make a file for an output");
    }
    enum duet_code code =
        find_and_execute(&limited, side, cancel_fd, files, &result, reterr);
    if (code == DUET_OK) {
        *ret_tail = (struct stream_tail){.length = 0};
        stream_tail_read_file(ret_tail, files.output_fd);
        *ret_status = result.status;
    }
    (void)close(files.output_fd);
    return code;
}

enum duet_code measure_trial_judge(const char *command, int input_fd,
                                   uint64_t timeout_ns, int cancel_fd, int *ret_status,
                                   struct duet_error *reterr)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    struct trial_child child = {
        .path = "/bin/sh", .argv = argv, .fds = {input_fd, STDERR_FILENO, -1}};
    enum duet_code code = rewind_output(input_fd, reterr);
    return code == DUET_OK
               ? child_run(&child, timeout_ns, cancel_fd, ret_status, reterr)
               : code;
}
