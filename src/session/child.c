#include "session/child.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Between fork() and execve() only what is safe in a process with other threads. */
static _Noreturn void child_main(const struct child_words *words,
                                 const char *const *entries, pid_t parent)
{
    enum { NOT_STARTED = 127 };
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() != parent || dup2(input, STDIN_FILENO) < 0 ||
        dup2(words->output_fd, STDOUT_FILENO) < 0 ||
        dup2(words->error_fd, STDERR_FILENO) < 0 ||
        (words->folder != NULL && chdir(words->folder) != 0)) {
        _exit(NOT_STARTED);
    }
    /* execve takes char *const * but does not write there. */
    union {
        const char *const *in;
        char *const *out;
    } argv = {.in = words->argv}, envp = {.in = entries};
    (void)execve(words->path, argv.out, envp.out);
    _exit(NOT_STARTED);
}

/* Whether `setting` has the name of `entry`. */
static bool is_of(const char *setting, const char *entry)
{
    return strncmp(setting, entry, strcspn(entry, "=") + 1) == 0;
}

static bool is_set(const char *const *settings, const char *entry)
{
    for (size_t i = 0; settings[i] != NULL; i++) {
        if (is_of(settings[i], entry)) {
            return true;
        }
    }
    return false;
}

/* Our environment without what the words leave out, with their settings and the mark's
 * entry in place of entries of the same names: one block, free(); strings are borrowed.
 * NULL: no memory. */
static const char **environment(const struct child_words *words, const char *mark)
{
    const char *const *settings = words->settings;
    const char *unset = words->unset;
    size_t count = 0;
    size_t more = 0;
    while (environ[count] != NULL) {
        count++;
    }
    while (settings[more] != NULL) {
        more++;
    }
    const char **entries = alloc_array(count + more + 2, sizeof *entries);
    size_t out = 0;
    for (size_t i = 0; entries != NULL && i < count; i++) {
        if (!is_set(settings, environ[i]) && !is_of(mark, environ[i]) &&
            (unset == NULL || strncmp(environ[i], unset, strlen(unset)) != 0)) {
            entries[out++] = environ[i];
        }
    }
    for (size_t i = 0; entries != NULL && i < more; i++) {
        entries[out++] = settings[i];
    }
    if (entries != NULL) {
        entries[out] = mark;
    }
    return entries;
}

enum duet_code child_start(const struct child_words *words, struct child *ret_child,
                           struct duet_error *reterr)
{
    struct child child = {.pid = 0};
    char *mark = guard_mark(child.mark);
    const char **entries = mark == NULL ? NULL : environment(words, mark);
    enum duet_code code = entries == NULL ? error_no_memory(reterr) : DUET_OK;
    pid_t parent = getpid();
    child.pid = code == DUET_OK ? fork() : 0;
    if (code == DUET_OK && child.pid == 0) {
        child_main(words, entries, parent);
    }
    if (child.pid < 0) {
        code = error_set_start(reterr, errno, "cannot start '%s'", words->path);
    }
    if (code == DUET_OK) {
        *ret_child = child;
    }
    free((void *)entries);
    free(mark);
    return code;
}

enum hook_end child_wait(struct child *child, int cancel_fd, int *ret_status)
{
    enum hook_end end = hook_wait(child->pid, child->mark, cancel_fd, 0, ret_status);
    child->pid = 0;
    return end;
}

void child_output_read(int fd, size_t most, struct text *text)
{
    char bytes[4096];
    ssize_t got = 0;
    size_t at = 0;
    while (at < most && (got = pread(fd, bytes, sizeof bytes, (off_t)at)) > 0) {
        text_append_n(text, bytes, (size_t)got);
        at += (size_t)got;
    }
}
