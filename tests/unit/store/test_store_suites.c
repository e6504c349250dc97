/* Suites: which experiments belong together, and what of them is done. */
#include "store_fixture.h"

static int64_t begin_suite(struct store *store, const char *path)
{
    int64_t suite = 0;
    assert_ok(store_suite_begin(store, "s", path, UINT64_MAX, 3, "0.1.0", &suite,
                                &fixture_error));
    return suite;
}

static int64_t add(struct store *store, int64_t suite, const char *definition,
                   enum store_state state)
{
    int64_t experiment = fixture_begin(store);
    assert_ok(store_suite_add(store, suite, experiment, definition, &fixture_error));
    assert_ok(
        store_experiment_end(store, experiment, state, NULL, NULL, &fixture_error));
    return experiment;
}

static int64_t done(struct store *store, int64_t suite, const char *name,
                    const char *definition)
{
    int64_t experiment = -1;
    assert_ok(
        store_suite_done(store, suite, name, definition, &experiment, &fixture_error));
    return experiment;
}

static void test_what_is_done(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t suite = begin_suite(store, "/a");
    int64_t other = begin_suite(store, "/a");
    assert_true(other > suite);
    assert_int_equal(done(store, suite, "compress", "x"), 0);
    (void)add(store, suite, "x", STORE_INTERRUPTED);
    (void)add(store, suite, "x", STORE_FAILED);
    assert_int_equal(done(store, suite, "compress", "x"), 0);
    int64_t first = add(store, suite, "x", STORE_DONE);
    assert_int_equal(done(store, suite, "compress", "x"), first);
    int64_t second = add(store, suite, "x", STORE_DONE);
    assert_int_equal(done(store, suite, "compress", "x"), second);
    assert_int_equal(done(store, suite, "compress", "y"), 0);
    assert_int_equal(done(store, suite, "expand", "x"), 0);
    assert_int_equal(done(store, other, "compress", "x"), 0);
    store_close(store);
}

static void test_the_newest_is_found(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_suite suite = {0};
    bool found = true;
    assert_ok(store_suite_find(store, "s", "/a", &suite, &found, &fixture_error));
    assert_false(found);
    (void)begin_suite(store, "/a");
    int64_t newest = begin_suite(store, "/a");
    (void)begin_suite(store, "/b");
    assert_ok(store_suite_find(store, "s", "/a", &suite, &found, &fixture_error));
    assert_true(found);
    assert_int_equal(suite.id, newest);
    assert_true(suite.seed == UINT64_MAX);
    assert_int_equal(suite.state, STORE_RUNNING);
    assert_ok(store_suite_end(store, newest, STORE_INTERRUPTED, &fixture_error));
    fixture_expect_text(
        "SELECT state || (ended_utc_ms > 0) FROM suite_run WHERE id = 2",
        "interrupted1");
    assert_ok(store_suite_end(store, newest, STORE_RUNNING, &fixture_error));
    fixture_expect_text(
        "SELECT state || (ended_utc_ms IS NULL) FROM suite_run WHERE id = 2",
        "running1");
    store_close(store);
}

/* One that was merged has a higher number than newer ones of this store. */
static void test_the_newest_by_its_beginning(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t own = add(store, begin_suite(store, "/a"), "x", STORE_DONE);
    (void)add(store, begin_suite(store, "/b"), "x", STORE_DONE);
    fixture_sql(fixture_path, "UPDATE suite_run SET started_utc_ms = started_utc_ms - "
                              "86400000 WHERE path = '/b'");
    int64_t *list = NULL;
    size_t listed = 0;
    assert_ok(
        store_suite_experiments(store, "s", false, &list, &listed, &fixture_error));
    assert_int_equal(listed, 1);
    assert_int_equal(list[0], own);
    free(list);
    store_close(store);
}

/* Another handle stands for another process. */
static void test_one_process_has_it(void **state)
{
    (void)state;
    struct store *theirs = fixture_open();
    struct store *store = fixture_open();
    int64_t suite = begin_suite(theirs, "/a");
    int64_t other = begin_suite(store, "/a");
    int64_t experiment = -1;
    bool taken = true;
    assert_ok(store_suite_take(store, suite, &taken, &experiment, &fixture_error));
    assert_false(taken);
    assert_int_equal(experiment, 0);
    int64_t measured = fixture_begin(theirs);
    assert_ok(store_suite_add(theirs, suite, measured, "x", &fixture_error));
    assert_ok(store_suite_take(store, suite, &taken, &experiment, &fixture_error));
    assert_false(taken);
    assert_int_equal(experiment, measured);
    assert_ok(store_suite_take(store, other, &taken, &experiment, &fixture_error));
    assert_true(taken);
    assert_int_equal(experiment, 0);
    store_close(theirs);
    assert_ok(store_suite_take(store, suite, &taken, &experiment, &fixture_error));
    assert_true(taken);
    store_close(store);
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t suite = begin_suite(store, "/a");
    assert_int_equal(store_suite_add(store, suite, 7, "x", &fixture_error),
                     DUET_E_NOT_FOUND);
    int64_t *list = NULL;
    size_t listed = 0;
    assert_int_equal(
        store_suite_experiments(store, "none", true, &list, &listed, &fixture_error),
        DUET_E_NOT_FOUND);
    assert_int_equal(store_suite_end(store, 7, STORE_DONE, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
}

/* A store from before suites, with an experiment in it. */
static void test_older_store(void **state)
{
    (void)state;
    size_t count = 0;
    (void)store_schema_steps(&count);
    struct store *store = fixture_open();
    int64_t kept = fixture_begin(store);
    store_close(store);
    fixture_go_back(fixture_path, "suites");
    store = fixture_open();
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), count);
    assert_int_equal(
        fixture_number(fixture_path,
                       "SELECT count(*) FROM experiment WHERE suite_run_id IS NULL"),
        1);
    int64_t suite = begin_suite(store, "/a");
    assert_ok(store_suite_add(store, suite, kept, "x", &fixture_error));
    fixture_sql(fixture_path,
                "PRAGMA foreign_keys = ON;DELETE FROM suite_run WHERE id = 1");
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM experiment"),
                     1);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_done, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_the_newest_is_found, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_the_newest_by_its_beginning, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_one_process_has_it, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_not_there, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_older_store, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
