// labels: soakvalgrind
// link: duet_stats
/* Looking after every block. */
#include "analysis_data.h"

#include "stats/sequential/betting.h"
#include "stats/sequential/block_spread.h"
#include "stats/sequential/coins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Runs of three pairs each, whose log ratio is logs[block] plus or minus a positions'
 * difference of 0.3, which a block cancels. */
static struct analysis *analysis_of(const double *logs, size_t blocks,
                                    const struct model_analysis *options)
{
    struct analysis *analysis = NULL;
    assert_int_equal(analysis_new(options, true, &analysis, NULL), DUET_OK);
    for (size_t run = 0; run < 2 * blocks; run++) {
        double log_ratio = logs[run / 2] + (run % 2 == 0 ? 0.3 : -0.3);
        double old_times[] = {1e6, 2e6, 3e6};
        double new_times[3];
        for (size_t i = 0; i < 3; i++) {
            new_times[i] = old_times[i] * exp(log_ratio);
        }
        struct model_run_values values = {.run = run,
                                          .block = run / 2,
                                          .old_position = run % 2,
                                          .values = {old_times, new_times},
                                          .counts = {3, 3}};
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    return analysis;
}

static struct model_analysis anytime_options(void)
{
    struct model_analysis options = model_analysis_default();
    analysis_options_adapt(&options);
    return options;
}

static struct model_comparison answer_of(const double *logs, size_t blocks)
{
    struct model_analysis options = anytime_options();
    struct analysis *analysis = analysis_of(logs, blocks, &options);
    struct model_comparison answer = {.schedule = MODEL_SCHEDULE_DUET};
    struct duet_error error = {0};
    if (analysis_conclude(analysis, &answer, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    analysis_free(analysis);
    return answer;
}

static const double slower[] = {0.021, 0.018, 0.022, 0.019, 0.020,
                                0.023, 0.017, 0.021, 0.020, 0.018};

/* An open end is infinite as a logarithm and NaN as a ratio. */
static void assert_end(double ratio, double log_end)
{
    assert_true(isinf(log_end) ? isnan(ratio) : fabs(log(ratio) - log_end) < 1e-12);
}

static void the_interval_is_that_of_the_bets(void **state)
{
    (void)state;
    enum { BLOCKS = sizeof slower / sizeof slower[0] };
    struct stats_betting *betting = NULL;
    struct stats_interval ends = {0};
    bool conflict = false;
    struct stats_block_spread *spread = NULL;
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    assert_int_equal(stats_block_spread_new(&spread, NULL), DUET_OK);
    for (size_t i = 0; i < BLOCKS; i++) {
        double ratios[] = {slower[i] + 0.3, slower[i] - 0.3};
        struct stats_block_facts facts = {{{ratios[0], 0.0}, {ratios[1], 0.0}}};
        double of_block = 0.0;
        assert_int_equal(stats_block_spread_add(spread, &facts, &of_block, NULL),
                         DUET_OK);
        assert_int_equal(stats_betting_add(betting, slower[i], of_block, NULL),
                         DUET_OK);
    }
    stats_block_spread_free(spread);
    stats_betting_interval(betting, &ends, &conflict);
    assert_false(conflict);
    struct model_comparison answer = answer_of(slower, BLOCKS);
    assert_end(answer.interval.low, ends.low);
    assert_end(answer.interval.high, ends.high);
    assert_true(fabs(answer.p_value - stats_betting_p_value(betting)) < 1e-12);
    stats_betting_free(betting);
    assert_int_equal(answer.interval.method, MODEL_INTERVAL_ANYTIME);
    assert_int_equal(answer.interval.unit, MODEL_UNIT_BLOCKS);
    assert_int_equal(answer.p_value_method, MODEL_P_VALUE_ANYTIME);
    assert_int_equal(answer.estimator, MODEL_ESTIMATOR_MEDIAN);
    assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
    assert_true(fabs(log(answer.ratio) - 0.02) < 0.001);
}

static void too_few_blocks_leave_everything_open(void **state)
{
    (void)state;
    struct model_comparison answer = answer_of(slower, 7);
    assert_true(isnan(answer.interval.low) && isnan(answer.interval.high));
    assert_false(answer.interval_refused);
    assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
    assert_true(isnan(answer.could_have_seen));
    assert_int_equal(answer.runs, 14);
}

static void one_odd_block_does_not_move_the_ratio(void **state)
{
    (void)state;
    double logs[sizeof slower / sizeof slower[0]];
    memcpy(logs, slower, sizeof logs);
    logs[4] = 3.0;
    struct model_comparison answer = answer_of(logs, sizeof logs / sizeof logs[0]);
    assert_true(fabs(log(answer.ratio) - 0.02) < 0.002);
}

/* An end that is open does not keep the other from deciding. */
static void half_an_interval_can_decide(void **state)
{
    (void)state;
    double logs[40];
    size_t blocks = 0;
    struct model_comparison answer = {.verdict = MODEL_VERDICT_UNSURE};
    for (; blocks < 40 && answer.verdict == MODEL_VERDICT_UNSURE; blocks++) {
        logs[blocks] = -0.05 - 0.001 * (double)(blocks % 3);
        answer = answer_of(logs, blocks + 1);
    }
    assert_int_equal(blocks, 8);
    assert_int_equal(answer.verdict, MODEL_VERDICT_FASTER);
    assert_true(answer.interval.high < 1);
}

static void a_ratio_that_changes_is_said(void **state)
{
    (void)state;
    double logs[200];
    for (size_t i = 0; i < 200; i++) {
        logs[i] = (i < 100 ? 0.05 : -0.05) + 0.0001 * (double)(i % 7);
    }
    struct model_comparison answer = answer_of(logs, 200);
    assert_true(isnan(answer.interval.low) && isnan(answer.interval.high));
    assert_true(answer.interval_refused);
    assert_int_equal(answer.verdict, MODEL_VERDICT_UNSURE);
    bool said = false;
    for (size_t i = 0; i < answer.warning_count; i++) {
        said = said || strstr(answer.warnings[i].text, "changed during") != NULL;
    }
    assert_true(said);
}

static void what_was_asked_for_stays(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.estimator = MODEL_ESTIMATOR_TRIMMED;
    options.estimator_asked = true;
    analysis_options_adapt(&options);
    assert_int_equal(options.estimator, MODEL_ESTIMATOR_TRIMMED);
    assert_int_equal(options.interval, MODEL_INTERVAL_ANYTIME);
    options = model_analysis_default();
    options.interval = MODEL_INTERVAL_BCA;
    options.interval_asked = true;
    analysis_options_adapt(&options);
    assert_int_equal(options.interval, MODEL_INTERVAL_BCA);
    assert_int_equal(options.estimator, MODEL_ESTIMATOR_GEOMEAN);
}

/* What is known of the storms below. */
enum knowledge {
    OF_BOTH_SIDES,
    OF_ONE_TASK_ONLY,  /* the new side has several tasks; others were busy */
    AT_REST,           /* the same, but others had nothing of the CPUs */
    OF_EXECUTION_ONLY, /* the new side waits, too, and nobody measured what was taken */
    OF_NOTHING,
};

/* 40 blocks with a change of 2 %, of which a storm hits two pairs of three in every
 * second run: one side takes up to twice as long. */
static struct model_comparison answer_in_storms(enum knowledge knowledge,
                                                const struct model_analysis *options)
{
    struct random_stream stream = random_stream_at(31, 0);
    struct analysis *analysis = NULL;
    assert_int_equal(analysis_new(options, true, &analysis, NULL), DUET_OK);
    for (size_t run = 0; run < 80; run++) {
        double times[MODEL_SIDES][3];
        struct model_idle idle[MODEL_SIDES][3];
        for (size_t i = 0; i < 3; i++) {
            double noise = 0.002 * (random_uniform(&stream) - 0.5);
            size_t hit = random_below(&stream, MODEL_SIDES);
            double lost[MODEL_SIDES] = {0.0, 0.0};
            lost[hit] = run % 2 == 0 && i > 0 ? random_uniform(&stream) : 0.0;
            for (int side = 0; side < MODEL_SIDES; side++) {
                bool waits = side == MODEL_NEW && knowledge == OF_EXECUTION_ONLY;
                idle[side][i] =
                    (struct model_idle){.all = lost[side],
                                        .taken = waits ? (double)NAN : lost[side],
                                        .waits = waits};
            }
            times[MODEL_OLD][i] = 1e6 * exp(lost[MODEL_OLD]);
            times[MODEL_NEW][i] = 1e6 * exp(0.02 + noise + lost[MODEL_NEW]);
        }
        bool several = knowledge == OF_ONE_TASK_ONLY || knowledge == AT_REST;
        double others_ns = knowledge == AT_REST ? 1e3 : 1e9;
        struct model_run_values values = {.run = run,
                                          .block = run / 2,
                                          .old_position = run % 2,
                                          .values = {times[0], times[1]},
                                          .counts = {3, 3},
                                          .single = {true, !several},
                                          .others_ns = {others_ns, others_ns},
                                          .window_ns = {4e9, 4e9}};
        for (int side = 0; side < MODEL_SIDES && knowledge != OF_NOTHING; side++) {
            values.idle[side] = idle[side];
        }
        assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
    }
    struct model_comparison answer = {.schedule = MODEL_SCHEDULE_DUET};
    assert_int_equal(analysis_conclude(analysis, &answer, NULL), DUET_OK);
    analysis_free(analysis);
    return answer;
}

static double width_of(const struct model_comparison *answer)
{
    return answer->interval.high - answer->interval.low;
}

static void known_losses_do_not_widen_the_interval(void **state)
{
    (void)state;
    struct model_analysis options = anytime_options();
    for (int estimator = 0; estimator < MODEL_ESTIMATORS; estimator++) {
        options.estimator = (enum model_estimator)estimator;
        struct model_comparison known = answer_in_storms(OF_BOTH_SIDES, &options);
        struct model_comparison unknown = answer_in_storms(OF_NOTHING, &options);
        assert_int_equal(known.losses, MODEL_LOSSES_REMOVED);
        assert_int_equal(unknown.losses, MODEL_LOSSES_KEPT);
        assert_int_equal(known.verdict, MODEL_VERDICT_SLOWER);
        assert_true(known.interval.low < exp(0.02) && exp(0.02) < known.interval.high);
        assert_true(width_of(&known) < width_of(&unknown) / 10.0);
        assert_true(known.ratio_as_measured == unknown.ratio_as_measured);
    }
    options.losses = MODEL_LOST_KEEP;
    assert_int_equal(answer_in_storms(OF_BOTH_SIDES, &options).losses,
                     MODEL_LOSSES_KEPT);
}

/* Then the interval holds the answers to both readings. */
static void losses_known_of_one_side_are_not_taken_off(void **state)
{
    (void)state;
    struct model_analysis options = anytime_options();
    struct model_comparison plain = answer_in_storms(OF_NOTHING, &options);
    struct model_comparison known = answer_in_storms(OF_BOTH_SIDES, &options);
    const enum knowledge unknown[] = {OF_ONE_TASK_ONLY, OF_EXECUTION_ONLY};
    for (size_t i = 0; i < 2; i++) {
        struct model_comparison bounded = answer_in_storms(unknown[i], &options);
        assert_int_equal(bounded.losses, MODEL_LOSSES_BOUNDED);
        assert_true(bounded.ratio == plain.ratio);
        assert_true(bounded.interval.low <= plain.interval.low &&
                    bounded.interval.high >= plain.interval.high);
        assert_true(bounded.interval.low <= known.interval.low + 0.005 &&
                    bounded.interval.high >= known.interval.high - 0.005);
        assert_true(bounded.p_value >= plain.p_value);
    }
    /* Whose CPUs nobody else used has lost nothing. */
    struct model_comparison at_rest = answer_in_storms(AT_REST, &options);
    assert_int_equal(at_rest.losses, MODEL_LOSSES_KEPT);
    assert_true(at_rest.interval.low == plain.interval.low);
}

static void it_needs_pairs(void **state)
{
    (void)state;
    struct model_analysis options = anytime_options();
    struct duet_error error = {0};
    assert_int_equal(analysis_options_check(&options, false, &error), DUET_E_USAGE);
    assert_int_equal(analysis_options_check(&options, true, &error), DUET_OK);
}

/* Blocks of these sizes; runs in blocks of two swap the positions. */
static const size_t coin_sizes[] = {2, 2, 1, 1, 1, 1, 1, 1, 1, 2, 1};
enum { COINS = sizeof coin_sizes / sizeof coin_sizes[0], COIN_RUNS = 14 };

/* Where old was in the runs of a block of one, and what a run of a block says. */
static unsigned position_of(size_t coin, size_t run)
{
    return (unsigned)((coin % 3 == 0) ^ (run == 1));
}

static double log_of(size_t coin, size_t run)
{
    double towards = position_of(coin, run) == 0 ? 1.0 : -1.0;
    return 0.02 + 0.001 * sin(7.0 * (double)(2 * coin + run)) + 0.3 * towards;
}

static void add_coin_run(struct analysis *analysis, size_t index, size_t coin,
                         size_t run)
{
    double old_times[] = {1e6, 2e6, 3e6};
    double new_times[3];
    for (size_t i = 0; i < 3; i++) {
        new_times[i] = old_times[i] * exp(log_of(coin, run));
    }
    struct model_run_values values = {.run = index,
                                      .block = coin,
                                      .old_position = position_of(coin, run),
                                      .values = {old_times, new_times},
                                      .counts = {3, 3}};
    assert_int_equal(analysis_add_run(analysis, &values, NULL), DUET_OK);
}

/* The runs of the coins above, in order or from the last to the first. */
static struct model_comparison answer_of_coins(const struct model_analysis *options,
                                               bool backwards)
{
    struct analysis *analysis = NULL;
    struct model_comparison answer = {.schedule = MODEL_SCHEDULE_DUET};
    size_t coins[COIN_RUNS];
    size_t runs[COIN_RUNS];
    size_t count = 0;
    for (size_t coin = 0; coin < COINS; coin++) {
        for (size_t run = 0; run < coin_sizes[coin]; run++) {
            coins[count] = coin;
            runs[count++] = run;
        }
    }
    assert_int_equal(count, COIN_RUNS);
    assert_int_equal(analysis_new(options, true, &analysis, NULL), DUET_OK);
    for (size_t i = 0; i < count; i++) {
        size_t at = backwards ? count - 1 - i : i;
        add_coin_run(analysis, at, coins[at], runs[at]);
    }
    assert_int_equal(analysis_conclude(analysis, &answer, NULL), DUET_OK);
    analysis_free(analysis);
    return answer;
}

static void single_runs_are_coins_of_their_own(void **state)
{
    (void)state;
    struct stats_betting *betting = NULL;
    struct stats_coins *coins = NULL;
    struct stats_interval ends = {0};
    bool conflict = false;
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_OK);
    assert_int_equal(stats_coins_new(&coins, NULL), DUET_OK);
    for (size_t i = 0; i < COINS; i++) {
        struct stats_coin coin = {.runs = {{log_of(i, 0), 0.0}, {log_of(i, 1), 0.0}},
                                  .count = coin_sizes[i],
                                  .old_position = position_of(i, 0)};
        assert_int_equal(stats_coins_add(coins, &coin, betting, NULL), DUET_OK);
    }
    stats_betting_interval(betting, &ends, &conflict);
    struct model_analysis options = anytime_options();
    options.coin = MODEL_COIN_RUN;
    for (int backwards = 0; backwards < 2; backwards++) {
        struct model_comparison answer = answer_of_coins(&options, backwards == 1);
        /* Times are multiplied: the last digits of the log ratios differ. */
        assert_true(fabs(log(answer.interval.low) - ends.low) < 1e-6);
        assert_int_equal(answer.interval.unit, MODEL_UNIT_COINS);
        assert_int_equal(answer.verdict, MODEL_VERDICT_SLOWER);
        assert_true(fabs(log(answer.ratio) - 0.02) < 0.001);
        /* both assignments alike: the mean of e^0.3 and e^-0.3 */
        assert_true(fabs(answer.mean_change.ratio - exp(0.02) * cosh(0.3)) < 0.002);
        for (size_t i = 0; i < answer.warning_count; i++) {
            assert_null(strstr(answer.warnings[i].text, "partner"));
        }
    }
    stats_coins_free(coins);
    stats_betting_free(betting);
    /* One coin a block: the runs alone are halves of blocks. */
    options.coin = MODEL_COIN_BLOCK;
    assert_int_equal(answer_of_coins(&options, false).verdict, MODEL_VERDICT_UNSURE);
}

/* Whatever is not by bets takes runs alone in pairs of the two assignments: with the
 * positions' 0.3 in one of them the interval would be as wide. */
static void other_intervals_take_runs_in_pairs(void **state)
{
    (void)state;
    struct model_analysis options = model_analysis_default();
    options.coin = MODEL_COIN_RUN;
    struct model_comparison answer = answer_of_coins(&options, false);
    assert_int_equal(answer.interval.method, MODEL_INTERVAL_T);
    assert_int_equal(answer.interval.unit, MODEL_UNIT_BLOCKS);
    assert_true(fabs(log(answer.ratio) - 0.02) < 0.001);
    assert_true(answer.interval.high - answer.interval.low < 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_is_that_of_the_bets),
        cmocka_unit_test(too_few_blocks_leave_everything_open),
        cmocka_unit_test(one_odd_block_does_not_move_the_ratio),
        cmocka_unit_test(half_an_interval_can_decide),
        cmocka_unit_test(a_ratio_that_changes_is_said),
        cmocka_unit_test(what_was_asked_for_stays),
        cmocka_unit_test(known_losses_do_not_widen_the_interval),
        cmocka_unit_test(losses_known_of_one_side_are_not_taken_off),
        cmocka_unit_test(it_needs_pairs),
        cmocka_unit_test(single_runs_are_coins_of_their_own),
        cmocka_unit_test(other_intervals_take_runs_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
