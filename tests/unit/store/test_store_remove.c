/* Experiments that are removed: all or none, nobody's work in progress, nothing left.
 */
#include "store/store_remove.h"

#include "support/alloc_fail.h"

#include "store_fixture.h"

/* An experiment with two runs of 20 iterations; ended unless it stays locked. */
static int64_t measured(struct store *store, bool ends)
{
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    assert_ok(fixture_save_run(sink, 0, 20));
    assert_ok(fixture_save_run(sink, 1, 20));
    if (ends) {
        assert_ok(store_experiment_end(store, experiment, STORE_DONE, &fixture_load,
                                       NULL, &fixture_error));
    }
    return experiment;
}

static void expect_experiments(const char *ids)
{
    fixture_expect_text(
        "SELECT ifnull(group_concat(id), '') FROM (SELECT id FROM experiment ORDER BY id)",
        ids);
    assert_int_equal(
        fixture_number(
            fixture_path,
            "SELECT (SELECT count(*) FROM pragma_foreign_key_check) + (SELECT "
            "integrity_check <> 'ok' FROM pragma_integrity_check)"),
        0);
}

static void test_all_or_none(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t ids[] = {measured(store, true), measured(store, true), 99};
    (void)measured(store, true);
    assert_int_equal(store_remove(store, ids, 3, &fixture_error), DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, "99"));
    expect_experiments("1,2,3");
    assert_ok(store_remove(store, ids, 2, &fixture_error));
    expect_experiments("3");
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM iteration"),
                     80);
    assert_int_equal(measured(store, true), 4);
    store_close(store);
}

/* Another handle stands for another process: its locks are those of an open file. */
static void test_what_is_measured_is_refused(void **state)
{
    (void)state;
    int64_t suite = 0;
    struct store *theirs = fixture_open();
    struct store *store = fixture_open();
    assert_ok(
        store_suite_begin(theirs, "s", "/s", 1, 2, "0.1.0", &suite, &fixture_error));
    int64_t before = measured(theirs, true);
    int64_t now = measured(theirs, false);
    int64_t other = measured(theirs, true);
    assert_ok(store_suite_add(theirs, suite, before, "a", &fixture_error));
    assert_ok(store_suite_add(theirs, suite, now, "b", &fixture_error));
    const int64_t both[] = {other, now};
    assert_int_equal(store_remove(store, both, 2, &fixture_error), DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "experiment 2 is being measured"));
    assert_int_equal(store_remove(store, &before, 1, &fixture_error), DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "belongs to a suite"));
    expect_experiments("1,2,3");

    int64_t *old = NULL;
    size_t count = 0;
    assert_ok(store_remove_find(store, INT64_MAX, 0, &old, &count, &fixture_error));
    assert_int_equal(count, 1);
    assert_int_equal(old[0], other);
    free(old);
    bool busy = false;
    assert_ok(store_shrink(store, &busy, &fixture_error));
    assert_true(busy);

    /* Between two benchmarks, too. */
    assert_ok(store_experiment_end(theirs, now, STORE_DONE, &fixture_load, NULL,
                                   &fixture_error));
    assert_int_equal(store_remove(store, &before, 1, &fixture_error), DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "belongs to a suite"));
    store_close(theirs);
    assert_ok(store_remove(store, both, 2, &fixture_error));
    expect_experiments("1");
    /* The suite is under way as long as nobody has ended it. */
    assert_ok(store_remove(store, &before, 1, &fixture_error));
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM suite_run"), 1);
    store_close(store);
}

/* A comparison against a removed baseline goes with it; what was judged together is
 * judged anew. */
static void test_what_depends_on_it(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t ids[] = {measured(store, true), measured(store, true),
                     measured(store, true)};
    const struct store_family family = {.multiplicity = MODEL_MULTIPLICITY_HOLM,
                                        .confidence = 0.99,
                                        .members = ids,
                                        .count = 2};
    int64_t id = 0;
    assert_ok(store_family_save(store, &family, &id, &fixture_error));
    fixture_sql(
        fixture_path,
        "INSERT INTO comparison(experiment_id, baseline_id, created_utc_ms, metric, schedule, mode, "
        "interval_method, verdict, runs, iterations, winsorized, estimator) VALUES (1, NULL, 0, 'time', '', "
        "'', '', 'same', 1, 1, 0, ''), (2, NULL, 0, 'time', '', '', '', 'same', 1, 1, 0, ''), (3, NULL, 0, "
        "'time', '', '', '', 'same', 1, 1, 0, ''), (3, 1, 0, 'time', '', '', '', 'same', 1, 1, 0, '');");
    assert_ok(store_remove(store, ids, 1, &fixture_error));
    expect_experiments("2,3");
    fixture_expect_text("SELECT group_concat(experiment_id) FROM comparison", "3");
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM family"), 1);
    assert_ok(store_remove(store, ids + 1, 2, &fixture_error));
    expect_experiments("");
    assert_int_equal(
        fixture_number(fixture_path,
                       "SELECT (SELECT count(*) FROM family) + (SELECT count(*) FROM "
                       "instance) + (SELECT count(*) FROM comparison)"),
        0);
    store_close(store);
}

/* The ids that store_remove_find() finds, each followed by a blank. */
static void expect_old(struct store *store, int64_t before, uint64_t keep,
                       const char *expected)
{
    char found[64] = "";
    int64_t *list = NULL;
    size_t count = 0;
    assert_ok(store_remove_find(store, before, keep, &list, &count, &fixture_error));
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%lld ", (long long)list[i]);
    }
    free(list);
    assert_string_equal(found, expected);
}

static void test_what_is_old(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    for (int i = 0; i < 5; i++) {
        (void)measured(store, true);
    }
    fixture_sql(
        fixture_path,
        "UPDATE experiment SET started_utc_ms = 0, ended_utc_ms = 1000 * id;"
        /* Killed: ended when its last run began. */
        "UPDATE experiment SET state = 'running', ended_utc_ms = 1 WHERE id = 1;"
        "UPDATE run SET started_utc_ms = 2500 WHERE experiment_id = 1;");
    expect_old(store, 2000, 0, "");
    expect_old(store, 2001, 0, "2 ");
    expect_old(store, 2501, 0, "1 2 ");
    expect_old(store, 100000, 0, "1 2 3 4 5 ");
    expect_old(store, 100000, 2, "1 2 3 ");
    expect_old(store, 100000, UINT64_MAX, "");
    /* Judged together: none of them before all are old. */
    int64_t members[] = {2, 5};
    const struct store_family family = {.multiplicity = MODEL_MULTIPLICITY_HOLM,
                                        .confidence = 0.99,
                                        .members = members,
                                        .count = 2};
    int64_t id = 0;
    assert_ok(store_family_save(store, &family, &id, &fixture_error));
    expect_old(store, 4500, 0, "1 3 4 ");
    expect_old(store, 5001, 0, "1 2 3 4 5 ");
    expect_old(store, 5001, 1, "1 3 4 ");
    /* What was merged has higher numbers, and is no newer for that. */
    fixture_sql(fixture_path, "UPDATE experiment SET started_utc_ms = 1 WHERE id = 1");
    expect_old(store, 5001, 1, "2 3 4 5 ");
    store_close(store);
}

static void test_the_file_gets_smaller(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t large = fixture_begin(store);
    assert_ok(fixture_save_run(store_sink(store, large), 0, 5000));
    assert_ok(store_experiment_end(store, large, STORE_DONE, &fixture_load, NULL,
                                   &fixture_error));
    (void)measured(store, true);
    uint64_t before = 0;
    uint64_t after = 0;
    bool busy = true;
    assert_ok(store_remove(store, &large, 1, &fixture_error));
    assert_ok(store_bytes(store, &before, &fixture_error));
    assert_ok(store_shrink(store, &busy, &fixture_error));
    assert_false(busy);
    assert_ok(store_bytes(store, &after, &fixture_error));
    assert_true(after < before / 2);
    struct stat status;
    assert_int_equal(stat(fixture_path, &status), 0);
    assert_int_equal(status.st_size, after);
    expect_experiments("2");
    assert_int_equal(measured(store, true), 3); /* and it can still be written */
    store_close(store);
}

static void test_allocations(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = measured(store, true);
    unsigned long n = 0;
    enum duet_code code = DUET_E_NOMEM;
    while (code != DUET_OK) {
        int64_t *old = NULL;
        size_t count = 0;
        alloc_fail_at(++n);
        code = store_remove_find(store, INT64_MAX, 0, &old, &count, &fixture_error);
        if (code == DUET_OK) {
            code = store_remove(store, old, count, &fixture_error);
        }
        bool failed = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        free(old);
        assert_int_equal(code, failed ? DUET_E_NOMEM : DUET_OK);
        assert_int_equal(
            fixture_number(fixture_path, "SELECT count(*) FROM experiment"),
            failed ? 1 : 0);
    }
    assert_true(n > 1);
    assert_int_equal(store_remove(store, &id, 1, &fixture_error), DUET_E_NOT_FOUND);
    store_close(store);
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_all_or_none),           CASE(test_what_is_measured_is_refused),
        CASE(test_what_depends_on_it),    CASE(test_what_is_old),
        CASE(test_the_file_gets_smaller), CASE(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
