/* What a stored experiment measured, read for those who write it out. */
#include "unit/store/store_fixture.h"

#include "session/comparison/stored_runs.h"
#include "support/alloc_fail.h"

enum { RUNS = 2, ITERATIONS = 40 };

static struct answer answer_of(int64_t experiment, enum model_schedule schedule,
                               uint64_t drop)
{
    return (struct answer){.experiment = {.id = experiment, .schedule = schedule},
                           .drop = drop};
}

/* Two runs of 40 iterations; of the first one, every second of the old side's is a
 * filler, which has no index of its own. */
static int64_t measured(struct store *store)
{
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    struct model_run run = fixture_run(0, ITERATIONS);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        struct model_iteration pair[2] = {fixture_iteration(MODEL_OLD, i),
                                          fixture_iteration(MODEL_OLD, i)};
        struct model_iteration other = fixture_iteration(MODEL_NEW, i);
        pair[1].flags |= MODEL_ITERATION_FILLER;
        assert_ok(
            sink.iterations(sink.context, MODEL_OLD, pair, 1 + i % 2, &fixture_error));
        assert_ok(sink.iterations(sink.context, MODEL_NEW, &other, 1, &fixture_error));
    }
    run.sides[MODEL_OLD].fillers = ITERATIONS / 2;
    assert_ok(sink.run_end(sink.context, &run, &fixture_error));
    assert_ok(fixture_save_run(sink, 1, ITERATIONS));
    return experiment;
}

static int64_t imported(struct store *store)
{
    double olds[] = {1.25, 2.5, 3e18};
    double news[] = {0.5};
    struct model_run_values run = {.values = {olds, news}, .counts = {3, 1}};
    const struct model_values values = {.runs = &run, .run_count = 1};
    int64_t experiment = fixture_begin(store);
    assert_ok(store_runs_import(store, experiment, &values, MODEL_SCHEDULE_SEQUENTIAL,
                                &fixture_error));
    assert_ok(store_experiment_schedule(store, experiment, MODEL_SCHEDULE_SEQUENTIAL,
                                        &fixture_error));
    return experiment;
}

/* All of them, which lie in memory. */
static const struct model_time *times_of(struct spool *times)
{
    const void *items = NULL;
    size_t count = 0;
    assert_ok(spool_read(times, 0, &items, &count, &fixture_error));
    assert_int_equal(count, spool_count(times));
    return items;
}

static void times_leave_out_warm_up_and_fillers(void **state)
{
    (void)state;
    enum { DROP = 3 };
    struct store *store = fixture_open();
    const struct answer answer = answer_of(measured(store), MODEL_SCHEDULE_DUET, DROP);
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct spool times = {.most = 0};
        assert_ok(stored_times_read(store, &answer, (enum model_side)side, &times,
                                    &fixture_error));
        assert_int_equal(times.count, RUNS * (ITERATIONS - DROP));
        const struct model_time *found = times_of(&times);
        for (size_t i = 0; i < times.count; i++) {
            size_t index = DROP + i % (ITERATIONS - DROP);
            assert_true(found[i].ns == (double)(1000 * (index + 1)) + side);
            assert_int_equal(found[i].exit_status, 7);
        }
        spool_release(&times);
    }
    store_close(store);
}

static void turns_on_one_cpu_have_cpu_time(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    const struct answer answer =
        answer_of(measured(store), MODEL_SCHEDULE_TIMESLICE, ITERATIONS - 1);
    struct spool times = {.most = 0};
    assert_ok(stored_times_read(store, &answer, MODEL_OLD, &times, &fixture_error));
    assert_int_equal(times.count, RUNS);
    assert_true(times_of(&times)[0].ns == 900.0 * ITERATIONS);
    spool_release(&times);
    store_close(store);
}

static void runs_are_read_again_and_again(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct stored_runs runs = {.store = store, .experiment = measured(store)};
    for (int pass = 0; pass < 2; pass++) {
        struct model_run run;
        bool more = true;
        assert_ok(stored_runs_restart(&runs, &fixture_error));
        for (uint64_t r = 0; r < RUNS; r++) {
            size_t seen = 0;
            size_t fillers = 0;
            assert_ok(stored_runs_next(&runs, &run, &more, &fixture_error));
            assert_true(more);
            assert_int_equal(run.index, r);
            assert_ok(stored_runs_restart_side(&runs, MODEL_OLD, &fixture_error));
            for (;;) {
                struct model_iteration item;
                assert_ok(stored_runs_iteration(&runs, MODEL_OLD, &item, &more,
                                                &fixture_error));
                if (!more) {
                    break;
                }
                fillers += (item.flags & MODEL_ITERATION_FILLER) != 0;
                seen++;
            }
            assert_int_equal(fillers, r == 0 ? ITERATIONS / 2 : 0);
            assert_int_equal(seen - fillers, ITERATIONS);
        }
        assert_ok(stored_runs_next(&runs, &run, &more, &fixture_error));
        assert_false(more);
    }
    stored_runs_release(&runs);
    store_close(store);
}

static void imported_values_are_iterations_without_usage(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct stored_runs runs = {.store = store, .experiment = imported(store)};
    struct model_run run;
    struct model_iteration item;
    bool more = false;
    assert_ok(stored_runs_restart(&runs, &fixture_error));
    assert_ok(stored_runs_next(&runs, &run, &more, &fixture_error));
    assert_true(more);
    static const uint64_t whole[] = {1, 3, 3000000000000000000};
    assert_ok(stored_runs_restart_side(&runs, MODEL_OLD, &fixture_error));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(
            stored_runs_iteration(&runs, MODEL_OLD, &item, &more, &fixture_error));
        assert_true(more);
        assert_int_equal(item.index, i);
        assert_true(item.end_ns - item.start_ns == whole[i]);
        assert_int_equal(item.flags, MODEL_ITERATION_NO_USAGE);
    }
    assert_ok(stored_runs_iteration(&runs, MODEL_OLD, &item, &more, &fixture_error));
    assert_false(more);
    stored_runs_release(&runs);

    const struct answer answer =
        answer_of(runs.experiment, MODEL_SCHEDULE_SEQUENTIAL, 0);
    struct spool times = {.most = 0};
    assert_ok(stored_times_read(store, &answer, MODEL_OLD, &times, &fixture_error));
    assert_int_equal(times.count, 3);
    assert_true(times_of(&times)[0].ns == 1.25);
    assert_true(times_of(&times)[2].ns == 3e18);
    assert_int_equal(times_of(&times)[0].exit_status, 0);
    spool_release(&times);
    store_close(store);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    const struct answer measurements =
        answer_of(measured(store), MODEL_SCHEDULE_DUET, 0);
    const struct answer values =
        answer_of(imported(store), MODEL_SCHEDULE_SEQUENTIAL, 0);
    const struct answer *const answers[] = {&measurements, &values};
    for (size_t a = 0; a < 2; a++) {
        enum duet_code code = DUET_E_NOMEM;
        unsigned long n = 1;
        for (; code != DUET_OK; n++) {
            struct spool times = {.count = 99};
            alloc_fail_at(n);
            code =
                stored_times_read(store, answers[a], MODEL_OLD, &times, &fixture_error);
            alloc_fail_at(0);
            if (code == DUET_OK) {
                spool_release(&times);
            } else {
                assert_int_equal(code, DUET_E_NOMEM);
                assert_int_equal(times.count, 99);
            }
        }
        assert_true(n > 2); /* the reader, times */
    }
    store_close(store);
}

static void an_experiment_that_is_gone(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    const struct answer answer = answer_of(12, MODEL_SCHEDULE_DUET, 0);
    struct spool times = {.count = 99};
    assert_int_equal(
        stored_times_read(store, &answer, MODEL_OLD, &times, &fixture_error),
        DUET_E_NOT_FOUND);
    assert_int_equal(times.count, 99);
    store_close(store);
}

int main(void)
{
#define WITH_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(times_leave_out_warm_up_and_fillers),
        WITH_FOLDER(turns_on_one_cpu_have_cpu_time),
        WITH_FOLDER(runs_are_read_again_and_again),
        WITH_FOLDER(imported_values_are_iterations_without_usage),
        WITH_FOLDER(every_allocation_may_fail),
        WITH_FOLDER(an_experiment_that_is_gone),
    };
#undef WITH_FOLDER
    return cmocka_run_group_tests(tests, NULL, NULL);
}
