#include "measure/guard.h"

#include "base/alloc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE "DUET_GUARD"
enum { MARK_BYTES = 17, ROUNDS = 100 };

/* Whether the process was started with the mark: a duet that is measured puts its own
 * behind ours. */
static bool is_marked(const char *pid, const char *mark)
{
    char path[64];
    char *entry = NULL;
    size_t size = 0;
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getdelim(&entry, &size, '\0', file) > 0) {
        found = strncmp(entry, VARIABLE "=", sizeof VARIABLE) == 0 &&
                strstr(entry, mark) != NULL;
    }
    free(entry);
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

/* Whether there was any. */
static bool kill_marked(const char *mark)
{
    DIR *entries = opendir("/proc");
    const struct dirent *entry = NULL;
    bool any = false;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        long pid = isdigit((unsigned char)entry->d_name[0])
                       ? strtol(entry->d_name, NULL, 10)
                       : 0;
        any = (pid > 1 && is_marked(entry->d_name, mark) &&
               kill((pid_t)pid, SIGKILL) == 0) ||
              any;
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return any;
}

/* Keeps nothing open, so that nobody waits for the end of a file because of it. */
static _Noreturn void guard_main(int fd, const char *mark)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)prctl(PR_SET_NAME, "duet-guard"); /* first: supervisors lead groups, too */
    (void)setsid();
    (void)dup2(fd, STDIN_FILENO);
    (void)syscall(SYS_close_range, 1U, ~0U, 0U);
    char byte = 0;
    ssize_t got = 0;
    do {
        got = read(STDIN_FILENO, &byte, 1);
    } while (got < 0 && errno == EINTR);
    /* They may be starting others while they are looked at. */
    for (int round = 0; got == 0 && round < ROUNDS && kill_marked(mark); round++) {
        (void)nanosleep(&moment, NULL);
    }
    _exit(0);
}

void guard_start(struct guard *ret_guard)
{
    *ret_guard = (struct guard){.fd = -1};
    uint64_t number = 0;
    char mark[MARK_BYTES];
    const char *outer = getenv(VARIABLE);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return;
    }
    (void)snprintf(mark, sizeof mark, "%016" PRIx64, number);
    char *value =
        alloc_format("%s%s", outer != NULL && outer[0] != '\0' ? outer : "", mark);
    int ends[2] = {-1, -1};
    if (value == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(value);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        guard_main(ends[0], mark);
    }
    (void)close(ends[0]);
    if (pid < 0) {
        (void)close(ends[1]);
    } else {
        *ret_guard = (struct guard){.pid = pid, .fd = ends[1]};
        /* banned-ok: for all that will be started; no thread yet */
        (void)setenv(VARIABLE, value, 1);
    }
    free(value);
}

void guard_stop(struct guard *guard)
{
    if (guard->pid > 0) {
        (void)send(guard->fd, "", 1, MSG_NOSIGNAL);
        (void)close(guard->fd);
        while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    *guard = (struct guard){.fd = -1};
}
