/* Imported runs: written, read back to the last digit, seen by the view. */
#include "store_fixture.h"

static const double old_values[] = {1.25, 1e-3, 3e18};
static const double new_values[] = {0.1, 2.5};

static struct model_run_values run_of(uint64_t index, double *old_side,
                                      double *new_side)
{
    memcpy(old_side, old_values, sizeof old_values);
    memcpy(new_side, new_values, sizeof new_values);
    return (struct model_run_values){.run = index,
                                     .block = index / 2 + 5,
                                     .values = {old_side, new_side},
                                     .counts = {3, 2}};
}

static enum duet_code import_two(struct store *store, int64_t experiment,
                                 struct duet_error *error)
{
    double storage[4][3];
    struct model_run_values runs[2] = {run_of(0, storage[0], storage[1]),
                                       run_of(1, storage[2], storage[3])};
    const struct model_values values = {.runs = runs, .run_count = 2};
    return store_runs_import(store, experiment, &values, MODEL_SCHEDULE_SEQUENTIAL,
                             error);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    assert_ok(import_two(store, experiment, &fixture_error));
    assert_ok(store_experiment_schedule(store, experiment, MODEL_SCHEDULE_SEQUENTIAL,
                                        &fixture_error));
    struct store_run_reader *reader = NULL;
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    for (uint64_t r = 0; r < 2; r++) {
        struct model_run run;
        struct model_run_values values = {0};
        bool more = false;
        assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
        assert_true(more);
        assert_int_equal(run.index, r);
        assert_int_equal(run.block, r / 2 + 5);
        assert_int_equal(run.schedule, MODEL_SCHEDULE_SEQUENTIAL);
        assert_int_equal(run.sides[MODEL_OLD].pid, 0);
        assert_ok(store_runs_values(reader, "time", 0, &values, &fixture_error));
        assert_int_equal(values.counts[MODEL_OLD], 3);
        assert_int_equal(values.counts[MODEL_NEW], 2);
        assert_memory_equal(values.values[MODEL_OLD], old_values, sizeof old_values);
        assert_memory_equal(values.values[MODEL_NEW], new_values, sizeof new_values);
        model_run_values_release(&values);
    }
    store_runs_close(reader);
    store_close(store);
    assert_int_equal(
        fixture_number(
            fixture_path,
            "SELECT count(*) FROM observations WHERE metric = 'time' AND side = 'new'"),
        4);
}

static void test_nothing_stays_of_a_failure(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct duet_error error = {0};
    assert_int_equal(import_two(store, experiment + 1, &error), DUET_E_NOT_FOUND);
    assert_ok(import_two(store, experiment, &fixture_error));
    assert_int_equal(import_two(store, experiment, &error), DUET_E_INTERNAL);
    store_close(store);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM run"), 2);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM observation"),
                     10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_stays_of_a_failure, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
