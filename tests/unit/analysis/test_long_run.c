// labels: soakvalgrind
/* A run that does not lie in memory has the summary of one that does. */
#include "analysis/conclude.h"
#include "analysis/plan/run_length.h"
#include "analysis/plan/schedule_choice.h"
#include "analysis/runs/long_summary.h"
#include "base/random.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 20011, MOST = 1000 };

/* What is known of the losses of a run. */
struct kind {
    bool idle; /* idle times */
    bool taken;
    bool all_known;
    bool lost;   /* anything was */
    bool always; /* in each iteration */
    uint32_t waits;
    bool single;
    double others_ns;
    double odd; /* one time is so many times as long; 0: none */
};

/* The same values into arrays (most 0) or spools. */
static struct model_run_values make(const struct kind *kind, size_t most)
{
    struct model_run_gather gather = {.most = most};
    struct random_stream stream = random_stream_at(5, 6);
    for (size_t i = 0; i < COUNT; i++) {
        for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
            bool lost = kind->always || (kind->lost && random_uniform(&stream) < 0.2);
            double off = lost ? 0.05 + 0.3 * random_uniform(&stream) : 0.0;
            double value = 1e6 * exp(off + 0.1 * random_uniform(&stream));
            value *= side == MODEL_NEW && i == 777 && kind->odd > 0.0 ? kind->odd : 1.0;
            struct model_idle idle = {.all = off,
                                      .taken = kind->taken ? off : (double)NAN,
                                      .waits =
                                          kind->always || i % 2 == 0 ? kind->waits : 0};
            idle.all = kind->all_known || i != 5 ? idle.all : (double)NAN;
            assert_int_equal(model_run_gather_add(&gather, side, value,
                                                  kind->idle ? &idle : NULL, NULL),
                             DUET_OK);
        }
    }
    assert_int_equal(gather.values.spools != NULL, most > 0);
    for (int side = 0; side < MODEL_SIDES; side++) {
        gather.values.single[side] = kind->single;
        gather.values.others_ns[side] = kind->others_ns;
        gather.values.window_ns[side] = 1e9;
        gather.values.operations[side] = 3.0;
    }
    return gather.values;
}

static void assert_same(double a, double b, double most)
{
    assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= most * fabs(b));
}

static void assert_same_values(const struct analysis_values *a,
                               const struct analysis_values *b)
{
    assert_true(a->count == b->count);
    assert_int_equal(
        a->count > 0 ? memcmp(a->values, b->values, a->count * sizeof *a->values) : 0,
        0);
}

static void assert_same_summary(const struct analysis_run_summary *a,
                                const struct analysis_run_summary *b, double most)
{
    for (int reading = 0; reading < ANALYSIS_READINGS; reading++) {
        assert_same(a->facts[reading].log_ratio, b->facts[reading].log_ratio, most);
        assert_same(a->facts[reading].spread, b->facts[reading].spread, most);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (int reading = 0; reading < ANALYSIS_READINGS; reading++) {
            assert_same(a->mean[reading][side], b->mean[reading][side], 0.0);
        }
        for (int level = 0; level < MODEL_TAILS; level++) {
            assert_same(a->log_tail[level][side], b->log_tail[level][side], 0.0);
        }
        assert_true(a->single[side] == b->single[side]);
        assert_same(a->waits[side], b->waits[side], 0.0);
        assert_same(a->others_ns[side], b->others_ns[side], 0.0);
        assert_same(a->log_mean[side], b->log_mean[side], 0.0);
        assert_same(a->freed_mean[side], b->freed_mean[side], 0.0);
        assert_same(a->lag1[side], b->lag1[side], 0.0);
        assert_same(a->location[side], b->location[side], 0.0);
        assert_memory_equal(&a->times[side], &b->times[side], sizeof a->times[side]);
        assert_same_values(&a->logs[side], &b->logs[side]);
        assert_same_values(&a->freed[side], &b->freed[side]);
        assert_same_values(&a->kept[side], &b->kept[side]);
    }
    assert_same(a->lag1_ratio, b->lag1_ratio, 0.0);
    assert_true(a->winsorized == b->winsorized);
}

static const struct kind kinds[] = {
    {.idle = false, .odd = 3.0},
    {.idle = true, .taken = true, .all_known = true, .lost = true, .single = true},
    {.idle = true, .taken = true, .lost = true, .single = true, .odd = 0.2},
    {.idle = true, .taken = true, .all_known = true, .single = true, .odd = 5.0},
    {.idle = true, .all_known = true, .lost = true, .waits = 3, .others_ns = 1e5},
    {.idle = true, .all_known = true, .lost = true, .others_ns = (double)NAN},
    {.idle = true, .all_known = true, .always = true, .waits = 1},
    {.idle = true, .lost = true, .waits = 1},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void summaries_are_the_same(void **state)
{
    (void)state;
    const struct model_cleaning none = {.warmup = MODEL_WARMUP_NONE};
    for (int k = 0; k < KINDS; k++) {
        for (int location = STATS_LOCATION_MEAN; location <= STATS_LOCATION_MEDIAN;
             location++) {
            const struct analysis_summary_needs needs = {
                .paired = true,
                .losses = location != STATS_LOCATION_TRIMMED || k % 2 == 0,
                .location = (enum stats_location)location,
                .winsorize = k == 0   ? MODEL_WINSORIZE_RANGE
                             : k == 1 ? MODEL_WINSORIZE_OFF
                                      : MODEL_WINSORIZE_FACTOR};
            assert_true(analysis_takes_spools(&needs, &none));
            struct model_run_values arrays = make(&kinds[k], 0);
            struct model_run_values spools = make(&kinds[k], MOST);
            struct analysis_run_summary expected;
            struct analysis_run_summary found;
            assert_int_equal(
                analysis_run_summary_init(&needs, &arrays, &expected, NULL), DUET_OK);
            assert_int_equal(analysis_long_summary_init(&needs, &spools, &found, NULL),
                             DUET_OK);
            assert_same_summary(&found, &expected,
                                location == STATS_LOCATION_TRIMMED ? 1e-13 : 0.0);
            for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
                double analysed[COUNT];
                assert_int_equal(
                    model_run_values_copy(&spools, side, 0, analysed, COUNT, NULL),
                    DUET_OK);
                assert_memory_equal(analysed, arrays.values[side], sizeof analysed);
            }
            analysis_run_summary_release(&expected);
            analysis_run_summary_release(&found);
            model_run_values_release(&arrays);
            model_run_values_release(&spools);
        }
    }
}

/* What looks at the runs as they come, and the answer, with a warm-up. */
static void answers_are_the_same(void **state)
{
    (void)state;
    static const enum model_warmup warmups[] = {MODEL_WARMUP_NONE, MODEL_WARMUP_HALF,
                                                MODEL_WARMUP_COUNT};
    for (size_t w = 0; w < sizeof warmups / sizeof warmups[0]; w++) {
        struct model_comparison answers[2] = {{.schedule = MODEL_SCHEDULE_DUET},
                                              {.schedule = MODEL_SCHEDULE_DUET}};
        struct analysis_run_length lengths[2] = {{.start_ns = 1.0}, {.start_ns = 1.0}};
        double taken[2] = {0.0, 0.0};
        for (size_t way = 0; way < 2; way++) {
            struct model_analysis options = model_analysis_default();
            struct analysis *analysis = NULL;
            options.cleaning.warmup = warmups[w];
            options.cleaning.warmup_count = 1234;
            assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
            assert_true(analysis_takes_long_runs(analysis));
            for (size_t run = 0; run < KINDS; run++) {
                struct model_run_values values = make(&kinds[run], way == 0 ? 0 : MOST);
                values.run = run;
                values.block = run / 2;
                values.old_position = run % 2;
                assert_int_equal(
                    analysis_run_length_add(&lengths[way], &values, 1e9, NULL),
                    DUET_OK);
                const struct analysis_schedule_idle idle =
                    analysis_schedule_idle(&values);
                assert_true(idle.waits[MODEL_OLD] == (run == 0 || run == 6));
                taken[way] += idle.taken;
                assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
                model_run_values_release(&values);
            }
            assert_int_equal(analysis_conclude(analysis, &answers[way], NULL), DUET_OK);
            analysis_free(analysis);
        }
        assert_true(taken[0] == taken[1]);
        assert_true(answers[0].ratio == answers[1].ratio);
        assert_true(answers[0].interval.low == answers[1].interval.low);
        assert_true(answers[0].interval.high == answers[1].interval.high);
        assert_true(answers[0].sides[MODEL_NEW].mean_ns ==
                    answers[1].sides[MODEL_NEW].mean_ns);
        assert_true(answers[0].iterations == answers[1].iterations);
        assert_true(lengths[0].iterating_ns == lengths[1].iterating_ns);
        analysis_run_length_release(&lengths[0]);
        analysis_run_length_release(&lengths[1]);
    }
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    const struct model_analysis options = model_analysis_default();
    struct analysis *analysis = NULL;
    struct duet_error error;
    struct model_run_values values = make(&kinds[1], MOST);
    const struct model_observed bad = {.value = 0.0};
    assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
    assert_int_equal(spool_replace(&values.spools[MODEL_NEW], 17000, &bad, NULL),
                     DUET_OK);
    assert_int_equal(analysis_add_run(analysis, &values, &error), DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "side new, iteration 17001 "));
    model_run_values_release(&values);
    analysis_free(analysis);
}

static void what_needs_all_takes_arrays(void **state)
{
    (void)state;
    const struct analysis_summary_needs standard = {.paired = true, .standard = true};
    const struct analysis_summary_needs alone = {.paired = false};
    const struct analysis_summary_needs kept = {.paired = true,
                                                .keep = ANALYSIS_KEEP_TIMES};
    const struct analysis_summary_needs pairs = {.paired = true};
    const struct model_cleaning none = {.warmup = MODEL_WARMUP_NONE};
    const struct model_cleaning steady = {.warmup = MODEL_WARMUP_STEADY};
    const struct model_cleaning outliers = {.drop_magnitude = true};
    assert_false(analysis_takes_spools(&standard, &none));
    assert_false(analysis_takes_spools(&alone, &none));
    assert_false(analysis_takes_spools(&kept, &none));
    assert_false(analysis_takes_spools(&pairs, &steady));
    assert_false(analysis_takes_spools(&pairs, &outliers));
    assert_true(analysis_takes_spools(&pairs, &none));
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const struct analysis_summary_needs needs = {
        .paired = true, .losses = true, .location = STATS_LOCATION_MEDIAN};
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long nth = 1; code != DUET_OK; nth++) {
        struct analysis_run_summary summary;
        struct model_run_values values = make(&kinds[1], MOST);
        alloc_fail_at(nth);
        code = analysis_long_summary_init(&needs, &values, &summary, NULL);
        unsigned long seen = alloc_fail_seen();
        alloc_fail_at(0);
        assert_int_equal(code, seen < nth ? DUET_OK : DUET_E_NOMEM);
        if (code == DUET_OK) {
            analysis_run_summary_release(&summary);
        }
        model_run_values_release(&values);
    }
    for (unsigned long nth = 1; nth < 2 * MOST; nth *= 3) { /* while it is filled */
        struct model_run_gather gather = {.most = 10};
        code = DUET_OK;
        alloc_fail_at(nth);
        for (size_t i = 0; i < 100 && code == DUET_OK; i++) {
            const struct model_idle idle = {.all = 0.0};
            code = model_run_gather_add(&gather, (enum model_side)(i % 2), 1.0, &idle,
                                        NULL);
        }
        unsigned long seen = alloc_fail_seen();
        alloc_fail_at(0);
        assert_int_equal(code, seen < nth ? DUET_OK : DUET_E_NOMEM);
        model_run_gather_clear(&gather);
        model_run_values_release(&gather.values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_the_same),
        cmocka_unit_test(answers_are_the_same),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(what_needs_all_takes_arrays),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
