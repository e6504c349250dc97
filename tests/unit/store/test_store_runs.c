/* Runs: what goes into the sink comes out of the reader. */
#include "store_fixture.h"

struct expected {
    int side;
    uint64_t seen;
};

static enum duet_code check_iteration(void *context, const struct model_iteration *it,
                                      struct duet_error *reterr)
{
    (void)reterr;
    struct expected *expected = context;
    struct model_iteration want = fixture_iteration(expected->side, expected->seen);
    /* Up to the last member: behind it is padding. */
    assert_memory_equal(it, &want,
                        offsetof(struct model_iteration, exit_status) +
                            sizeof want.exit_status);
    expected->seen++;
    return DUET_OK;
}

static void check_run(struct store_run_reader *reader, uint64_t index,
                      uint64_t iterations)
{
    struct model_run run;
    memset(&run, 0, sizeof run);
    bool more = false;
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_true(more);
    struct model_run want = fixture_run(index, iterations);
    assert_int_equal(run.index, want.index);
    assert_int_equal(run.block, want.block);
    assert_int_equal(run.schedule, want.schedule);
    assert_int_equal(run.mode, want.mode);
    assert_int_equal(run.started_utc_ms, want.started_utc_ms);
    assert_int_equal(run.started_ns, want.started_ns);
    assert_int_equal(run.ended_ns, want.ended_ns);
    assert_int_equal(run.runner_wakeups, want.runner_wakeups);
    assert_true(isnan(run.slice_ns));
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct model_run_side *got = &run.sides[side];
        assert_int_equal(got->position, want.sides[side].position);
        assert_int_equal(got->cpu, want.sides[side].cpu);
        assert_int_equal(got->pid, want.sides[side].pid);
        assert_int_equal(got->exit_status, want.sides[side].exit_status);
        assert_int_equal(got->peak_memory_bytes, want.sides[side].peak_memory_bytes);
        assert_int_equal(got->iterations, iterations);
        assert_int_equal(got->fillers, 0);
        for (int i = 0; i < MODEL_COUNTERS; i++) {
            double counted = want.sides[side].counters[i];
            assert_true(isnan(counted) ? isnan(got->counters[i])
                                       : got->counters[i] == counted);
        }
        assert_int_equal(got->tasks, want.sides[side].tasks);
        double others_ns = want.sides[side].others_ns;
        assert_true(isnan(others_ns)
                        ? isnan(got->others_ns) && isnan(got->window_ns)
                        : got->others_ns == others_ns && got->window_ns == 1e9);
        struct expected expected = {.side = side};
        assert_ok(store_runs_visit(reader, (enum model_side)side, check_iteration,
                                   &expected, &fixture_error));
        assert_int_equal(expected.seen, iterations);
    }
    struct model_run_values values = {0};
    assert_ok(store_runs_values(reader, "time", 2, &values, &fixture_error));
    assert_int_equal(values.run, index);
    assert_int_equal(values.block, index / 2);
    assert_int_equal(values.old_position, index % 2);
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t count = iterations < 2 ? 0 : (size_t)iterations - 2;
        assert_int_equal(values.counts[side], count);
        for (size_t i = 0; i < count; i++) {
            const struct model_iteration it = fixture_iteration(side, i + 2);
            assert_true(values.values[side][i] == 1000.0 * (double)(i + 3) + side);
            struct model_idle idle = model_iteration_idle(&it);
            struct model_idle got = values.idle[side][i];
            assert_true(got.all == idle.all && got.waits == idle.waits);
            assert_true(got.taken == idle.taken || (isnan(got.taken) && i % 4 != 3));
        }
        assert_true(values.single[side] == (side == MODEL_OLD));
        assert_true(isnan(values.others_ns[side]) == (side == MODEL_NEW));
    }
    model_run_values_release(&values);
    assert_ok(store_runs_values(reader, "cpu_time", 0, &values, &fixture_error));
    assert_int_equal(values.counts[MODEL_OLD], iterations);
    assert_null(values.idle[MODEL_OLD]);
    model_run_values_release(&values);
}

/* Sizes around the batch of an INSERT and the buffer that spills to disk. */
static void test_runs(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {
        0, 1, 2, 49, 50, 51, 100, 4095, STORE_SPILL_CAPACITY, 4097, 12288, 10007};
    enum { RUNS = sizeof sizes / sizeof sizes[0] };
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    for (uint64_t i = 0; i < RUNS; i++) {
        assert_ok(fixture_save_run(sink, i, sizes[i]));
    }
    struct store_run_reader *reader = NULL;
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    struct model_run_values none = {0};
    assert_int_equal(store_runs_values(reader, "time", 0, &none, &fixture_error),
                     DUET_E_INTERNAL);
    for (uint64_t i = 0; i < RUNS; i++) {
        check_run(reader, i, sizes[i]);
    }
    struct model_run run;
    bool more = true;
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_false(more);
    store_runs_close(reader);
    store_runs_close(NULL);
    struct store_experiment found = {0};
    assert_ok(store_experiment_find(store, "last", &found, &fixture_error));
    assert_int_equal(found.runs, RUNS);
    assert_int_equal(found.mode, MODEL_MODE_HARNESS);
    store_experiment_release(&found);
    assert_int_equal(store_runs_open(store, 99, &reader, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
    fixture_expect_text("SELECT count(*) FROM pragma_foreign_key_check", "0");
    fixture_expect_text("PRAGMA integrity_check", "ok");
}

/* A run of `count` iterations of one side, fillers among them. */
static void put(struct model_sink sink, enum model_side side,
                const struct model_iteration *its, size_t count)
{
    assert_ok(sink.iterations(sink.context, side, its, count, &fixture_error));
}

static enum duet_code collect_flags(void *context, const struct model_iteration *it,
                                    struct duet_error *reterr)
{
    (void)reterr;
    char *seen = context;
    bool filler = (it->flags & MODEL_ITERATION_FILLER) != 0;
    (void)snprintf(seen + strlen(seen), 8, "%llu%s", (unsigned long long)it->index,
                   filler ? "f " : " ");
    return DUET_OK;
}

static void test_fillers_and_missing(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    struct model_run run = fixture_run(0, 3);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    struct model_iteration its[6];
    static const uint64_t indexes[] = {0, 0, 0, 1, 2, 3};
    for (int i = 0; i < 6; i++) {
        its[i] = fixture_iteration(0, indexes[i]);
        if (i == 1 || i == 2 || i == 5) {
            its[i].flags |= MODEL_ITERATION_FILLER;
        }
    }
    its[3].flags |= MODEL_ITERATION_NO_USAGE;
    put(sink, MODEL_OLD, its, 6);
    for (int i = 0; i < 4; i++) {
        its[i] = fixture_iteration(1, (uint64_t)i * 2); /* 1 is missing: 0 2 4 6 */
    }
    put(sink, MODEL_NEW, its, 4);
    assert_ok(sink.run_end(sink.context, &run, &fixture_error));

    struct store_run_reader *reader = NULL;
    bool more = false;
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_int_equal(run.sides[MODEL_OLD].iterations, 3);
    assert_int_equal(run.sides[MODEL_OLD].fillers, 3);
    char seen[64] = "";
    assert_ok(store_runs_visit(reader, MODEL_OLD, collect_flags, seen, &fixture_error));
    assert_string_equal(seen, "0 0f 0f 1 2 3f ");
    struct model_run_values values = {0};
    assert_ok(store_runs_values(reader, "time", 0, &values, &fixture_error));
    assert_int_equal(values.counts[MODEL_OLD], 2); /* pairs 0 and 2 */
    assert_int_equal(values.counts[MODEL_NEW], 2);
    assert_true(values.values[MODEL_OLD][1] == 3000.0);
    assert_true(values.values[MODEL_NEW][1] == 3001.0);
    model_run_values_release(&values);
    store_runs_close(reader);
    store_close(store);
    fixture_expect_text(
        "SELECT group_concat(iteration) FROM observations WHERE metric = 'cpu_time' AND side = 'old'",
        "0,2"); /* of 1 nothing was measured */
}

static void test_unpaired_and_other_metrics(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    struct model_run run = fixture_run(0, 0);
    run.schedule = MODEL_SCHEDULE_INTERLEAVED;
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    for (uint64_t i = 0; i < 5; i++) {
        struct model_iteration it = fixture_iteration(1, i);
        put(sink, MODEL_NEW, &it, 1);
    }
    assert_ok(sink.run_end(sink.context, &run, &fixture_error));
    fixture_sql(
        fixture_path,
        "INSERT INTO metric(id, name, unit, direction) VALUES(7, 'throughput', '1/s', "
        "'higher');INSERT INTO observation(run_id, side, metric_id, idx, value) VALUES(1, 0, 7, 0, 1.5), (1, "
        "0, 7, 1, 2.5), (1, 1, 7, 1, -0.25)");
    struct store_run_reader *reader = NULL;
    bool more = false;
    /* Runs of another schedule than the experiment's stay unread. */
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_false(more);
    store_runs_close(reader);
    assert_ok(store_experiment_schedule(store, experiment, MODEL_SCHEDULE_INTERLEAVED,
                                        &fixture_error));
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    struct model_run_values values = {0};
    assert_ok(store_runs_values(reader, "time", 1, &values, &fixture_error));
    assert_int_equal(values.counts[MODEL_OLD], 0);
    assert_int_equal(values.counts[MODEL_NEW], 4);
    model_run_values_release(&values);
    assert_ok(store_runs_values(reader, "throughput", 0, &values, &fixture_error));
    assert_int_equal(values.counts[MODEL_OLD], 2);
    assert_int_equal(values.counts[MODEL_NEW], 1);
    assert_true(values.values[MODEL_NEW][0] == -0.25);
    model_run_values_release(&values);
    assert_int_equal(store_runs_values(reader, "speed", 0, &values, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, "speed"));
    store_runs_close(reader);
    store_close(store);
    fixture_expect_text("SELECT count(*) FROM observations WHERE metric = 'throughput'",
                        "3");
}

static enum duet_code refuse(void *context, const struct model_iteration *it,
                             struct duet_error *reterr)
{
    (void)context;
    return error_set(reterr, DUET_E_INTERRUPTED, "enough at %llu",
                     (unsigned long long)it->index);
}

static void test_visit_stops(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    assert_ok(fixture_save_run(store_sink(store, experiment), 0, 3));
    struct store_run_reader *reader = NULL;
    struct model_run run;
    bool more = false;
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_int_equal(store_runs_visit(reader, MODEL_OLD, refuse, NULL, &fixture_error),
                     DUET_E_INTERRUPTED);
    assert_string_equal(fixture_error.message, "enough at 0");
    store_runs_close(reader);
    store_close(store);
}

/* A store from before it was told what others had. */
static void test_older_store(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    assert_ok(fixture_save_run(store_sink(store, experiment), 0, 1200));
    store_close(store);
    fixture_go_back(fixture_path, "CPU time that was taken");
    store = fixture_open();
    struct store_run_reader *reader = NULL;
    struct model_run run;
    struct model_run_values values = {0};
    bool more = false;
    assert_ok(store_runs_open(store, experiment, &reader, &fixture_error));
    assert_ok(store_runs_next(reader, &run, &more, &fixture_error));
    assert_ok(store_runs_values(reader, "time", 0, &values, &fixture_error));
    for (size_t i = 1000; i < 1200; i++) {
        assert_true(values.idle[MODEL_NEW][i].all > 0.0);
    }
    assert_false(values.single[MODEL_OLD]); /* nobody looked */
    model_run_values_release(&values);
    store_runs_close(reader);
    store_close(store);
}

static void test_sink_misuse_and_abort(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    struct model_run run = fixture_run(0, 1);
    struct model_iteration its[] = {fixture_iteration(0, 1), fixture_iteration(0, 0)};
    sink.run_abort(sink.context);
    assert_int_equal(sink.run_end(sink.context, &run, &fixture_error), DUET_E_INTERNAL);
    assert_int_equal(sink.iterations(sink.context, MODEL_OLD, its, 1, &fixture_error),
                     DUET_E_INTERNAL);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    assert_int_equal(sink.run_begin(sink.context, &run, &fixture_error),
                     DUET_E_INTERNAL);
    put(sink, MODEL_OLD, its, 1);
    sink.run_abort(sink.context);
    assert_ok(fixture_save_run(sink, 0, 2)); /* nothing left of the aborted one */
    assert_int_equal(fixture_save_run(sink, 0, 2), DUET_E_INTERNAL); /* again run 0 */

    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    put(sink, MODEL_OLD, its, 2); /* 1, then 0 */
    assert_int_equal(sink.run_end(sink.context, &run, &fixture_error), DUET_E_INTERNAL);

    fixture_sql(fixture_path, "PRAGMA foreign_keys = ON; DELETE FROM experiment");
    assert_int_equal(fixture_save_run(sink, 1, 2), DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, "deleted"));
    store_close(store);
    fixture_expect_text("SELECT count(*) FROM iteration", "0"); /* the cascade */
    fixture_expect_text("SELECT count(*) FROM environment_load", "0");
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_runs),
        CASE(test_fillers_and_missing),
        CASE(test_unpaired_and_other_metrics),
        CASE(test_visit_stops),
        CASE(test_older_store),
        CASE(test_sink_misuse_and_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
