#include "measure/search.h"

#include "measure/hook.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process has come to, in memory that is shared with it. */
struct answer {
    enum duet_code code;
    struct duet_error error;
    bool found;
    struct pattern_range ranges[];
};

/* A limit that is lower cannot be raised. */
static unsigned limit_s(unsigned cpu_s)
{
    struct rlimit now;
    return getrlimit(RLIMIT_CPU, &now) == 0 && now.rlim_max < cpu_s
               ? (unsigned)now.rlim_max
               : cpu_s;
}

static _Noreturn void look(const struct pattern *pattern, const char *text,
                           size_t length, unsigned cpu_s, struct answer *answer,
                           size_t count)
{
    const struct rlimit limit = {.rlim_cur = cpu_s, .rlim_max = cpu_s};
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        setrlimit(RLIMIT_CPU, &limit) != 0) {
        answer->code = error_set_errno(&answer->error, DUET_E_SYSTEM, errno,
                                       "cannot limit the time of looking for it");
    } else {
        answer->code = pattern_find(pattern, text, length, answer->ranges, count,
                                    &answer->found, &answer->error);
    }
    _exit(0);
}

static enum duet_code judge(enum hook_end end, int status, unsigned cpu_s,
                            const struct answer *answer, struct duet_error *reterr)
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
    return answer->code == DUET_OK
               ? DUET_OK
               : error_set(reterr, answer->code, "%s", answer->error.message);
}

enum duet_code measure_search(const struct pattern *pattern, const char *text,
                              size_t length, unsigned cpu_s, int cancel_fd,
                              struct pattern_range *ret_ranges, size_t count,
                              bool *ret_found, struct duet_error *reterr)
{
    size_t bytes = sizeof(struct answer) + count * sizeof *ret_ranges;
    struct answer *answer =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "no memory to look for it");
    }
    cpu_s = limit_s(cpu_s);
    answer->code =
        error_set(&answer->error, DUET_E_SYSTEM, "looking for it ended early");
    pid_t pid = fork();
    if (pid == 0) {
        look(pattern, text, length, cpu_s, answer, count);
    }
    enum duet_code code = DUET_OK;
    if (pid < 0) {
        code = error_set_start(reterr, errno, "cannot start looking for it");
    } else {
        int status = 0;
        enum hook_end end = hook_wait(pid, "", cancel_fd, 0, &status);
        code = judge(end, status, cpu_s, answer, reterr);
    }
    if (code == DUET_OK) {
        *ret_found = answer->found;
    }
    if (code == DUET_OK && answer->found) {
        memcpy(ret_ranges, answer->ranges, count * sizeof *ret_ranges);
    }
    (void)munmap(answer, bytes);
    return code;
}
