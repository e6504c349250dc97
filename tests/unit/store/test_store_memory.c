// labels: soakvalgrind
/* Every allocation fails once: the project's own, and SQLite's. */
#include "support/alloc_fail.h"

#include "store_fixture.h"

/* ---- SQLite's allocations ---- */

static sqlite3_mem_methods real_methods;
static unsigned long sqlite_fail_at;
static unsigned long sqlite_seen;

static bool sqlite_must_fail(void)
{
    sqlite_seen++;
    return sqlite_seen == sqlite_fail_at;
}

static void *failing_malloc(int bytes)
{
    return sqlite_must_fail() ? NULL : real_methods.xMalloc(bytes);
}

static void *failing_realloc(void *block, int bytes)
{
    return sqlite_must_fail() ? NULL : real_methods.xRealloc(block, bytes);
}

static int install_failing_methods(void **state)
{
    (void)state;
    sqlite3_mem_methods methods;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_methods) != SQLITE_OK) {
        return -1;
    }
    methods = real_methods;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK ? 0 : -1;
}

/* ---- The whole life of a store ---- */

static enum duet_code begin(struct store *store, int64_t *ret_experiment)
{
    struct model_plan plan = fixture_plan();
    struct model_host host = fixture_host();
    return store_experiment_begin(store, &plan, &host, &fixture_load, "0.1.0",
                                  ret_experiment, &fixture_error);
}

static enum duet_code read_back(struct store *store, int64_t experiment)
{
    struct store_run_reader *reader = NULL;
    struct model_run run;
    struct model_run_values values = {0};
    bool more = false;
    enum duet_code code = store_runs_open(store, experiment, &reader, &fixture_error);
    if (code == DUET_OK) {
        code = store_runs_next(reader, &run, &more, &fixture_error);
    }
    if (code == DUET_OK) {
        code = store_runs_values(reader, "time", 0, &values, &fixture_error);
    }
    if (code == DUET_OK) {
        assert_int_equal(values.counts[MODEL_OLD], 60);
        model_run_values_release(&values);
    }
    store_runs_close(reader);
    return code;
}

static enum duet_code answer(struct store *store, int64_t experiment)
{
    static struct model_comparison comparison;
    struct store_experiment *list = NULL;
    size_t count = 0;
    (void)snprintf(comparison.metric, sizeof comparison.metric, "time");
    comparison.warning_count = 1;
    enum duet_code code =
        store_comparison_save(store, experiment, &comparison, "1", &fixture_error);
    struct store_family family = {
        .confidence = 0.9, .members = &experiment, .count = 1};
    int64_t id = 0;
    if (code == DUET_OK) {
        code = store_family_save(store, &family, &id, &fixture_error);
    }
    if (code == DUET_OK) {
        code = store_family_load(store, id, &family, &fixture_error);
    }
    if (code == DUET_OK) {
        store_family_release(&family);
        code =
            store_analysis_save(store, experiment, &fixture_analysis, &fixture_error);
    }
    if (code == DUET_OK) {
        code = store_experiment_end(store, experiment, STORE_DONE, &fixture_load, "end",
                                    &fixture_error);
    }
    if (code == DUET_OK) {
        code = store_experiment_list(store, &list, &count, &fixture_error);
    }
    for (size_t i = 0; i < count; i++) {
        store_experiment_release(&list[i]);
    }
    free(list);
    return code;
}

static enum duet_code live(void)
{
    struct store *store = NULL;
    int64_t experiment = 0;
    enum duet_code code = store_open(fixture_path, true, &store, &fixture_error);
    if (code == DUET_OK) {
        code = begin(store, &experiment);
    }
    if (code == DUET_OK) {
        code = fixture_save_run(store_sink(store, experiment), 0, 60);
    }
    if (code == DUET_OK) {
        code = read_back(store, experiment);
    }
    if (code == DUET_OK) {
        code = answer(store, experiment);
    }
    store_close(store);
    return code;
}

static void fresh(void)
{
    static const char *const names[] = {"results.db", "results.db-wal",
                                        "results.db-shm"};
    for (size_t i = 0; i < 3; i++) {
        (void)unlink(fixture_in(names[i]));
    }
    (void)fixture_in("results.db");
}

static void check_outcome(unsigned long n, enum duet_code code)
{
    if (code != DUET_OK && code != DUET_E_NOMEM && code != DUET_E_IO) {
        fail_msg("allocation %lu: %d: %s", n, code, fixture_error.message);
    }
}

static void test_own_allocations(void **state)
{
    (void)state;
    assert_ok(live());
    unsigned long seen = 0;
    unsigned long n = 0;
    do {
        n++;
        fresh();
        alloc_fail_at(n);
        enum duet_code code = live();
        seen = alloc_fail_seen();
        alloc_fail_at(0);
        check_outcome(n, code);
        assert_int_equal(code, n <= seen ? DUET_E_NOMEM : DUET_OK);
    } while (n <= seen);
    assert_true(n > 20);
}

/* SQLite survives some of them (a smaller cache), and a file operation may report the
 * lack of memory as a failure to read or write. */
static void test_sqlite_allocations(void **state)
{
    (void)state;
    unsigned long failures = 0;
    /* Of several thousand, ever further apart. */
    for (unsigned long n = 1;; n += 1 + n / 20) {
        fresh();
        sqlite_seen = 0;
        sqlite_fail_at = n;
        enum duet_code code = live();
        unsigned long seen = sqlite_seen;
        sqlite_fail_at = 0;
        check_outcome(n, code);
        failures += code != DUET_OK;
        if (seen < n) {
            assert_int_equal(code, DUET_OK);
            break;
        }
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_own_allocations, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_sqlite_allocations, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, install_failing_methods, NULL);
}
