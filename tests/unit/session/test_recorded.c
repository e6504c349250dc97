/* Sides that were not measured just now: taken from the store, kept, answered, and read
 * as a pilot. */
#include "unit/store/store_fixture.h"

#include "session/comparison/pilot_read.h"
#include "session/comparison/recorded.h"
#include "store/store_resume.h"
#include "support/alloc_fail.h"

enum { RUNS = 4, ITERATIONS = 4, WARMUP = 1 };

static char first[] = "1";
static char second[] = "2";
static char missing[] = "77";

static int64_t measure(struct store *store, uint64_t runs)
{
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    for (uint64_t r = 0; r < runs; r++) {
        assert_ok(fixture_save_run(sink, r, ITERATIONS));
    }
    return experiment;
}

static struct recorded take(struct store *store, char *const *which, size_t count)
{
    struct recorded recorded = {0};
    assert_ok(
        recorded_from_store(store, which, count, MODEL_NEW, &recorded, &fixture_error));
    return recorded;
}

static void assert_same_values(const struct model_values *a,
                               const struct model_values *b)
{
    assert_int_equal(a->run_count, b->run_count);
    for (size_t r = 0; r < a->run_count; r++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            size_t count = a->runs[r].counts[side];
            assert_int_equal(count, b->runs[r].counts[side]);
            assert_memory_equal(a->runs[r].values[side], b->runs[r].values[side],
                                count * sizeof(double));
        }
    }
}

/* The warm-up of the plan is not among the values. */
static void an_experiments_own_sides(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    char *const which[] = {first};
    (void)measure(store, RUNS);
    struct recorded recorded = take(store, which, 1);
    assert_int_equal(recorded.values.run_count, RUNS);
    assert_true(recorded.values.paired);
    assert_string_equal(recorded.side_names[MODEL_NEW], "fast");
    assert_int_equal(recorded.cleaning.warmup, MODEL_WARMUP_HALF);
    for (size_t r = 0; r < RUNS; r++) {
        const struct model_run_values *run = &recorded.values.runs[r];
        for (int side = 0; side < MODEL_SIDES; side++) {
            assert_int_equal(run->counts[side], ITERATIONS - WARMUP);
            assert_true(run->values[side][0] == 1000.0 * (WARMUP + 1) + side);
        }
    }
    recorded_release(&recorded);
    store_close(store);
}

static void two_experiments_give_a_side_each(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    char *const which[] = {first, second};
    (void)measure(store, RUNS);
    (void)measure(store, RUNS + 2);
    struct recorded recorded = take(store, which, 2);
    assert_false(recorded.values.paired);
    assert_int_equal(recorded.schedule, MODEL_SCHEDULE_SEQUENTIAL);
    assert_int_equal(recorded.origin_count, 2);
    size_t values[MODEL_SIDES] = {0, 0};
    for (size_t r = 0; r < recorded.values.run_count; r++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            size_t count = recorded.values.runs[r].counts[side];
            values[side] += count;
            for (size_t i = 0; i < count; i++) { /* the new sides of both */
                double ns = recorded.values.runs[r].values[side][i];
                assert_true(fmod(ns, 1000.0) == 1.0);
            }
        }
    }
    assert_int_equal(values[MODEL_OLD], RUNS * (ITERATIONS - WARMUP));
    assert_int_equal(values[MODEL_NEW], (RUNS + 2) * (ITERATIONS - WARMUP));
    recorded_release(&recorded);
    store_close(store);
}

static void what_is_kept_is_read_again(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *other = NULL;
    char *const which[] = {first};
    int64_t id = 0;
    (void)measure(store, RUNS);
    struct recorded recorded = take(store, which, 1);
    assert_ok(store_open_scratch(&other, &fixture_error));
    assert_ok(recorded_save(&recorded, other, &id, &fixture_error));
    assert_int_equal(id, 1);
    struct recorded again = take(other, which, 1);
    assert_same_values(&recorded.values, &again.values);
    recorded_release(&again);
    recorded_release(&recorded);
    store_close(other);
    store_close(store);
}

static void nothing_there_is_an_error(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    char *const gone[] = {missing};
    char *const empty[] = {first};
    struct recorded recorded = {.seed = 5};
    (void)fixture_begin(store); /* without a run */
    assert_int_equal(
        recorded_from_store(store, gone, 1, MODEL_NEW, &recorded, &fixture_error),
        DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, missing));
    assert_int_equal(
        recorded_from_store(store, empty, 1, MODEL_NEW, &recorded, &fixture_error),
        DUET_E_TOO_FEW);
    assert_int_equal(recorded.seed, 5);
    store_close(store);
}

static void a_pilot_has_all_pairs(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_experiment experiment;
    struct model_pilot pilot = {0};
    assert_ok(store_experiment_load(store, measure(store, RUNS), &experiment,
                                    &fixture_error));
    assert_ok(pilot_read(store, &experiment, &pilot, &fixture_error));
    assert_int_equal(pilot.values.run_count, RUNS);
    assert_int_equal(pilot.iterations, RUNS * (ITERATIONS - WARMUP));
    assert_true(pilot.wall_ns > 0);
    model_pilot_release(&pilot);
    store_experiment_release(&experiment);
    store_close(store);
}

static double pilot_wall_ns(struct store *store, int64_t id)
{
    struct store_experiment experiment;
    struct model_pilot pilot = {0};
    assert_ok(store_experiment_load(store, id, &experiment, &fixture_error));
    assert_ok(pilot_read(store, &experiment, &pilot, &fixture_error));
    double wall_ns = pilot.wall_ns;
    model_pilot_release(&pilot);
    store_experiment_release(&experiment);
    return wall_ns;
}

/* Also where the clock has begun anew behind it. */
static void a_pause_is_no_part_of_a_pilot(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = measure(store, RUNS);
    assert_ok(store_experiment_resume(store, id, NULL, &fixture_error));
    assert_ok(fixture_save_run(store_sink(store, id), RUNS, ITERATIONS));
    double wall_ns = pilot_wall_ns(store, id);
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 1000000000000, "
                              "ended_ns = ended_ns + 1000000000000 WHERE idx = 4");
    assert_true(fabs(pilot_wall_ns(store, id) - wall_ns) < 1.0);
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 2000000000000, "
                              "ended_ns = ended_ns + 2000000000000 WHERE idx < 4");
    assert_true(fabs(pilot_wall_ns(store, id) - wall_ns) < 1.0);
    store_close(store);
}

/* Calls `step` with the n-th allocation failing, for all n until it succeeds. */
static void fail_each(struct store *store,
                      enum duet_code (*step)(struct store *store,
                                             struct duet_error *reterr))
{
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 1;
    for (; code != DUET_OK; n++) {
        alloc_fail_at(n);
        code = step(store, &fixture_error);
        alloc_fail_at(0);
        if (code != DUET_OK && code != DUET_E_NOMEM) {
            fail_msg("allocation %lu: %s", n, fixture_error.message);
        }
    }
    assert_true(n > 5);
}

static enum duet_code read_and_answer(struct store *store, struct duet_error *reterr)
{
    const struct model_analysis analysis = {.interval = MODEL_INTERVAL_T,
                                            .confidence = 0.95,
                                            .replicates = 100,
                                            .same_within = (double)NAN,
                                            .gate.max_slowdown = (double)NAN,
                                            .precision = (double)NAN};
    char *const which[] = {first, second};
    struct recorded recorded = {0};
    struct model_comparison comparison;
    enum duet_code code =
        recorded_from_store(store, which, 2, MODEL_OLD, &recorded, reterr);
    if (code == DUET_OK) {
        code = recorded_answer(&recorded, &analysis, &comparison, reterr);
        assert_true(code != DUET_OK || comparison.ratio == 1.0);
    }
    recorded_release(&recorded);
    return code;
}

static enum duet_code read_pilot(struct store *store, struct duet_error *reterr)
{
    struct store_experiment experiment;
    struct model_pilot pilot = {0};
    enum duet_code code = store_experiment_load(store, 1, &experiment, reterr);
    if (code == DUET_OK) {
        code = pilot_read(store, &experiment, &pilot, reterr);
        store_experiment_release(&experiment);
    }
    model_pilot_release(&pilot);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    (void)measure(store, RUNS);
    (void)measure(store, RUNS);
    fail_each(store, read_and_answer);
    fail_each(store, read_pilot);
    store_close(store);
}

int main(void)
{
#define WITH_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(an_experiments_own_sides),
        WITH_FOLDER(two_experiments_give_a_side_each),
        WITH_FOLDER(what_is_kept_is_read_again),
        WITH_FOLDER(nothing_there_is_an_error),
        WITH_FOLDER(a_pilot_has_all_pairs),
        WITH_FOLDER(a_pause_is_no_part_of_a_pilot),
        WITH_FOLDER(every_allocation_may_fail),
    };
#undef WITH_FOLDER
    return cmocka_run_group_tests(tests, NULL, NULL);
}
