// link: -Wl,--wrap=getuid,--wrap=geteuid,--wrap=getgid,--wrap=getegid
// link: -Wl,--wrap=getrlimit
/* What a process may have been started with: signals, rights, limits; and how a library
 * may end it. */
#include "cli/inherited.h"

#include "cli/cli.h"
#include "support/standard_error.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { KIB = 1024 };

static struct {
    uid_t user, effective_user;
    gid_t group, effective_group;
    struct rlimit stack;
    int errnum; /* of the question for the stack */
} given;

uid_t __wrap_getuid(void);
uid_t __wrap_geteuid(void);
gid_t __wrap_getgid(void);
gid_t __wrap_getegid(void);
int __wrap_getrlimit(int resource, struct rlimit *ret_limit);

uid_t __wrap_getuid(void)
{
    return given.user;
}

uid_t __wrap_geteuid(void)
{
    return given.effective_user;
}

gid_t __wrap_getgid(void)
{
    return given.group;
}

gid_t __wrap_getegid(void)
{
    return given.effective_group;
}

int __wrap_getrlimit(int resource, struct rlimit *ret_limit)
{
    assert_int_equal(resource, RLIMIT_STACK);
    if (given.errnum != 0) {
        errno = given.errnum;
        return -1;
    }
    *ret_limit = given.stack;
    return 0;
}

static void start(rlim_t stack_bytes)
{
    memset(&given, 0, sizeof given);
    given.user = given.effective_user = 1000;
    given.group = given.effective_group = 100;
    given.stack = (struct rlimit){.rlim_cur = stack_bytes, .rlim_max = RLIM_INFINITY};
}

/* words: in what is said; NULL: it is fit, and nothing is said. */
static void expect(const char *words)
{
    standard_error_begin();
    bool fit = inherited_is_fit();
    const char *said = standard_error_end();
    assert_int_equal(fit, words == NULL);
    if (words == NULL) {
        assert_string_equal(said, "");
    } else {
        assert_int_equal(strncmp(said, "duet: ", strlen("duet: ")), 0);
        assert_non_null(strstr(said, words));
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}

static void rights(void **state)
{
    (void)state;
    start(RLIM_INFINITY);
    expect(NULL);
    given.effective_user = 0;
    expect("chmod ug-s");
    start(RLIM_INFINITY);
    given.effective_group = 0;
    expect("chmod ug-s");
    start(1); /* what is worse is said alone */
    given.effective_group = 0;
    expect("chmod ug-s");
}

static void stack(void **state)
{
    (void)state;
    start(256 * KIB);
    expect(NULL);
    given.stack.rlim_cur--;
    expect("below the 256 KiB that duet needs: raise it with ulimit -s 8192");
    given.errnum = EPERM; /* nobody knows */
    expect(NULL);
}

/* The status of a process that a library ends with 1 when its own is `status`. */
static int ended_by_a_library(int status)
{
    int ended = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        static int own;
        own = status;
        inherited_settle(&own);
        exit(CLI_EXIT_FAILED);
    }
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

static void ends(void **state)
{
    (void)state;
    assert_int_equal(ended_by_a_library(-1), CLI_EXIT_UNSUITABLE);
    assert_int_equal(ended_by_a_library(CLI_EXIT_FAILED), CLI_EXIT_FAILED);
}

/* As under a parent that ignores it. */
static void children_can_be_waited_for(void **state)
{
    (void)state;
    static const int own = CLI_EXIT_OK;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction now;
    assert_int_equal(sigaction(SIGCHLD, &ignore, NULL), 0);
    inherited_settle(&own);
    assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends), cmocka_unit_test(children_can_be_waited_for),
        cmocka_unit_test(rights), cmocka_unit_test(stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
