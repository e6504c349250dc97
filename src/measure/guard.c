#include "measure/guard.h"

#include "base/alloc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE "DUET_GUARD"
enum { ROUNDS = 100 };

/* How what was started is known again. */
struct mark {
    char text[GUARD_MARK_BYTES]; /* in DUET_GUARD */
    rlim_t limit;                /* RLIMIT_RTTIME; RLIM_INFINITY: not used */
};

/* Whether the process was started with the text: a duet that is measured puts its own
 * behind ours. */
static bool has_text(const char *pid, const char *mark)
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

/* Also with an emptied environment: limits are inherited all the same. */
static bool has_limit(pid_t pid, rlim_t limit)
{
    struct rlimit now;
    return limit != RLIM_INFINITY && prlimit(pid, RLIMIT_RTTIME, NULL, &now) == 0 &&
           now.rlim_cur == limit;
}

/* Whether there was any. */
static bool kill_marked(const struct mark *mark)
{
    DIR *entries = opendir("/proc");
    const struct dirent *entry = NULL;
    bool any = false;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        long pid = isdigit((unsigned char)entry->d_name[0])
                       ? strtol(entry->d_name, NULL, 10)
                       : 0;
        bool ours =
            pid > 1 && pid != getpid() &&
            (has_limit((pid_t)pid, mark->limit) || has_text(entry->d_name, mark->text));
        any = (ours && kill((pid_t)pid, SIGKILL) == 0) || any;
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return any;
}

/* They may be starting others while they are looked at. */
static void end_marked(const struct mark *mark)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int round = 0; round < ROUNDS && kill_marked(mark); round++) {
        (void)nanosleep(&moment, NULL);
    }
}

/* Waits for a byte or for the end of standard input, which all that the runner has
 * forked keep from coming until they are programs or gone; one of them may be stopped,
 * and is waited for no longer than that after the runner's death. Whether no byte came.
 */
static bool await_death(pid_t runner)
{
    enum { GRACE_MS = 5000 };
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGTERM);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct pollfd polled[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = signalfd(-1, &told, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN}};
    struct signalfd_siginfo signal;
    bool orphaned = getppid() != runner;
    while (!orphaned && (poll(polled, 2, -1) < 0 || polled[0].revents == 0)) {
        while (polled[1].fd >= 0 && read(polled[1].fd, &signal, sizeof signal) > 0) {
        }
        orphaned = getppid() != runner;
    }
    if (orphaned) {
        (void)poll(polled, 1, GRACE_MS);
    }
    char byte = 0;
    return (polled[0].revents & (POLLIN | POLLHUP)) == 0 ||
           read(STDIN_FILENO, &byte, 1) == 0;
}

/* Keeps nothing open, so that nobody waits for the end of a file because of it. */
static _Noreturn void guard_main(int fd, pid_t runner, const struct mark *mark)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)prctl(PR_SET_NAME, "duet-guard"); /* first: supervisors lead groups, too */
    (void)setsid();
    (void)dup2(fd, STDIN_FILENO);
    (void)syscall(SYS_close_range, 1U, ~0U, 0U);
    bool died = await_death(runner);
    /* Its descriptors are closed a little before it is gone. */
    for (int round = 0; died && getppid() == runner && round < ROUNDS; round++) {
        (void)nanosleep(&moment, NULL);
    }
    if (died && getppid() != runner) {
        end_marked(mark);
    }
    _exit(0);
}

/* A limit on the CPU time of realtime programs, of 10^5 years: it limits nothing, and
 * no program asks for it. One that is set is left as it is. */
static rlim_t mark_limit(uint64_t number)
{
    const rlim_t least = (rlim_t)1 << 62U;
    struct rlimit now;
    if (getrlimit(RLIMIT_RTTIME, &now) != 0 || now.rlim_cur != RLIM_INFINITY ||
        now.rlim_max != RLIM_INFINITY) {
        return RLIM_INFINITY;
    }
    now.rlim_cur = least | (number >> 2U);
    return setrlimit(RLIMIT_RTTIME, &now) == 0 ? now.rlim_cur : RLIM_INFINITY;
}

/* Also the variable's value with it: free(). NULL: there is none. */
static char *draw(uint64_t *ret_number, char ret_text[GUARD_MARK_BYTES])
{
    const char *outer = getenv(VARIABLE);
    if (getrandom(ret_number, sizeof *ret_number, 0) != (ssize_t)sizeof *ret_number) {
        return NULL;
    }
    (void)snprintf(ret_text, GUARD_MARK_BYTES, "%016" PRIx64, *ret_number);
    return alloc_format("%s%s", outer != NULL ? outer : "", ret_text);
}

char *guard_mark(char ret_mark[GUARD_MARK_BYTES])
{
    uint64_t number = 0;
    char *value = draw(&number, ret_mark);
    char *entry = value == NULL ? NULL : alloc_format(VARIABLE "=%s", value);
    free(value);
    if (entry == NULL) {
        ret_mark[0] = '\0';
    }
    return entry;
}

void guard_end_marked(const char *mark)
{
    struct mark marked = {.limit = RLIM_INFINITY};
    (void)snprintf(marked.text, sizeof marked.text, "%s", mark);
    if (mark[0] != '\0') {
        end_marked(&marked);
    }
}

void guard_start(struct guard *ret_guard)
{
    *ret_guard = (struct guard){.fd = -1};
    uint64_t number = 0;
    struct mark mark;
    char *value = draw(&number, mark.text);
    int ends[2] = {-1, -1};
    if (value == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(value);
        return;
    }
    mark.limit = mark_limit(number);
    pid_t runner = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        guard_main(ends[0], runner, &mark);
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
        if (send(guard->fd, "", 1, MSG_NOSIGNAL) != 1) {
            (void)kill(guard->pid, SIGKILL); /* or it would take this for our death */
        }
        (void)close(guard->fd);
        while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    *guard = (struct guard){.fd = -1};
}
