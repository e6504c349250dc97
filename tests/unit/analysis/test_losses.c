// labels: soakvalgrind
/* What is done about lost CPU time, and what an answer says where nobody knows it. */
#include "analysis/conclude.h"
#include "analysis/runs/losses.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 80, ITERATIONS = 3 };

/* One side: of 10 ms that an iteration takes by itself it computes this much, and
 * beside a neighbour it loses the rest of its time by this factor. */
struct kind {
    double computes;
    double loses; /* ln(elapsed / own time) beside others */
    uint32_t waits;
    bool single;
};

/* All kinds take 10 ms by themselves: the truth is 0. */
static struct model_comparison answer_by(enum model_interval_method interval,
                                         const struct kind kinds[MODEL_SIDES],
                                         double new_takes, double others_ns)
{
    struct model_analysis options = model_analysis_default();
    options.interval = interval;
    options.estimator = MODEL_ESTIMATOR_MEDIAN;
    struct random_stream stream = random_stream_at(17, 0);
    struct analysis *analysis = NULL;
    assert_int_equal(analysis_new(&options, true, &analysis, NULL), DUET_OK);
    for (size_t run = 0; run < RUNS; run++) {
        double times[MODEL_SIDES][ITERATIONS];
        struct model_idle idle[MODEL_SIDES][ITERATIONS];
        for (size_t i = 0; i < ITERATIONS; i++) {
            for (int side = 0; side < MODEL_SIDES; side++) {
                const struct kind *kind = &kinds[side];
                double lost = kind->loses * (0.8 + 0.4 * random_uniform(&stream));
                double noise = 0.002 * random_uniform(&stream);
                times[side][i] =
                    1e7 * exp(lost + noise) * (side == MODEL_NEW ? new_takes : 1.0);
                idle[side][i] = (struct model_idle){.all = lost - log(kind->computes),
                                                    .taken = (double)NAN,
                                                    .waits = kind->waits};
            }
        }
        struct model_run_values values = {.run = run,
                                          .block = run / 2,
                                          .old_position = run % 2,
                                          .values = {times[0], times[1]},
                                          .idle = {idle[0], idle[1]},
                                          .counts = {ITERATIONS, ITERATIONS},
                                          .single = {kinds[0].single, kinds[1].single},
                                          .others_ns = {others_ns, others_ns},
                                          .window_ns = {4e9, 4e9}};
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    struct model_comparison answer = {.schedule = MODEL_SCHEDULE_DUET};
    assert_int_equal(analysis_conclude(analysis, &answer, NULL), DUET_OK);
    analysis_free(analysis);
    return answer;
}

static struct model_comparison answer_of(const struct kind kinds[MODEL_SIDES],
                                         double new_takes, double others_ns)
{
    return answer_by(MODEL_INTERVAL_ANYTIME, kinds, new_takes, others_ns);
}

static bool is_said(const struct model_comparison *answer, const char *words)
{
    bool said = false;
    for (size_t i = 0; i < answer->warning_count; i++) {
        said = said || strstr(answer->warnings[i].text, words) != NULL;
    }
    return said;
}

/* One computes all the time and has a neighbour take half of the CPU; the other sleeps
 * for 3 of its 10 ms and loses less, since who slept goes first. By elapsed time the
 * first is slower by 60 %, by CPU time by 43 %: both readings err in the same
 * direction.
 */
static void sides_of_different_kinds_may_have_lost_anything(void **state)
{
    (void)state;
    const struct kind computes = {1.0, 0.7, 1, false};
    const struct kind sleeps = {0.7, 0.2, 1, true};
    const struct kind waits_more = {0.7, 0.2, 3, false};
    const struct kind pairs[][MODEL_SIDES] = {{sleeps, computes},
                                              {computes, sleeps},
                                              {computes, waits_more},
                                              {waits_more, computes}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct model_comparison answer = answer_of(pairs[i], 1.0, 1e9);
        assert_int_equal(answer.losses, MODEL_LOSSES_BOUNDED);
        assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
        assert_true(answer.interval.low < 1.0 && answer.interval.high > 1.0);
        assert_true(is_said(&answer,
                            "and do so differently: the interval allows for any loss"));
    }
}

/* With the labels swapped the same, mirrored. */
static void the_bounds_do_not_know_which_side_is_new(void **state)
{
    (void)state;
    const struct kind sleeps = {0.7, 0.2, 1, true};
    const struct kind computes = {1.0, 0.7, 0, false};
    struct analysis_run_summary summaries[3] = {{0}};
    enum analysis_reading readings[ANALYSIS_READINGS];
    for (int swapped = 0; swapped < MODEL_SIDES; swapped++) {
        for (size_t i = 0; i < 3; i++) {
            summaries[i].single[swapped] = sleeps.single;
            summaries[i].single[1 - swapped] = computes.single;
            summaries[i].waits[swapped] = sleeps.waits;
            summaries[i].waits[1 - swapped] = computes.waits;
        }
        assert_int_equal(analysis_losses_bounds(summaries, 3, readings), 2);
    }
}

/* One of them sleeps for a second, of which others cannot have had more than they had
 * in all. */
static void what_others_had_bounds_what_was_lost(void **state)
{
    (void)state;
    const struct kind kinds[MODEL_SIDES] = {{1.0, 0.1, 0, true}, {0.01, 0.1, 2, false}};
    struct model_comparison answer = answer_of(kinds, 100.0, 300e6);
    assert_int_equal(answer.losses, MODEL_LOSSES_BOUNDED);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
    assert_true(answer.interval.low > 50.0);
    assert_int_equal(answer_of(kinds, 100.0, 900e9).verdict, MODEL_VERDICT_UNSURE);
}

/* Two versions of one program: their own waiting is alike. */
static void sides_of_one_kind_have_two_readings(void **state)
{
    (void)state;
    const struct kind before = {0.7, 0.40, 8, false};
    const struct kind after = {0.9, 0.41, 9, false};
    const struct kind kinds[MODEL_SIDES] = {before, after};
    struct model_comparison answer = answer_of(kinds, 1.0, 1e9);
    assert_int_equal(answer.losses, MODEL_LOSSES_BOUNDED);
    assert_true(answer.interval.high > 1.27 && answer.interval.high < 1.3);
    assert_true(answer.interval.low < 1.0 && answer.interval.low > 0.97);
    assert_true(is_said(&answer, "for elapsed time and for CPU time"));
}

/* A change must show by every reading, whatever the spread of one of them is. */
static void what_could_have_been_seen_is_beyond_both_readings(void **state)
{
    (void)state;
    const struct kind kinds[MODEL_SIDES] = {{0.7, 0.40, 8, false},
                                            {0.9, 0.40, 9, false}};
    for (int method = 0; method < MODEL_INTERVAL_DIFFERENCE; method++) {
        struct model_comparison answer =
            answer_by((enum model_interval_method)method, kinds, 1.0, 1e9);
        double half = log(answer.interval.high / answer.interval.low) / 2.0;
        assert_int_equal(answer.losses, MODEL_LOSSES_BOUNDED);
        assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
        assert_true(half > 0.1);
        assert_true(answer.could_have_seen > expm1(half));
    }
    /* Others had little: there is one reading. */
    struct model_comparison kept = answer_by(MODEL_INTERVAL_T, kinds, 1.0, 0.0);
    assert_int_equal(kept.losses, MODEL_LOSSES_KEPT);
    assert_true(kept.could_have_seen < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_of_different_kinds_may_have_lost_anything),
        cmocka_unit_test(the_bounds_do_not_know_which_side_is_new),
        cmocka_unit_test(what_others_had_bounds_what_was_lost),
        cmocka_unit_test(sides_of_one_kind_have_two_readings),
        cmocka_unit_test(what_could_have_been_seen_is_beyond_both_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
