/* Finding the executable that a name means, and starting it. */
#include "measure/launch.h"

#include "support/alloc_fail.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

static void file_make(const char *name, mode_t mode)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "#!/bin/sh\nexit 6\n", 17), 17);
    assert_int_equal(fchmod(fd, mode), 0);
    (void)close(fd);
}

static int group_setup(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/launch-XXXXXX", TEST_BINARY_DIR);
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    file_make("program", 0755);
    file_make("plain", 0644);
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    static const char *const names[] = {"program", "plain"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

/* What `name` means while PATH is `path`, or the error's text. */
static char *found(const char *path, const char *name, struct duet_error *error)
{
    char *result = NULL;
    assert_int_equal(setenv("PATH", path, 1), 0);
    enum duet_code code = launch_find(name, &result, error);
    assert_true(code == DUET_OK || code == DUET_E_USAGE);
    assert_true((code == DUET_OK) == (result != NULL));
    return result;
}

static void test_path_is_searched(void **state)
{
    (void)state;
    char expected[512];
    char path[1024];
    struct duet_error error;
    (void)snprintf(expected, sizeof expected, "%s/program", folder);
    (void)snprintf(path, sizeof path, "/no/such:%s:/bin", folder);
    char *result = found(path, "program", &error);
    assert_string_equal(result, expected);
    free(result);
    result = found("", expected, &error); /* a slash: PATH does not matter */
    assert_string_equal(result, expected);
    free(result);
}

static void test_empty_part_of_path_is_the_current_folder(void **state)
{
    (void)state;
    struct duet_error error;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    char *result = found("/no/such::/bin", "program", &error);
    assert_int_equal(chdir(before), 0);
    assert_string_equal(result, "./program");
    free(result);
}

static void test_what_cannot_be_executed(void **state)
{
    (void)state;
    char path[512];
    struct duet_error error;
    assert_null(found(folder, "nothing", &error));
    assert_non_null(strstr(error.message, "command not found: 'nothing'"));
    (void)snprintf(path, sizeof path, "%s/nothing", folder);
    assert_null(found(folder, path, &error));
    assert_non_null(strstr(error.message, "command not found"));
    (void)snprintf(path, sizeof path, "%s/program/below", folder);
    assert_null(found(folder, path, &error));
    assert_non_null(strstr(error.message, "command not found"));
    /* There, but: the reason is better than "not found". */
    assert_null(found(folder, "plain", &error));
    assert_non_null(strstr(error.message, "chmod"));
    assert_null(found(folder, folder, &error));
    assert_non_null(strstr(error.message, "directory"));
    assert_null(found(folder, "", &error));
}

static void test_no_memory(void **state)
{
    (void)state;
    char *result = NULL;
    struct duet_error error;
    assert_int_equal(setenv("PATH", folder, 1), 0);
    alloc_fail_at(1);
    assert_int_equal(launch_find("program", &result, &error), DUET_E_NOMEM);
    alloc_fail_at(1);
    assert_int_equal(launch_find("/bin/sh", &result, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_null(result);
}

/* Launches `path` without a peer; its exit status as wait() gives it. */
static int launched(const char *path, struct board_launch *ret_launch)
{
    /* Shared memory: Valgrind gives the child a copy of everything else. */
    struct board *board = board_new();
    assert_non_null(board);
    struct board_launch *launch = &board->slots[0].launch;
    const char *const argv[] = {path, NULL};
    const char *const envp[] = {NULL};
    sigset_t none;
    sigemptyset(&none);
    struct launch_spec spec = {.path = path,
                               .argv = argv,
                               .envp = envp,
                               .stdin_fd = -1,
                               .stdout_fd = -1,
                               .stderr_fd = -1,
                               .page_fd = -1,
                               .bell_fd = -1,
                               .mask = &none,
                               .usage = true};
    struct launch_stack *stack = launch_stack_new();
    struct duet_error error;
    pid_t pid = 0;
    int status = 0;
    assert_non_null(stack);
    assert_int_equal(launch_child(&spec, stack, launch, &pid, &error), DUET_OK);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    launch_stack_free(stack);
    *ret_launch = *launch;
    board_free(board);
    return status;
}

static void test_child(void **state)
{
    (void)state;
    char path[512];
    struct board_launch launch;
    (void)snprintf(path, sizeof path, "%s/program", folder);
    int status = launched(path, &launch);
    assert_int_equal(WEXITSTATUS(status), 6);
    assert_int_equal(launch.exec_errno, 0);
    assert_int_equal(launch.setup_errno, 0);
    assert_int_equal(launch.outcome, SYNC_MET);
    assert_true(launch.start_ns > 0);
}

static void test_child_that_cannot_execute(void **state)
{
    (void)state;
    struct board_launch launch;
    (void)launched("/no/such/program", &launch);
    assert_int_equal(launch.exec_errno, ENOENT);
    (void)launched(folder, &launch);
    assert_int_equal(launch.exec_errno, EACCES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_is_searched),
        cmocka_unit_test(test_empty_part_of_path_is_the_current_folder),
        cmocka_unit_test(test_what_cannot_be_executed),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_child_that_cannot_execute),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
