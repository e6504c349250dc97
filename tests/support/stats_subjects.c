#include "support/stats_subjects.h"

#include "stats/bootstrap/blocklength.h"
#include "stats/bootstrap/resample.h"
#include "stats/bootstrap/shuffled.h"
#include "stats/bootstrap/twolevel.h"
#include "stats/moments.h"
#include "stats/multiplicity.h"
#include "stats/rank/cliff.h"
#include "stats/rank/order.h"
#include "stats/rank/ranksum.h"
#include "stats/rank/signflip.h"
#include "stats/series.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ASK(name)                                                                  \
    static enum duet_code ask_##name(const struct subject *subject,                \
                                     const struct subject_call *call, double *ret, \
                                     size_t *ret_count, struct duet_error *reterr)

static double *copy_of(const struct subject_call *call, double factor)
{
    double *copy = malloc((call->count + 1) * sizeof *copy);
    for (size_t i = 0; i < call->count && copy != NULL; i++) {
        copy[i] = call->values[i] * factor;
    }
    return copy;
}

static const struct stats_interval unknown = {(double)NAN, (double)NAN};

/* What a call that fails must leave as it was: the sentinels in `ret`. */
static void take_interval(const struct stats_interval *interval, double *ret,
                          size_t *ret_count)
{
    if (!isnan(interval->low)) {
        ret[0] = interval->low;
        ret[1] = interval->high;
    }
    *ret_count = 2;
}

/* ---- Summaries ---- */

typedef enum duet_code summary(const double *values, size_t count, double *ret_result,
                               struct duet_error *reterr);
static summary *const summaries[] = {stats_mean, stats_mean_geometric, stats_sd_sample};

ASK(summary)
{
    *ret_count = 1;
    return summaries[subject->option[0]](call->values, call->count, ret, reterr);
}

ASK(location)
{
    double *copy = copy_of(call, 1.0);
    *ret_count = 1;
    enum duet_code code = stats_location_estimate(
        (enum stats_location)subject->option[0], copy, call->count, ret, reterr);
    free(copy);
    return code;
}

ASK(quantile)
{
    double *copy = copy_of(call, 1.0);
    (void)subject;
    *ret_count = 1;
    enum duet_code code = stats_quantile_type7(copy, call->count, 0.3, ret, reterr);
    free(copy);
    return code;
}

/* ---- Series ---- */

ASK(autocorrelation)
{
    (void)subject;
    *ret_count = 3;
    return stats_autocorrelation(call->values, call->count, 2, ret, reterr);
}

ASK(block_lengths)
{
    struct stats_block_lengths lengths = {ret[0], ret[1], 0.0};
    (void)subject;
    enum duet_code code =
        stats_block_lengths_estimate(call->values, call->count, &lengths, reterr);
    ret[0] = lengths.stationary;
    ret[1] = lengths.circular;
    *ret_count = 2;
    return code;
}

ASK(steady)
{
    const struct stats_steady_options options = {.penalty = 3.0, .tail_share = 0.25};
    size_t start = 0;
    bool steady = false;
    (void)subject;
    enum duet_code code =
        stats_steady_find(call->values, call->count, &options, &start, &steady, reterr);
    if (code == DUET_OK) {
        ret[0] = (double)start;
        ret[1] = steady ? 1.0 : 0.0;
    }
    *ret_count = 2;
    return code;
}

/* ---- Intervals ---- */

ASK(t_interval)
{
    struct stats_interval interval = unknown;
    (void)subject;
    enum duet_code code =
        stats_t_interval(call->values, call->count, 0.95, &interval, reterr);
    take_interval(&interval, ret, ret_count);
    return code;
}

ASK(signflip)
{
    struct stats_interval interval = unknown;
    (void)subject;
    enum duet_code code = stats_signflip_interval(call->values, call->count, 0.5, 1, 2,
                                                  &interval, reterr);
    take_interval(&interval, ret, ret_count);
    return code;
}

ASK(percentile)
{
    struct stats_interval interval = unknown;
    const struct stats_resampling how = {.seed = 7, .replicates = call->replicates};
    (void)subject;
    enum duet_code code = stats_bootstrap_percentile(call->values, call->count, 0.9,
                                                     &how, &interval, reterr);
    take_interval(&interval, ret, ret_count);
    return code;
}

enum { NO_CONTRAST, DIFFERENCE, RATIO, PAIRED_DIFFERENCE };

/* option: statistic, method, and scheme * 4 + contrast. */
ASK(resample)
{
    struct stats_interval interval = unknown;
    const struct stats_resampling how = {.seed = 7, .replicates = call->replicates};
    double *other = copy_of(call, 1.25);
    enum stats_statistic_kind kind = (enum stats_statistic_kind)subject->option[0];
    int contrast = subject->option[2] % 4;
    struct stats_question question = {
        .statistic = {kind, kind == STATS_STATISTIC_TRIMMED ? 0.2 : 0.75},
        .scheme = (enum stats_scheme)(subject->option[2] / 4),
        .block_length = 1.0,
        .contrast = contrast == NO_CONTRAST ? STATS_CONTRAST_NONE
                    : contrast == RATIO     ? STATS_CONTRAST_RATIO
                                            : STATS_CONTRAST_DIFFERENCE,
        .paired = contrast == PAIRED_DIFFERENCE,
        .groups = {{call->values, call->count, NULL}, {other, call->count, NULL}},
    };
    if (question.scheme != STATS_SCHEME_UNITS && call->count >= 8) {
        question.block_length = 3.0;
    }
    double estimate = ret[2];
    enum duet_code code =
        stats_resample_interval(&question, &how, (enum stats_method)subject->option[1],
                                0.9, &estimate, &interval, reterr);
    take_interval(&interval, ret, ret_count);
    ret[2] = estimate;
    *ret_count = 3;
    free(other);
    return code;
}

/* Strata of one or two values each, so that any number of values has them. */
ASK(strata)
{
    struct stats_interval interval = unknown;
    const struct stats_resampling how = {.seed = 7, .replicates = call->replicates};
    size_t strata = (call->count + 1) / 2;
    size_t *each = malloc((strata + 1) * sizeof *each);
    for (size_t s = 0; s < strata && each != NULL; s++) {
        each[s] = s + 1 == strata && call->count % 2 == 1 ? 1 : 2;
    }
    const size_t *const sizes[] = {&strata, each};
    const struct stats_levels levels = {.depth = 2, .fixed = 1, .sizes = sizes};
    const struct stats_question question = {
        .statistic = {STATS_STATISTIC_MEAN, 0.0},
        .groups = {{call->values, call->count, &levels}}};
    double estimate = ret[2];
    (void)subject;
    enum duet_code code = stats_resample_interval(
        &question, &how, STATS_METHOD_PERCENTILE, 0.9, &estimate, &interval, reterr);
    take_interval(&interval, ret, ret_count);
    ret[2] = estimate;
    *ret_count = 3;
    free(each);
    return code;
}

/* Two sides of two runs. */
struct sides {
    double *other;
    struct stats_run runs[2][2];
};

static struct sides sides_of(const struct subject_call *call)
{
    struct sides sides = {.other = copy_of(call, 1.25)};
    size_t half = call->count / 2;
    for (int side = 0; side < 2; side++) {
        const double *values = side == 0 ? call->values : sides.other;
        sides.runs[side][0] = (struct stats_run){values, half};
        sides.runs[side][1] = (struct stats_run){values + half, call->count - half};
    }
    return sides;
}

ASK(two_level)
{
    const struct stats_resampling how = {.seed = 7, .replicates = call->replicates};
    struct sides sides = sides_of(call);
    struct stats_interval interval = unknown;
    const struct stats_runs from = {sides.runs[0], 2};
    const struct stats_runs to = {sides.runs[1], 2};
    double *replicates = calloc(call->replicates, sizeof *replicates);
    (void)subject;
    enum duet_code code = stats_twolevel_difference(&from, &to, STATS_LOCATION_MEAN,
                                                    &how, replicates, reterr);
    if (code == DUET_OK) {
        code = stats_interval_percentile(replicates, call->replicates, 0.9, &interval,
                                         reterr);
    }
    take_interval(&interval, ret, ret_count);
    free(replicates);
    free(sides.other);
    return code;
}

/* ---- Two samples ---- */

/* The second sample: the first one's values, and as many again a quarter larger. */
ASK(two_sample)
{
    double *other = malloc(2 * call->count * sizeof *other + 1);
    for (size_t i = 0; i < 2 * call->count && other != NULL; i++) {
        other[i] = call->values[i / 2] * (i % 2 == 0 ? 1.0 : 1.25);
    }
    double *own = copy_of(call, 1.0);
    struct stats_dominance dominance;
    struct stats_ranksum ranksum;
    struct stats_cliff cliff;
    (void)subject;
    enum duet_code code = stats_dominance_count(own, call->count, other,
                                                2 * call->count, &dominance, reterr);
    free(own);
    free(other);
    if (code == DUET_OK) {
        code = stats_ranksum_test(&dominance, STATS_RANKSUM_AUTO, &ranksum, reterr);
    }
    if (code == DUET_OK) {
        code = stats_cliff_delta(&dominance, 0.95, &cliff, reterr);
    }
    if (code == DUET_OK) {
        ret[0] = ranksum.u / ((double)call->count * (double)call->count);
        ret[1] = ranksum.p_value;
        ret[2] = cliff.delta;
        ret[3] = (double)cliff.magnitude;
        ret[4] = cliff.interval.low;
        ret[5] = cliff.interval.high;
    }
    /* One value has no interval, and says so by NaN. */
    *ret_count = call->count >= 2 ? 6 : 4;
    return code;
}

#define SUMMARY(of, index, ...)                                              \
    {                                                                        \
        .name = of, .ask = ask_summary, .option = {index, 0, 0}, __VA_ARGS__ \
    }
#define LOCATION(of, which, ...)                              \
    {                                                         \
        .name = of, .ask = ask_location, .fewest = 1,         \
        .option = {STATS_LOCATION_##which, 0, 0}, __VA_ARGS__ \
    }
#define RESAMPLE(of, statistic, method, scheme, contrast, ...)         \
    {                                                                  \
        .name = of, .ask = ask_resample, .order = SUBJECT_SAMPLED,     \
        .option = {STATS_STATISTIC_##statistic, STATS_METHOD_##method, \
                   STATS_SCHEME_##scheme * 4 + (contrast)},            \
        __VA_ARGS__                                                    \
    }

const struct subject subjects[] = {
    SUMMARY("mean", 0, .fewest = 1, .same_twice = true),
    SUMMARY("geometric mean", 1, .kind = SUBJECT_GEOMETRIC, .fewest = 1,
            .positive = true, .same_twice = true),
    SUMMARY("sample sd", 2, .kind = SUBJECT_WIDTH, .fewest = 2),
    {.name = "quantile", .ask = ask_quantile, .fewest = 1},
    LOCATION("location: mean", MEAN, .same_twice = true),
    LOCATION("location: trimmed mean", TRIMMED, .same_twice = false),
    LOCATION("location: median", MEDIAN, .same_twice = true),
    {.name = "autocorrelation",
     .ask = ask_autocorrelation,
     .kind = SUBJECT_SHARE,
     .order = SUBJECT_ORDERED,
     .fewest = 3,
     .no_constant = true},
    {.name = "block lengths",
     .ask = ask_block_lengths,
     .kind = SUBJECT_SHARE,
     .order = SUBJECT_ORDERED,
     .fewest = 11},
    {.name = "steady state",
     .ask = ask_steady,
     .kind = SUBJECT_SHARE,
     .order = SUBJECT_ORDERED,
     .fewest = 4},
    {.name = "t interval", .ask = ask_t_interval, .fewest = 2},
    {.name = "sign-flip interval", .ask = ask_signflip, .fewest = 2},
    {.name = "percentile interval of the mean",
     .ask = ask_percentile,
     .order = SUBJECT_SAMPLED,
     .fewest = 2,
     .threads = true},
    RESAMPLE("percentile, mean", MEAN, PERCENTILE, UNITS, NO_CONTRAST, .threads = true,
             .fewest = 2),
    RESAMPLE("percentile, geometric mean", GEOMEAN, PERCENTILE, UNITS, NO_CONTRAST,
             .kind = SUBJECT_GEOMETRIC, .positive = true, .fewest = 2),
    RESAMPLE("percentile, median", MEDIAN, PERCENTILE, UNITS, NO_CONTRAST,
             .threads = true, .fewest = 2),
    RESAMPLE("percentile, quantile", QUANTILE, PERCENTILE, UNITS, NO_CONTRAST,
             .fewest = 2),
    RESAMPLE("percentile, trimmed mean", TRIMMED, PERCENTILE, UNITS, NO_CONTRAST,
             .fewest = 2),
    RESAMPLE("percentile, CV", CV, PERCENTILE, UNITS, NO_CONTRAST,
             .kind = SUBJECT_SHARE, .no_shift = true, .fewest = 2),
    RESAMPLE("basic, mean", MEAN, BASIC, UNITS, NO_CONTRAST, .fewest = 2),
    RESAMPLE("basic, median", MEDIAN, BASIC, UNITS, NO_CONTRAST, .fewest = 2),
    RESAMPLE("BCa, mean", MEAN, BCA, UNITS, NO_CONTRAST, .fewest = 2),
    RESAMPLE("BCa, quantile", QUANTILE, BCA, UNITS, NO_CONTRAST, .fewest = 2),
    RESAMPLE("BCa, CV", CV, BCA, UNITS, NO_CONTRAST, .kind = SUBJECT_SHARE,
             .no_shift = true, .fewest = 2),
    RESAMPLE("studentized, mean", MEAN, STUDENTIZED, UNITS, NO_CONTRAST, .fewest = 2,
             .no_spread = true),
    RESAMPLE("studentized, geometric mean", GEOMEAN, STUDENTIZED, UNITS, NO_CONTRAST,
             .kind = SUBJECT_GEOMETRIC, .positive = true, .fewest = 2,
             .no_spread = true),
    RESAMPLE("percentile, circular blocks", MEAN, PERCENTILE, CIRCULAR, NO_CONTRAST,
             .threads = true, .fewest = 2),
    RESAMPLE("percentile, moving blocks", MEAN, PERCENTILE, MOVING, NO_CONTRAST,
             .fewest = 2),
    RESAMPLE("BCa, stationary blocks, median", MEDIAN, BCA, STATIONARY, NO_CONTRAST,
             .threads = true, .fewest = 2),
    RESAMPLE("percentile, difference of means", MEAN, PERCENTILE, UNITS, DIFFERENCE,
             .kind = SUBJECT_WIDTH, .no_shift = true, .fewest = 2),
    RESAMPLE("BCa, difference of medians", MEDIAN, BCA, UNITS, DIFFERENCE,
             .kind = SUBJECT_WIDTH, .no_shift = true, .fewest = 2),
    RESAMPLE("percentile, ratio of means", MEAN, PERCENTILE, UNITS, RATIO,
             .kind = SUBJECT_SHARE, .no_shift = true, .fewest = 2),
    RESAMPLE("BCa, ratio of geometric means", GEOMEAN, BCA, UNITS, RATIO,
             .kind = SUBJECT_SHARE, .positive = true, .no_shift = true, .fewest = 2),
    RESAMPLE("studentized, ratio of means", MEAN, STUDENTIZED, UNITS, RATIO,
             .kind = SUBJECT_SHARE, .no_shift = true, .fewest = 2, .no_spread = true),
    RESAMPLE("percentile, paired difference", MEAN, PERCENTILE, UNITS,
             PAIRED_DIFFERENCE, .kind = SUBJECT_WIDTH, .no_shift = true, .fewest = 2),
    {.name = "strata, percentile",
     .ask = ask_strata,
     .order = SUBJECT_ORDERED,
     .fewest = 2},
    {.name = "two levels, percentile",
     .ask = ask_two_level,
     .kind = SUBJECT_WIDTH,
     .order = SUBJECT_ORDERED,
     .fewest = 2,
     .threads = true,
     .no_shift = true},
    {.name = "rank-sum test, Cliff's delta",
     .ask = ask_two_sample,
     .kind = SUBJECT_SHARE,
     .fewest = 1,
     .no_shift = true},
};
const size_t subjects_count = sizeof subjects / sizeof subjects[0];
