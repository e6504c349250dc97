#include "session/git/child.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Between fork() and execve() only what is safe in a process with other threads. */
static _Noreturn void child_main(const struct child_words *child, pid_t parent)
{
    enum { NOT_STARTED = 127 };
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() != parent || dup2(input, STDIN_FILENO) < 0 ||
        dup2(child->output_fd, STDOUT_FILENO) < 0 ||
        dup2(child->error_fd, STDERR_FILENO) < 0 ||
        (child->folder != NULL && chdir(child->folder) != 0)) {
        _exit(NOT_STARTED);
    }
    /* execve takes char *const * but does not write there. */
    union {
        const char *const *in;
        char *const *out;
    } argv = {.in = child->argv}, envp = {.in = child->envp};
    (void)execve(child->path, argv.out, envp.out);
    _exit(NOT_STARTED);
}

enum duet_code child_start(const struct child_words *child, pid_t *ret_pid,
                           struct duet_error *reterr)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot start '%s'",
                               child->path);
    }
    if (pid == 0) {
        child_main(child, parent);
    }
    *ret_pid = pid;
    return DUET_OK;
}

static bool is_set(const char *const *settings, const char *entry)
{
    for (size_t i = 0; settings[i] != NULL; i++) {
        size_t length = strcspn(settings[i], "=") + 1;
        if (strncmp(settings[i], entry, length) == 0) {
            return true;
        }
    }
    return false;
}

const char **child_environment(const char *const *settings)
{
    size_t count = 0;
    size_t more = 0;
    while (environ[count] != NULL) {
        count++;
    }
    while (settings[more] != NULL) {
        more++;
    }
    const char **entries = alloc_array(count + more + 1, sizeof *entries);
    size_t out = 0;
    for (size_t i = 0; entries != NULL && i < count; i++) {
        if (!is_set(settings, environ[i])) {
            entries[out++] = environ[i];
        }
    }
    for (size_t i = 0; entries != NULL && i < more; i++) {
        entries[out++] = settings[i];
    }
    return entries;
}
