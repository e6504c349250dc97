#include "measure/search.h"

#include "measure/hook.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOUND, NOT_FOUND, FAILED };

/* A limit that is lower cannot be raised. */
static unsigned limit_s(unsigned cpu_s)
{
    struct rlimit now;
    return getrlimit(RLIMIT_CPU, &now) == 0 && now.rlim_max < cpu_s
               ? (unsigned)now.rlim_max
               : cpu_s;
}

/* ret_matches[0] says where the text ends (REG_STARTEND). */
static _Noreturn void look(const regex_t *regex, const char *text, unsigned cpu_s,
                           regmatch_t *ret_matches, size_t count)
{
    const struct rlimit limit = {.rlim_cur = cpu_s, .rlim_max = cpu_s};
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        setrlimit(RLIMIT_CPU, &limit) != 0) {
        _exit(FAILED);
    }
    int end = regexec(regex, text, count, ret_matches, REG_STARTEND);
    _exit(end == 0 ? FOUND : end == REG_NOMATCH ? NOT_FOUND : FAILED);
}

static enum duet_code judge(enum hook_end end, int status, unsigned cpu_s,
                            bool *ret_found, struct duet_error *reterr)
{
    if (end == HOOK_CANCELLED) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL &&
        WTERMSIG(status) != SIGXCPU) {
        return error_set(
            reterr, DUET_E_WORKLOAD,
            "looking for it was ended by signal %d, as when what is looked "
            "through is cut short meanwhile",
            WTERMSIG(status));
    }
    if (WIFSIGNALED(status)) {
        return error_set(
            reterr, DUET_E_WORKLOAD,
            "looking for it took more than %u s of CPU time; print shorter lines, or simplify it",
            cpu_s);
    }
    if (WEXITSTATUS(status) != FOUND && WEXITSTATUS(status) != NOT_FOUND) {
        return error_set(reterr, DUET_E_SYSTEM,
                         "no memory to look for it, or no limit on the time");
    }
    *ret_found = WEXITSTATUS(status) == FOUND;
    return DUET_OK;
}

enum duet_code measure_search(const regex_t *regex, const char *text, size_t length,
                              unsigned cpu_s, int cancel_fd, regmatch_t *ret_matches,
                              size_t count, bool *ret_found, struct duet_error *reterr)
{
    size_t bytes = count * sizeof *ret_matches;
    if (length > INT_MAX) { /* regoff_t */
        return error_set(
            reterr, DUET_E_WORKLOAD,
            "looking for it in %zu bytes is not possible, only in less than "
            "2 GiB",
            length);
    }
    regmatch_t *matches =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (matches == MAP_FAILED) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "no memory to look for it");
    }
    cpu_s = limit_s(cpu_s);
    matches[0] = (regmatch_t){.rm_so = 0, .rm_eo = (regoff_t)length};
    pid_t pid = fork();
    if (pid == 0) {
        look(regex, text, cpu_s, matches, count);
    }
    enum duet_code code = DUET_OK;
    if (pid < 0) {
        code = error_set_start(reterr, errno, "cannot start looking for it");
    } else {
        int status = 0;
        enum hook_end end = hook_wait(pid, "", cancel_fd, 0, &status);
        code = judge(end, status, cpu_s, ret_found, reterr);
    }
    if (code == DUET_OK && *ret_found) {
        memcpy(ret_matches, matches, bytes);
    }
    (void)munmap(matches, bytes);
    return code;
}
