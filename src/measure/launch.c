#include "measure/launch.h"

#include "base/alloc.h"
#include "machine/taken.h"
#include "sync/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_BYTES = 256 * 1024 };

struct launch_stack {
    unsigned char bytes[STACK_BYTES];
};

struct launch_stack *launch_stack_new(void)
{
    void *memory = mmap(NULL, sizeof(struct launch_stack), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void launch_stack_free(struct launch_stack *stack)
{
    if (stack != NULL) {
        (void)munmap(stack, sizeof *stack);
    }
}

struct child {
    const struct launch_spec *spec;
    struct board_launch *launch;
    pid_t parent;
};

/* AddressSanitizer does not know the children's stack, from which they leave without
 * returning: what the last one marked as gone would be held against the next. */
#define ON_OWN_STACK __attribute__((no_sanitize_address))

/* dup2, also onto itself: the program's copy must not be close-on-exec. */
ON_OWN_STACK static bool put_fd(int from, int to)
{
    if (from < 0) {
        return true;
    }
    if (from == to) {
        return fcntl(to, F_SETFD, 0) == 0;
    }
    return dup2(from, to) == to;
}

/* A parent that was gone before its death would be told of is not the parent any more.
 */
ON_OWN_STACK static bool child_prepare(const struct launch_spec *spec, pid_t parent)
{
    return setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
           getppid() == parent && (spec->folder == NULL || chdir(spec->folder) == 0) &&
           put_fd(spec->stdin_fd, STDIN_FILENO) &&
           put_fd(spec->stdout_fd, STDOUT_FILENO) &&
           put_fd(spec->stderr_fd, STDERR_FILENO) &&
           put_fd(spec->page_fd, LAUNCH_PAGE_FD) &&
           put_fd(spec->bell_fd, LAUNCH_BELL_FD) &&
           sigprocmask(SIG_SETMASK, spec->mask, NULL) == 0;
}

/* Called again when the child has slept at the meeting: that is not the program's. */
ON_OWN_STACK static void usage_snapshot(void *context)
{
    struct board_launch *launch = context;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        launch->system_start_ns = (uint64_t)usage.ru_stime.tv_sec * 1000000000U +
                                  (uint64_t)usage.ru_stime.tv_usec * 1000U;
        launch->voluntary_start = (uint32_t)usage.ru_nvcsw;
        launch->involuntary_start = (uint32_t)usage.ru_nivcsw;
        launch->faults_start = (uint32_t)usage.ru_minflt;
    }
}

/* Runs on the launcher's memory (CLONE_VM) while the launcher waits (CLONE_VFORK): only
 * system calls and the shared board until execve.
 *
 * What others had of the CPU so far is read between the meeting and the start, by both
 * sides: before the meeting it would miss what they took from a child that spun there.
 * The timed window begins with start_ns. System calls in it before the program's own:
 * clock_gettime(CLOCK_PROCESS_CPUTIME_ID) where usage is wanted, so that the CPU time
 * spent spinning at the meeting is not the program's; and execve itself, which also
 * starts the hardware counters where there are any. */
ON_OWN_STACK static int child_main(void *argument)
{
    const struct child *child = argument;
    const struct launch_spec *spec = child->spec;
    struct board_launch *launch = child->launch;
    if (!child_prepare(spec, child->parent)) {
        launch->setup_errno = errno;
        _exit(127);
    }
    usage_snapshot(launch);
    int tasks_fd = spec->delay ? taken_tasks_open() : -1;
    if (spec->meeting != NULL) {
        spec->party->woken = usage_snapshot;
        spec->party->context = launch;
        launch->outcome = sync_meet(spec->meeting, spec->party, spec->guard);
        if (launch->outcome != SYNC_MET && launch->outcome != SYNC_MET_SLEPT) {
            _exit(127);
        }
    }
    struct taken_tasks tasks;
    launch->delay_known = taken_tasks_read(tasks_fd, &tasks);
    launch->delay_start_ns = launch->delay_known ? tasks.delay_ns : 0;
    launch->start_ns = clock_mono_ns();
    if (spec->usage) {
        launch->cpu_start_ns = clock_cpu_ns();
    }
    /* execve takes char *const * but does not write there. */
    union {
        const char *const *in;
        char *const *out;
    } argv = {.in = spec->argv}, envp = {.in = spec->envp};
    (void)execve(spec->path, argv.out, envp.out);
    launch->exec_errno = errno;
    _exit(127);
}

enum duet_code launch_child(const struct launch_spec *spec, struct launch_stack *stack,
                            struct board_launch *launch, pid_t *ret_pid,
                            struct duet_error *reterr)
{
    *launch = (struct board_launch){.outcome = SYNC_MET};
    struct child child = {.spec = spec, .launch = launch, .parent = getpid()};
    pid_t pid = clone(child_main, stack->bytes + sizeof stack->bytes,
                      CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (pid < 0) {
        return error_set_start(reterr, errno, "cannot start a process for '%s'",
                               spec->path);
    }
    *ret_pid = pid;
    return DUET_OK;
}

static bool is_executable(const char *path, int *ret_errno)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        *ret_errno = errno;
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        *ret_errno = EISDIR;
        return false;
    }
    if (access(path, X_OK) != 0) {
        *ret_errno = errno;
        return false;
    }
    return true;
}

static enum duet_code not_runnable(const char *name, int errnum,
                                   struct duet_error *reterr)
{
    if (errnum == ENOENT || errnum == ENOTDIR) {
        return error_set(
            reterr, DUET_E_USAGE,
            "command not found: '%s'; check the spelling and PATH, or use -S if it is a shell's own command",
            name);
    }
    return error_set_errno(reterr, DUET_E_USAGE, errnum,
                           "'%s' cannot be executed (chmod +x?)", name);
}

enum duet_code launch_find(const char *name, char **ret_path, struct duet_error *reterr)
{
    int errnum = ENOENT;
    if (strchr(name, '/') != NULL) {
        if (!is_executable(name, &errnum)) {
            return not_runnable(name, errnum, reterr);
        }
        *ret_path = alloc_string(name);
        return *ret_path != NULL ? DUET_OK : error_no_memory(reterr);
    }
    const char *path = getenv("PATH");
    path = path != NULL ? path : "/usr/local/bin:/usr/bin:/bin";
    while (*path != '\0') {
        size_t length = strcspn(path, ":");
        char *candidate = length == 0
                              ? alloc_format("./%s", name)
                              : alloc_format("%.*s/%s", (int)length, path, name);
        if (candidate == NULL) {
            return error_no_memory(reterr);
        }
        int why = 0;
        if (is_executable(candidate, &why)) {
            *ret_path = candidate;
            return DUET_OK;
        }
        errnum = why != ENOENT && why != ENOTDIR ? why : errnum;
        free(candidate);
        path += length + (path[length] == ':');
    }
    return not_runnable(name, errnum, reterr);
}

enum duet_code launch_find_in(const char *folder, const char *name, char **ret_path,
                              struct duet_error *reterr)
{
    struct stat status;
    if (folder == NULL) {
        return launch_find(name, ret_path, reterr);
    }
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return error_set(reterr, DUET_E_USAGE,
                         "cannot run a command in '%s': it is "
                         "not a folder",
                         folder);
    }
    if (strchr(name, '/') == NULL || name[0] == '/') {
        return launch_find(name, ret_path, reterr);
    }
    char *path = alloc_format("%s/%s", folder, name); /* plans have absolute ones */
    enum duet_code code =
        path == NULL ? error_no_memory(reterr) : launch_find(path, ret_path, reterr);
    free(path);
    return code;
}
