// link: -Wl,--wrap=topology_read,--wrap=fork,--wrap=mmap,--wrap=waitpid
/* hwloc in a process of its own: whatever becomes of that, this one goes on. */
#include "machine/topology_facts.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What the process that reads does. */
static enum reader { ANSWERS, REFUSES, ABORTS, LEAVES } reader;
static enum call { NO_CALL, FORK, MMAP, WAITPID, INTERRUPTED_WAITPID } failing;
static struct duet_error error;

enum duet_code __wrap_topology_read(const char *xml, struct topology_facts *facts,
                                    struct duet_error *reterr);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
void *__real_mmap(void *at, size_t length, int protection, int flags, int fd,
                  off_t offset);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd,
                  off_t offset);
pid_t __real_waitpid(pid_t pid, int *ret_status, int options);
pid_t __wrap_waitpid(pid_t pid, int *ret_status, int options);

enum duet_code __wrap_topology_read(const char *xml, struct topology_facts *facts,
                                    struct duet_error *reterr)
{
    switch (reader) {
    case ANSWERS:
        facts->cpu_count = strlen(xml);
        return DUET_OK;
    case REFUSES:
        return error_set(reterr, DUET_E_FORMAT, "'%s' is no topology", xml);
    case ABORTS:
        abort();
    case LEAVES:
        break;
    }
    _exit(3);
}

static bool fails(enum call which, int errnum)
{
    errno = failing == which ? errnum : errno;
    return failing == which;
}

pid_t __wrap_fork(void)
{
    return fails(FORK, EAGAIN) ? -1 : __real_fork();
}

void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd,
                  off_t offset)
{
    return fails(MMAP, ENOMEM) ? MAP_FAILED
                               : __real_mmap(at, length, protection, flags, fd, offset);
}

pid_t __wrap_waitpid(pid_t pid, int *ret_status, int options)
{
    if (fails(INTERRUPTED_WAITPID, EINTR)) {
        failing = NO_CALL;
        return -1;
    }
    pid_t gone = __real_waitpid(pid, ret_status, options);
    return fails(WAITPID, ECHILD) ? -1 : gone;
}

static enum duet_code read_apart(enum reader how, enum call call,
                                 struct topology_facts **ret_facts)
{
    sigset_t before;
    sigset_t after;
    error = (struct duet_error){.code = DUET_OK};
    *ret_facts = NULL;
    reader = how;
    failing = call;
    (void)sigprocmask(SIG_SETMASK, NULL, &before);
    enum duet_code code = topology_read_apart("four", ret_facts, &error);
    failing = NO_CALL;
    (void)sigprocmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < NSIG; number++) {
        assert_int_equal(sigismember(&after, number), sigismember(&before, number));
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
    assert_int_equal(errno, ECHILD);
    return code;
}

static void assert_answers(enum call call)
{
    struct topology_facts *facts = NULL;
    assert_int_equal(read_apart(ANSWERS, call, &facts), DUET_OK);
    assert_int_equal(facts->cpu_count, 4);
    topology_facts_free(facts);
}

static void assert_fails(enum reader how, enum call call, enum duet_code code,
                         const char *says)
{
    struct topology_facts *facts = NULL;
    assert_int_equal(read_apart(how, call, &facts), code);
    assert_null(facts);
    if (strstr(error.message, says) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, says);
    }
}

static void test_its_answer_is_ours(void **state)
{
    (void)state;
    assert_answers(NO_CALL);
    assert_answers(INTERRUPTED_WAITPID);
    assert_answers(WAITPID); /* somebody else has collected it */
    assert_fails(REFUSES, NO_CALL, DUET_E_FORMAT, "'four' is no topology");
    topology_facts_free(NULL);
}

static void test_its_end_is_an_error(void **state)
{
    (void)state;
    assert_fails(ABORTS, NO_CALL, DUET_E_SYSTEM, "ended by SIGABRT: free some memory");
    assert_fails(LEAVES, NO_CALL, DUET_E_SYSTEM, "read the CPU topology: free some");
    assert_fails(ABORTS, WAITPID, DUET_E_SYSTEM, "read the CPU topology: free some");
}

static void test_without_a_process(void **state)
{
    (void)state;
    assert_fails(ANSWERS, FORK, DUET_E_SYSTEM, "cannot start a process");
    assert_fails(ANSWERS, MMAP, DUET_E_NOMEM, "no memory to read the CPU topology");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_its_answer_is_ours),
        cmocka_unit_test(test_its_end_is_an_error),
        cmocka_unit_test(test_without_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
