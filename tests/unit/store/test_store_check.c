/* What store_check() finds. */
#include "store/store_check.h"

#include "store_fixture.h"

static char said[4096];

static void note(void *context, const char *line)
{
    (void)context;
    size_t used = strlen(said);
    (void)snprintf(said + used, sizeof said - used, "%s\n", line);
}

static struct store_checked check(void)
{
    struct store *store = fixture_open();
    struct store_checked checked = {0};
    said[0] = '\0';
    assert_ok(store_check(store, note, NULL, &checked, &fixture_error));
    store_close(store);
    return checked;
}

static void measure(void)
{
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    assert_ok(fixture_save_run(sink, 0, 5));
    assert_ok(fixture_save_run(sink, 1, 5));
    assert_ok(store_experiment_end(store, experiment, STORE_DONE, &fixture_load, NULL,
                                   &fixture_error));
    store_close(store);
}

static void test_whole(void **state)
{
    (void)state;
    measure();
    struct store_checked checked = check();
    assert_int_equal(checked.experiments, 1);
    assert_int_equal(checked.runs, 2);
    assert_int_equal(checked.faults, 0);
    assert_string_equal(said, "");
}

static void test_each_fault(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        const char *line;
    } faults[] = {
        {"DELETE FROM run WHERE idx = 1", "rows of iteration refer to rows of run"},
        {"DELETE FROM side WHERE side = 1", "experiment 1: it has 1 sides, not 2"},
        {"DELETE FROM environment_load; DELETE FROM environment",
         "its machine is not recorded"},
        {"UPDATE experiment SET plan = '{'", "its plan is not JSON"},
        {"DELETE FROM run_side WHERE side = 1", "2 runs have only one side or none"},
        {"DELETE FROM iteration WHERE idx = 4",
         "2 runs do not have as many iterations as they say, the first is run 1"},
        {"UPDATE iteration SET end_ns = 1", "20 iterations end before they begin"},
        {"INSERT INTO dataset VALUES (1, 0, 1, 1, 2, 2, 2, 0, 0)",
         "its data set has 0 trials, not 2"},
        {"INSERT INTO dataset VALUES (1, 0, 1, 1, 1, 1, 1, 0, 0);INSERT INTO "
         "trial(experiment_id, benchmark, environment, instance, trial, iterations, "
         "new_values) VALUES (1, 'b', '-', 'i', 't', 1, zeroblob(7))",
         "1 trials are cut short"},
        {"UPDATE experiment SET schedule = 'waltz'", "'waltz'"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        measure();
        fixture_sql(fixture_path, faults[i].sql);
        assert_true(check().faults > 0);
        if (strstr(said, faults[i].line) == NULL) {
            fail_msg("%s: %s", faults[i].sql, said);
        }
        assert_int_equal(remove(fixture_path), 0);
    }
}

/* A page in the middle that holds something else. */
static void test_damaged_page(void **state)
{
    (void)state;
    measure();
    FILE *file = fopen(fixture_path, "r+");
    assert_non_null(file);
    enum { PAGE = 8192 };
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long pages = ftell(file) / PAGE;
    for (long page = 2; page < pages; page++) {
        assert_int_equal(fseek(file, page * PAGE, SEEK_SET), 0);
        assert_true(fputs("duet", file) >= 0);
    }
    assert_int_equal(fclose(file), 0);
    struct store *store = NULL;
    struct store_checked checked = {0};
    enum duet_code code = store_open(fixture_path, false, &store, &fixture_error);
    said[0] = '\0';
    if (code == DUET_OK) {
        code = store_check(store, note, NULL, &checked, &fixture_error);
    }
    assert_true(code == DUET_E_FORMAT || (code == DUET_OK && checked.faults > 0));
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_each_fault, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_damaged_page, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
