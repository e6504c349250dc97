/* A new fleet of a study, whose files are in the current folder. */
// link: duet_session -Wl,--wrap=getrandom
#include "session/fleet/fleet_submit.h"

#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static bool no_random_numbers;
static char folder[256];
static char to[512];
static struct fleet fleet;
static struct duet_error error;

ssize_t __real_getrandom(void *bytes, size_t count, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags);

ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags)
{
    if (no_random_numbers) {
        errno = ENOSYS;
        return -1;
    }
    return __real_getrandom(bytes, count, flags);
}

static int setup(void **state)
{
    (void)state;
    no_random_numbers = false;
    (void)snprintf(folder, sizeof folder, "%s/submit-XXXXXX", TEST_BINARY_DIR);
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(to, sizeof to, "%s/f", folder);
    return chdir(folder);
}

static int teardown(void **state)
{
    (void)state;
    return chdir("/") == 0 ? remove_tree(folder) : -1;
}

/* Of a study that ships `ship`, NULL: nothing. */
static enum duet_code create(const char *ship, bool no_data)
{
    struct fleet_request request = {.to = to,
                                    .no_data = no_data,
                                    .plan = {.study = true,
                                             .tasks = 2,
                                             .runs = 1,
                                             .engine = MODEL_FLEET_FILES,
                                             .confidence = FLEET_CONFIDENCE}};
    request.plan.suite = strdup("coverage");
    request.ship = calloc(1, sizeof *request.ship);
    assert_true(request.plan.suite != NULL && request.ship != NULL);
    request.ship[0] = ship;
    request.ship_count = ship != NULL;
    enum duet_code code = fleet_create(&request, -1, &fleet, &error);
    fleet_request_release(&request);
    return code;
}

static bool is_there(const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", to, name);
    return access(path, F_OK) == 0;
}

static void a_study_of_the_root_folder_ships(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0); /* as in a container */
    if (create("etc/passwd", false) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(is_there("files/etc/passwd"));
    assert_string_equal(fleet.plan.folder, FLEET_FILES);
    fleet_close(&fleet);
}

static void only_without_data_it_needs_no_folder(void **state)
{
    (void)state;
    assert_int_equal(create(NULL, true), DUET_OK);
    assert_string_equal(fleet.plan.folder, FLEET_FILES);
    assert_true(fleet.plan.seed != 0);
    fleet_close(&fleet);
    assert_int_equal(remove_tree(to), 0);
    assert_int_equal(create(NULL, false), DUET_OK);
    char *here = realpath(folder, NULL);
    assert_string_equal(fleet.plan.folder, here);
    free(here);
    fleet_close(&fleet);
}

static void nothing_is_left_of_what_cannot_be_made(void **state)
{
    (void)state;
    assert_int_equal(create("none", false), DUET_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "cannot ship 'none'"));
    assert_false(is_there("."));
    assert_int_equal(create("/etc/passwd", false), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "not in the current folder"));
    assert_false(is_there("."));
    no_random_numbers = true;
    assert_int_equal(create(NULL, false), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "no random numbers"));
    assert_false(is_there("."));
    no_random_numbers = false;
    assert_int_equal(rmdir(folder), 0); /* somebody has removed it */
    assert_int_equal(create(NULL, false), DUET_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "cannot open '.'"));
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    FILE *file = fopen("data", "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    bool more = true;
    bool some_failed = false;
    for (unsigned long n = 1; more; n++) {
        alloc_fail_at(n);
        enum duet_code code = create("data", false);
        more = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        if (code == DUET_OK) {
            assert_true(is_there("files/data"));
            fleet_close(&fleet);
            assert_int_equal(remove_tree(to), 0);
        }
        if (code != DUET_OK && code != DUET_E_NOMEM) {
            fail_msg("allocation %lu: %s", n, error.message);
        }
        assert_false(is_there("."));
        some_failed = some_failed || code == DUET_E_NOMEM;
    }
    assert_true(some_failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_study_of_the_root_folder_ships, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(only_without_data_it_needs_no_folder, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(nothing_is_left_of_what_cannot_be_made, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
