/* Files of an older version that are to stay as they are: copies of them. */
#include "support/alloc_fail.h"

#include <dirent.h>

#include "store/store_older.h"
#include "store_fixture.h"

static char *tmpdir_before;

/* The temporary folder of a test is its own. */
static int setup(void **state)
{
    const char *before = getenv("TMPDIR");
    int rc = fixture_setup(state);
    tmpdir_before = before == NULL ? NULL : strdup(before);
    rc += mkdir(fixture_in("tmp"), 0700) + setenv("TMPDIR", fixture_path, 1);
    (void)fixture_in("results.db");
    return rc;
}

static int teardown(void **state)
{
    int rc =
        tmpdir_before == NULL ? unsetenv("TMPDIR") : setenv("TMPDIR", tmpdir_before, 1);
    free(tmpdir_before);
    return rc + fixture_teardown(state);
}

static void assert_nothing_left(void)
{
    assert_int_equal(rmdir(fixture_in("tmp")), 0); /* it is empty */
    assert_int_equal(mkdir(fixture_path, 0700), 0);
    (void)fixture_in("results.db");
}

static int64_t make_older(void)
{
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    store_close(store);
    fixture_go_back(fixture_path, "warm-up in the views of iterations and pairs");
    return fixture_number(fixture_path, "PRAGMA user_version");
}

static void assert_no_copy(const char *path)
{
    char none[1];
    char *copy = none;
    assert_ok(store_older_copy(path, &copy, &fixture_error));
    assert_null(copy);
    assert_nothing_left();
}

static void an_older_file_stays(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct stat status;
    char *copy = NULL;
    int64_t version = make_older();
    assert_ok(store_older_copy(fixture_path, &copy, &fixture_error));
    assert_non_null(copy);
    assert_int_equal(stat(copy, &status), 0);
    *strrchr(copy, '/') = '\0';
    assert_int_equal(stat(copy, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    copy[strlen(copy)] = '/';
    assert_ok(store_open(copy, false, &store, &fixture_error));
    store_close(store);
    assert_int_equal(fixture_number(copy, "SELECT count(*) FROM experiment"), 1);
    assert_int_equal(fixture_number(copy, "PRAGMA user_version"), version + 1);
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), version);
    store_older_remove(copy);
    assert_nothing_left();
}

static void no_copy_without_need(void **state)
{
    (void)state;
    assert_no_copy(fixture_in("nothing"));
    fixture_write(fixture_in("text"), "no database");
    assert_no_copy(fixture_path);
    fixture_sql(fixture_in("other.db"), "PRAGMA user_version = 1; CREATE TABLE t(x)");
    assert_no_copy(fixture_path);
    (void)fixture_in("results.db");
    store_close(fixture_open());
    assert_no_copy(fixture_path);
}

/* What it lacks is in the log. */
static void no_copy_of_half_a_store(void **state)
{
    (void)state;
    (void)make_older();
    fixture_write(fixture_in("results.db-wal"), "something");
    assert_no_copy(fixture_in("results.db"));
    fixture_write(fixture_in("results.db-wal"), "");
    char *copy = NULL;
    assert_ok(store_older_copy(fixture_in("results.db"), &copy, &fixture_error));
    assert_non_null(copy);
    store_older_remove(copy);
    store_older_remove(NULL);
}

static void what_may_fail(void **state)
{
    (void)state;
    char *copy = NULL;
    enum duet_code code = DUET_E_NOMEM;
    (void)make_older();
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = store_older_copy(fixture_path, &copy, &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || copy == NULL);
    }
    if (code == DUET_E_IO) { /* fopen() had no memory */
        assert_non_null(strstr(fixture_error.message, "cannot copy '"));
    }
    store_older_remove(copy);
    assert_nothing_left();
    assert_int_equal(setenv("TMPDIR", fixture_in("nowhere"), 1), 0);
    assert_int_equal(store_older_copy(fixture_in("results.db"), &copy, &fixture_error),
                     DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "/nowhere/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_older_file_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(no_copy_without_need, setup, teardown),
        cmocka_unit_test_setup_teardown(no_copy_of_half_a_store, setup, teardown),
        cmocka_unit_test_setup_teardown(what_may_fail, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
