// labels: soakvalgrind
/* What pictures of a stored comparison are made of: every pair, or one of so many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/comparison/tracing.h"
#include "session/session.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 8 };

static double time_of(int side, size_t run, size_t i)
{
    return 1e6 + 1e3 * (double)run + (double)(i % 100) +
           (side == MODEL_NEW ? 1e4 + 17 * (double)(i % 7) : 0);
}

/* An imported experiment of RUNS runs. */
static void make(bool paired, size_t iterations, struct store **ret_store,
                 struct answer *ret_answer)
{
    struct model_run_values runs[RUNS] = {{0}};
    struct model_values values = {.paired = paired, .runs = runs, .run_count = RUNS};
    struct model_analysis analysis = model_analysis_default();
    enum model_schedule schedule =
        paired ? MODEL_SCHEDULE_DUET : MODEL_SCHEDULE_SEQUENTIAL;
    struct model_plan plan = {
        .name = "imported",
        .analysis = &analysis,
        .schedule = schedule,
        .sides = {{.name = "a", .command = "a"}, {.name = "b", .command = "b"}}};
    struct model_host host = {.num_cpus = -1};
    int64_t id = 0;
    for (size_t r = 0; r < RUNS; r++) {
        runs[r].run = r;
        runs[r].block = r / 2;
        runs[r].old_position = r % 2;
        for (int side = 0; side < MODEL_SIDES; side++) {
            runs[r].values[side] = calloc(iterations, sizeof(double));
            runs[r].counts[side] = iterations;
            assert_non_null(runs[r].values[side]);
            for (size_t i = 0; i < iterations; i++) {
                runs[r].values[side][i] = time_of(side, r, i);
            }
        }
    }
    assert_int_equal(store_open_scratch(ret_store, NULL), DUET_OK);
    assert_int_equal(
        store_experiment_begin(*ret_store, &plan, &host, NULL, "0", &id, NULL),
        DUET_OK);
    assert_int_equal(store_runs_import(*ret_store, id, &values, schedule, NULL),
                     DUET_OK);
    assert_int_equal(answer_make(*ret_store, id, NULL, ret_answer, NULL), DUET_OK);
    for (size_t r = 0; r < RUNS; r++) {
        model_run_values_release(&runs[r]);
    }
}

static void every_pair_is_there(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct answer answer;
    struct model_trace trace;
    make(true, 10, &store, &answer);
    assert_int_equal(tracing_make(store, &answer, &trace, NULL), DUET_OK);
    assert_true(trace.paired);
    assert_int_equal(trace.every, 1);
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(trace.counts[side], 80);
        assert_int_equal(trace.totals[side], 80);
        for (size_t i = 0; i < 80; i++) {
            double expected = time_of(side, i / 10, i % 10);
            assert_true(fabs(trace.times_ns[side][i] - expected) < 1e-6);
            assert_true(fabs(trace.log_times[side][i] - log(expected)) < 1e-12);
        }
    }
    for (size_t i = 0; i < 80; i++) {
        double expected =
            time_of(MODEL_NEW, i / 10, i % 10) / time_of(MODEL_OLD, i / 10, i % 10);
        assert_true(fabs(trace.ratios[i] - expected) < 1e-12);
        assert_true(fabs(trace.log_ratios[i] - log(expected)) < 1e-12);
    }
    assert_int_equal(trace.run_count, RUNS);
    assert_int_equal(trace.runs[3].first[MODEL_OLD], 30);
    assert_int_equal(trace.look_count, RUNS / 2);
    assert_true(trace.usual_low_ns >= time_of(MODEL_OLD, 0, 0));
    assert_true(trace.usual_high_ns <= time_of(MODEL_NEW, 7, 9) + 1e3);
    model_trace_release(&trace);
    answer_release(&answer);
    store_close(store);
}

static void densities_integrate_to_one(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct answer answer;
    struct model_trace trace;
    make(true, 50, &store, &answer);
    assert_int_equal(tracing_make(store, &answer, &trace, NULL), DUET_OK);
    for (int d = 0; d < MODEL_TRACE_DENSITIES; d++) {
        const struct model_trace_density *density = &trace.densities[d];
        double mass = 0;
        assert_true(density->count > 10);
        for (size_t i = 1; i < density->count; i++) {
            double width = log(density->at[i] / density->at[i - 1]);
            mass += width * (density->density[i] + density->density[i - 1]) / 2;
            assert_true(width > 0);
        }
        assert_true(fabs(mass - 1) < 0.01);
        for (int q = 1; q < MODEL_TRACE_QUANTILES; q++) {
            assert_true(density->quantiles[q] >= density->quantiles[q - 1]);
        }
        assert_true(fabs(density->quantiles[2] - 1.01) < 0.001);
    }
    model_trace_release(&trace);
    answer_release(&answer);
    store_close(store);
}

/* Four times as many as are kept: one of four, and pairs stay pairs. */
static void many_pairs_are_thinned_out(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct answer answer;
    struct model_trace trace;
    size_t iterations = 4 * MODEL_TRACE_KEPT_MOST / RUNS;
    make(true, iterations, &store, &answer);
    assert_int_equal(tracing_make(store, &answer, &trace, NULL), DUET_OK);
    assert_int_equal(trace.every, 4);
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(trace.totals[side], RUNS * iterations);
        assert_int_equal(trace.counts[side], MODEL_TRACE_KEPT_MOST);
        for (size_t i = 0; i < trace.counts[side]; i++) {
            size_t at = i * trace.every;
            double expected = time_of(side, at / iterations, at % iterations);
            assert_true(fabs(trace.times_ns[side][i] - expected) < 1e-6);
        }
    }
    model_trace_release(&trace);
    answer_release(&answer);
    store_close(store);
}

static void sides_apart_have_times_only(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct answer answer;
    struct model_trace trace;
    make(false, 10, &store, &answer);
    assert_int_equal(tracing_make(store, &answer, &trace, NULL), DUET_OK);
    assert_false(trace.paired);
    assert_int_equal(trace.look_count, 0);
    assert_int_equal(trace.counts[MODEL_NEW], 80);
    assert_true(trace.densities[MODEL_OLD].quantiles[2] > 1e6);
    assert_true(isnan(trace.runs[0].ratio));
    model_trace_release(&trace);
    answer_release(&answer);
    store_close(store);
}

static void a_failed_benchmark_has_none(void **state)
{
    (void)state;
    const struct answer answer = {.comparison.verdict = MODEL_VERDICT_FAILED};
    struct model_trace trace;
    assert_int_equal(tracing_make(NULL, &answer, &trace, NULL), DUET_OK);
    assert_int_equal(trace.run_count, 0);
    model_trace_release(&trace);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct answer answer;
    struct model_trace trace;
    make(true, 4, &store, &answer);
    alloc_fail_at(0);
    assert_int_equal(tracing_make(store, &answer, &trace, NULL), DUET_OK);
    unsigned long total = alloc_fail_seen();
    model_trace_release(&trace);
    assert_true(total > 10);
    for (unsigned long n = 1; n <= total; n++) {
        struct duet_error error = {0};
        trace = (struct model_trace){.run_count = 7};
        alloc_fail_at(n);
        assert_int_equal(tracing_make(store, &answer, &trace, &error), DUET_E_NOMEM);
        alloc_fail_at(0);
        assert_int_equal(trace.run_count, 7);
    }
    answer_release(&answer);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_is_there),
        cmocka_unit_test(densities_integrate_to_one),
        cmocka_unit_test(many_pairs_are_thinned_out),
        cmocka_unit_test(sides_apart_have_times_only),
        cmocka_unit_test(a_failed_benchmark_has_none),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
