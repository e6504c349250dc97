/* When a comparison that is looked at while it is measured may stop. */
// link: duet_session
#include "session/comparison/live.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "support/alloc_fail.h"
#include "support/counting_sink.h"

#include <cmocka.h>

enum { ITERATIONS = 3, RUNS_MOST = 60 };

static struct counting_sink kept;
static const struct model_sink store = COUNTING_SINK(&kept);
static struct session_progress told;

static void take_progress(void *context, const struct session_progress *progress)
{
    (void)context;
    if (progress != NULL) {
        told = *progress;
    }
}

static const struct listener listener = {.progress = take_progress};

static struct model_plan plan_of(void)
{
    return (struct model_plan){.name = "one",
                               .schedule = MODEL_SCHEDULE_DUET,
                               .until = MODEL_UNTIL_DECIDED,
                               .budget_ns = UINT64_C(10000000000)};
}

static struct model_analysis options_of(void)
{
    struct model_analysis options = model_analysis_default();
    options.interval = MODEL_INTERVAL_ANYTIME;
    options.estimator = MODEL_ESTIMATOR_MEDIAN;
    return options;
}

/* Both sides' iterations of a run take that long, new's `more` longer, give or take. */
static double usual_ns = 1e6;
/* Whether they are known to compute all the time, in one task. */
static bool computing;

static void send_run_of(const struct model_sink *sink, uint64_t index, uint64_t block,
                        unsigned old_position, double more)
{
    struct model_run run = {.index = index,
                            .block = block,
                            .schedule = MODEL_SCHEDULE_DUET,
                            .mode = MODEL_MODE_COMMAND};
    run.sides[MODEL_OLD].position = old_position;
    run.sides[MODEL_NEW].position = 1U - old_position;
    for (int side = 0; side < MODEL_SIDES && computing; side++) {
        run.sides[side].tasks = MODEL_TASKS_ONE;
    }
    assert_int_equal(sink->run_begin(sink->context, &run, NULL), DUET_OK);
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct model_iteration iterations[ITERATIONS] = {{0}};
        for (size_t i = 0; i < ITERATIONS; i++) {
            double took_ns = usual_ns *
                             (1.0 + 0.01 * sin(13.0 * (double)(3 * index + i))) *
                             (side == MODEL_NEW ? 1.0 + more : 1.0);
            iterations[i] = (struct model_iteration){
                .index = i,
                .start_ns = 1000,
                .end_ns = 1000 + (uint64_t)took_ns,
                .cpu_ns = (uint64_t)took_ns,
                .flags = computing ? 0 : MODEL_ITERATION_NO_USAGE};
        }
        assert_int_equal(sink->iterations(sink->context, (enum model_side)side,
                                          iterations, ITERATIONS, NULL),
                         DUET_OK);
    }
    assert_int_equal(sink->run_end(sink->context, &run, NULL), DUET_OK);
}

static void send_run(const struct model_sink *sink, uint64_t index, double more)
{
    send_run_of(sink, index, index / 2, (unsigned)(index % 2), more);
}

/* Until the verdict is certain. All borrowed. */
static struct live *deciding(const struct model_plan *plan,
                             const struct model_analysis *options)
{
    const struct stopping stopping = {.until = MODEL_UNTIL_DECIDED,
                                      .same_within = (double)NAN,
                                      .max_slowdown = (double)NAN};
    struct live *live = NULL;
    assert_int_equal(
        live_new(plan, options, &stopping, &store, &listener, NULL, &live, NULL),
        DUET_OK);
    return live;
}

/* After how many runs of a change of `more` it stops. */
static uint64_t runs_until_stop(double more)
{
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    kept = (struct counting_sink){.answer = DUET_OK};
    struct live *live = deciding(&plan, &options);
    struct model_sink sink = live_sink(live);
    uint64_t runs = 0;
    bool goes_on = true;
    while (goes_on && runs < RUNS_MOST) {
        send_run(&sink, runs++, more);
        const struct measure_progress progress = {.runs_done = runs,
                                                  .elapsed_ns =
                                                      runs * 10 * (uint64_t)usual_ns,
                                                  .budget_ns = plan.budget_ns};
        goes_on = runs % 2 == 1 || live_progress(live, &progress);
    }
    live_free(live);
    assert_int_equal(kept.runs, runs);
    return runs;
}

/* After each of the first blocks, then for a tenth of the time: a look at 1,000 blocks
 * takes as long as many short runs. */
static void many_blocks_are_not_looked_at_after_each(void **state)
{
    (void)state;
    enum { RUNS = 3000 };
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    const struct stopping stopping = {.until = MODEL_UNTIL_PRECISION,
                                      .precision = 1e-9};
    struct live *live = NULL;
    kept = (struct counting_sink){.answer = DUET_OK};
    assert_int_equal(
        live_new(&plan, &options, &stopping, &store, &listener, NULL, &live, NULL),
        DUET_OK);
    struct model_sink sink = live_sink(live);
    unsigned looks = 0;
    unsigned early = 0;
    double before = 0.0;
    for (uint64_t runs = 1; runs <= RUNS; runs++) {
        send_run(&sink, runs - 1, 0.0001 * cos(7.0 * (double)runs));
        const struct measure_progress progress = {.runs_done = runs};
        assert_true(runs % 2 == 1 || live_progress(live, &progress));
        looks += told.ratio != before && runs % 2 == 0;
        early = runs == 500 ? looks : early;
        before = told.ratio;
    }
    assert_in_range(early, 249, 250);
    assert_in_range(looks - early, 0, 300);
    for (uint64_t runs = RUNS; looks < early + 301;
         runs += 2) { /* it goes on looking */
        const struct timespec moment = {.tv_nsec = 50000000};
        const struct measure_progress progress = {.runs_done = runs + 2};
        (void)nanosleep(&moment, NULL);
        send_run(&sink, runs, 0.0001);
        send_run(&sink, runs + 1, -0.0001);
        assert_true(live_progress(live, &progress));
        looks = told.ratio != before ? early + 301 : looks;
    }
    live_free(live);
}

/* A clear change is certain after 16 runs; its other end is open then, and the estimate
 * would stand at the interval's end. */
static void a_clear_change_is_bounded_on_both_sides(void **state)
{
    (void)state;
    const double changes[] = {0.5, -0.3, 0.05};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint64_t runs = runs_until_stop(changes[i]);
        assert_in_range(runs, 16, 16 + 12);
        assert_true(told.low < told.ratio && told.ratio < told.high);
        assert_true(fabs(told.ratio - 1.0 - changes[i]) < 0.01);
    }
}

/* The clock is simulated: what takes an hour an iteration is decided after as many runs
 * as what takes a millisecond, although the budget is spent in the first. */
static void an_iteration_may_take_an_hour(void **state)
{
    (void)state;
    const double changes[] = {0.5, -0.3, 0.05};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint64_t runs = runs_until_stop(changes[i]);
        double ratio = told.ratio;
        usual_ns = 3.6e12;
        assert_int_equal(runs_until_stop(changes[i]), runs);
        usual_ns = 1e6;
        assert_true(fabs(told.ratio - ratio) < 1e-6);
        assert_int_equal(told.elapsed_ns, runs * UINT64_C(36000000000000));
        assert_true(isfinite(told.left_ns) && told.left_ns >= 0.0);
    }
}

/* The same with coins of single runs: eight coins are two blocks and six runs, and the
 * sixteenth run is the last one with a coin of its own. */
static void single_runs_have_coins_of_their_own(void **state)
{
    (void)state;
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    options.coin = MODEL_COIN_RUN;
    struct live *live = deciding(&plan, &options);
    struct model_sink sink = live_sink(live);
    uint64_t block = 0;
    uint64_t stopped = 0;
    for (uint64_t runs = 0; runs < 20; block++) {
        bool alone = live_coin_alone(live);
        assert_int_equal(alone, runs >= 4 && runs < 16);
        for (unsigned i = 0; i < (alone ? 1 : 2); i++) {
            send_run_of(&sink, runs++, block, (unsigned)(block % 3 == 0) ^ i, 0.5);
            const struct measure_progress progress = {.runs_done = runs,
                                                      .budget_ns = plan.budget_ns};
            bool goes_on = live_progress(live, &progress);
            assert_true(goes_on || runs >= 10);
            stopped = goes_on || stopped > 0 ? stopped : runs;
        }
    }
    live_free(live);
    assert_in_range(stopped, 10, 15);
}

static void no_change_goes_on(void **state)
{
    (void)state;
    assert_int_equal(runs_until_stop(0.0), RUNS_MOST);
}

/* A time of 0 has no ratio: then nothing is tried any more, whatever the run before it
 * said. */
static void a_run_that_cannot_be_used_chooses_duet(void **state)
{
    (void)state;
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    plan.choose_schedule = true;
    struct live *live = deciding(&plan, &options);
    struct model_sink sink = live_sink(live);
    computing = true;
    send_run(&sink, 0, 0.1);
    assert_false(live_is_settled(live));
    usual_ns = 0.0;
    send_run(&sink, 1, 0.1);
    usual_ns = 1e6;
    computing = false;
    assert_true(live_is_settled(live));
    assert_int_equal(live_schedule(live), MODEL_SCHEDULE_DUET);
    live_free(live);
}

/* Within a run it never stops, whatever is certain. */
static void a_run_is_not_cut_short(void **state)
{
    (void)state;
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    struct live *live = deciding(&plan, &options);
    struct model_sink sink = live_sink(live);
    for (uint64_t run = 0; run < RUNS_MOST; run++) {
        send_run(&sink, run, 0.5);
        const struct measure_progress progress = {
            .runs_done = run, .budget_ns = plan.budget_ns, .in_run = true};
        assert_true(live_progress(live, &progress));
    }
    live_free(live);
}

/* A fixed number of runs without anybody who looks: the sink is the store's. */
static void what_nobody_looks_at_is_not_kept(void **state)
{
    (void)state;
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    const struct stopping stopping = {.until = MODEL_UNTIL_FIXED};
    const struct listener nobody = {0};
    struct live *live = NULL;
    assert_int_equal(
        live_new(&plan, &options, &stopping, &store, &nobody, NULL, &live, NULL),
        DUET_OK);
    struct model_sink sink = live_sink(live);
    assert_true(sink.run_end == store.run_end);
    live_free(live);
}

static void failing_allocations_are_errors(void **state)
{
    (void)state;
    struct model_plan plan = plan_of();
    struct model_analysis options = options_of();
    const struct stopping stopping = {.until = MODEL_UNTIL_DECIDED};
    plan.choose_schedule = true;
    enum duet_code code = DUET_E_NOMEM;
    unsigned n = 0;
    while (code == DUET_E_NOMEM) {
        struct live *live = NULL;
        struct duet_error error = {0};
        alloc_fail_at(++n);
        code = live_new(&plan, &options, &stopping, &store, &listener, NULL, &live,
                        &error);
        alloc_fail_at(0);
        assert_int_equal(live == NULL, code != DUET_OK);
        live_free(live);
    }
    assert_int_equal(code, DUET_OK);
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_blocks_are_not_looked_at_after_each),
        cmocka_unit_test(a_clear_change_is_bounded_on_both_sides),
        cmocka_unit_test(an_iteration_may_take_an_hour),
        cmocka_unit_test(single_runs_have_coins_of_their_own),
        cmocka_unit_test(no_change_goes_on),
        cmocka_unit_test(a_run_that_cannot_be_used_chooses_duet),
        cmocka_unit_test(a_run_is_not_cut_short),
        cmocka_unit_test(what_nobody_looks_at_is_not_kept),
        cmocka_unit_test(failing_allocations_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
