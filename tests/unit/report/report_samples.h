/* Answers that the report's tests show, and the comparison with golden files. A golden
 * file is written anew when DUET_UPDATE_GOLDEN is set in the environment; read the
 * difference before committing it. */
#ifndef TESTS_UNIT_REPORT_SAMPLES_H
#define TESTS_UNIT_REPORT_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "support/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_UNUSED __attribute__((unused))

SAMPLES_UNUSED static struct model_summary sample_summary(double mean_ns, double sd_ns)
{
    return (struct model_summary){.count = 16,
                                  .mean_ns = mean_ns,
                                  .sd_ns = sd_ns,
                                  .median_ns = mean_ns - sd_ns / 4,
                                  .min_ns = mean_ns - sd_ns * 1.5,
                                  .max_ns = mean_ns + sd_ns * 2,
                                  .user_ns = mean_ns * 0.9,
                                  .system_ns = mean_ns * 0.08};
}

/* A command failed. */
SAMPLES_UNUSED static struct model_comparison sample_failed(void)
{
    struct model_comparison c = {.name = "broken",
                                 .side_names = {"./old", "./new"},
                                 .metric = "time",
                                 .ratio = (double)NAN,
                                 .interval = {.low = (double)NAN, .high = (double)NAN},
                                 .verdict = MODEL_VERDICT_FAILED,
                                 .failure = "it ended with status 7\nwhy"};
    return c;
}

/* A change of 3 % seen in 16 runs; every field known. */
SAMPLES_UNUSED static struct model_comparison sample_slower(void)
{
    struct model_comparison c = {
        .name = "compress",
        .side_names = {"xz -6 -k -c a.txt", "xz -6 -k -c b.txt"},
        .metric = "time",
        .schedule = MODEL_SCHEDULE_DUET,
        .mode = MODEL_MODE_COMMAND,
        .ratio = 1.0302,
        .interval = {.low = 1.0271,
                     .high = 1.0334,
                     .confidence = 0.99,
                     .method = MODEL_INTERVAL_T,
                     .unit = MODEL_UNIT_BLOCKS},
        .verdict = MODEL_VERDICT_SLOWER,
        .same_within = (double)NAN,
        .could_have_seen = 0.0045,
        .runs = 16,
        .iterations = 16,
        .winsorized = 1,
        .estimator = MODEL_ESTIMATOR_TRIMMED,
        .paired_width = 0.0021,
        .shuffled_width = 0.0111,
        .stratified_width = 0.0020,
        .measured_coverage = 0.99,
        .tails = {{1.0411, 1.0312, 1.0511}, {(double)NAN, (double)NAN, (double)NAN}},
        .mean_change = {1.0310, 1.0262, 1.0358, 0.6, false},
        .strip = {.low = 1.021,
                  .high = 1.044,
                  .counts = {1, 0, 2, 5, 8, 4, 1, [23] = 1}},
        .conditions = {.lag1_times = {0.46, 0.44},
                       .lag1_ratios = 0.02,
                       .drift = 0.031,
                       .ratio_drift = -0.0004,
                       .cpu_bias = 0.012,
                       .involuntary_per_s = 0.5,
                       .taken_ratio = 0.004}};
    c.sides[MODEL_OLD] = sample_summary(1.0211e9, 13.2e6);
    c.sides[MODEL_NEW] = sample_summary(1.0519e9, 11.4e6);
    return c;
}

/* The same with a statistic, values left out, and a family of two in which its verdict
 * is withheld. */
SAMPLES_UNUSED static void sample_everything_asked(struct model_comparison *c)
{
    c->statistic =
        (struct model_statistic_result){.statistic = {MODEL_STATISTIC_QUANTILE, 0.9},
                                        .values = {1.04e9, 1.07e9},
                                        .low = {1.03e9, 1.06e9},
                                        .high = {1.05e9, (double)NAN}};
    c->interval.method = MODEL_INTERVAL_BLOCK;
    c->interval.unit = MODEL_UNIT_CIRCULAR;
    c->interval.block_length = 3;
    c->dropped_warmup = 120;
    c->dropped_outliers = 4;
    c->p_value = 0.006;
    c->p_value_method = MODEL_P_VALUE_INTERVAL;
    c->verdict = MODEL_VERDICT_UNSURE;
    c->family = (struct model_family){.size = 2,
                                      .multiplicity = MODEL_MULTIPLICITY_HOLM,
                                      .p_adjusted = 0.012,
                                      .withheld = true};
}

/* Two and a half times as fast. */
SAMPLES_UNUSED static struct model_comparison sample_faster(void)
{
    struct model_comparison c = sample_slower();
    (void)snprintf(c.name, sizeof c.name, "decompress");
    c.ratio = 0.4;
    c.interval.low = 0.391;
    c.interval.high = 0.409;
    c.verdict = MODEL_VERDICT_FASTER;
    c.sides[MODEL_OLD] = sample_summary(2.5e6, 31e3);
    c.sides[MODEL_NEW] = sample_summary(1.0e6, 9e3);
    c.paired_width = 0.018;
    c.shuffled_width = 0.0182;
    return c;
}

SAMPLES_UNUSED static struct model_comparison sample_same(void)
{
    struct model_comparison c = sample_slower();
    (void)snprintf(c.name, sizeof c.name, "hash");
    c.ratio = 1.0004;
    c.interval.low = 0.9978;
    c.interval.high = 1.0031;
    c.verdict = MODEL_VERDICT_SAME;
    c.same_within = 0.01;
    c.could_have_seen = 0.004;
    c.sides[MODEL_OLD] = sample_summary(812.3, 4.4);
    c.sides[MODEL_NEW] = sample_summary(812.6, 4.1);
    return c;
}

SAMPLES_UNUSED static struct model_comparison sample_unsure(void)
{
    struct model_comparison c = sample_slower();
    (void)snprintf(c.name, sizeof c.name, "parse a rather long name of a benchmark");
    c.ratio = 1.0031;
    c.interval.low = 0.9948;
    c.interval.high = 1.0114;
    c.verdict = MODEL_VERDICT_UNSURE;
    c.could_have_seen = 0.0083;
    c.advice = (struct model_advice){.limit = MODEL_LIMIT_NOISE, .seconds = 221.0};
    (void)snprintf(c.advice.options, sizeof c.advice.options,
                   "--until decided,time=5min");
    (void)snprintf(c.advice.command, sizeof c.advice.command,
                   "duet --until decided,time=5min 'cat a | wc -l' './b'");
    c.sides[MODEL_OLD] = sample_summary(20.3e3, 400);
    c.sides[MODEL_NEW] = sample_summary(20.4e3, 390);
    return c;
}

/* Two runs: an estimate and nothing else. */
SAMPLES_UNUSED static struct model_comparison sample_few(void)
{
    struct model_comparison c = sample_unsure();
    c.interval.low = (double)NAN;
    c.interval.high = (double)NAN;
    c.could_have_seen = (double)NAN;
    c.strip = (struct model_strip){0};
    c.advice.limit = MODEL_LIMIT_FEW_RUNS;
    c.advice.seconds = (double)NAN;
    c.advice.command[0] = '\0';
    c.paired_width = (double)NAN;
    c.shuffled_width = (double)NAN;
    c.stratified_width = (double)NAN;
    c.measured_coverage = (double)NAN;
    c.tails[MODEL_TAIL_P90].ratio = (double)NAN;
    c.tails[MODEL_TAIL_P90].low = (double)NAN;
    c.tails[MODEL_TAIL_P90].high = (double)NAN;
    c.conditions = (struct model_conditions){.lag1_times = {(double)NAN, (double)NAN},
                                             .lag1_ratios = (double)NAN,
                                             .drift = (double)NAN,
                                             .ratio_drift = (double)NAN,
                                             .cpu_bias = (double)NAN,
                                             .involuntary_per_s = (double)NAN,
                                             .taken_ratio = (double)NAN};
    c.runs = 2;
    c.iterations = 2;
    return c;
}

SAMPLES_UNUSED static struct report_style sample_style(void)
{
    return (struct report_style){.unicode = true, .verbosity = 1};
}

#define assert_golden(text, name) \
    assert_golden_in(text, TEST_SOURCE_DIR "/unit/report/golden", name)

/* The terminal's answer has these words. */
SAMPLES_UNUSED static void check_shown(const struct model_comparison *comparison,
                                       const char *wanted)
{
    struct report_style style = sample_style();
    struct text text = {0};
    report_terminal(&text, comparison, 1, NULL, &style);
    if (strstr(text_string(&text), wanted) == NULL) {
        fail_msg("no '%s' in:\n%s", wanted, text_string(&text));
    }
    text_release(&text);
}

#endif
