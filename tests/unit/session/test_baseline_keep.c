/* Baselines by what the user types: kept, refused, dropped. */
#include "unit/store/store_fixture.h"

#include "session/history/baseline_keep.h"
#include "store/store_baseline.h"
#include "support/alloc_fail.h"

static char first[] = "1";
static char second[] = "2";
static char missing[] = "77";

/* Experiment 1 has runs, experiment 2 has none. */
static struct store *store_of_two(void)
{
    struct store *store = fixture_open();
    struct model_sink sink = store_sink(store, fixture_begin(store));
    assert_ok(fixture_save_run(sink, 0, 2));
    (void)fixture_begin(store);
    return store;
}

static int64_t kept(void)
{
    return fixture_number(fixture_path, "SELECT count(*) FROM baseline");
}

static void it_is_kept_and_dropped(void **state)
{
    (void)state;
    struct store *store = store_of_two();
    char *const which[] = {first};
    assert_ok(baseline_keep(store, "main", which, 1, &fixture_error));
    assert_int_equal(kept(), 1);
    assert_ok(baseline_drop(store, "main", &fixture_error));
    assert_int_equal(kept(), 0);
    store_close(store);
}

/* One that is wrong, and none is kept. */
static void what_is_no_measurement_is_refused(void **state)
{
    (void)state;
    struct store *store = store_of_two();
    char *const without_runs[] = {first, second};
    char *const unknown[] = {first, missing};
    assert_int_equal(baseline_keep(store, "main", without_runs, 2, &fixture_error),
                     DUET_E_USAGE);
    assert_string_equal(fixture_error.message,
                        "experiment 2 (compress) has no runs to compare with");
    assert_int_equal(baseline_keep(store, "main", unknown, 2, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(kept(), 0);
    assert_int_equal(baseline_drop(store, "main", &fixture_error), DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, "has no baseline 'main'"));
    store_close(store);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct store *store = store_of_two();
    char *const which[] = {first};
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = baseline_keep(store, "main", which, 1, &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || kept() == 0);
    }
    assert_ok(code);
    assert_int_equal(kept(), 1);
    store_close(store);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_kept_and_dropped),
        TEST(what_is_no_measurement_is_refused),
        TEST(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
