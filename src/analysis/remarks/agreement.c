#include "analysis/remarks/agreement.h"

#include "analysis/runs/losses.h"
#include "base/alloc.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

/* Below it a disagreement does not matter. */
static const double least_apart = 0.005;
/* Shown from this p value on ... */
static const double surely = 0.01;
/* ... and a verdict is taken back from this one on: keeping it wrongly is worse than
 * taking it back wrongly. */
static const double probably = 0.05;
/* `same` takes a mean that is known to lie within so many times the limit: of few
 * single executions, one or two may be slow, which no test tells from noise. */
static const double mean_limits = 2.0;

/* A block, or a run where there are none. */
struct unit {
    double means[MODEL_SIDES];
    double log_ratio;
};

/* Both runs of a block weigh alike, however many iterations they have: each is free of
 * the CPUs' difference only together with the other. */
static size_t units_of(const struct analysis_used_runs *used, struct unit *ret_units)
{
    size_t count = 0;
    size_t of_unit = used->block_count > 0 ? 2 : 1;
    for (size_t r = 0; r + of_unit <= used->count;) {
        const struct analysis_run_summary *first = used->runs[r];
        const struct analysis_run_summary *last = used->runs[r + of_unit - 1];
        if (used->blocks[r] != used->blocks[r + of_unit - 1]) {
            r++;
            continue;
        }
        struct unit unit = {
            .log_ratio = 0.5 * (analysis_losses_facts(first, used->reading)->log_ratio +
                                analysis_losses_facts(last, used->reading)->log_ratio)};
        for (int side = 0; side < MODEL_SIDES; side++) {
            unit.means[side] = 0.5 * (analysis_losses_mean(first, used->reading)[side] +
                                      analysis_losses_mean(last, used->reading)[side]);
        }
        ret_units[count++] = unit;
        r += of_unit;
    }
    return count;
}

/* Means of the units: of each side's means, and of the log ratios. */
static struct unit average(const struct unit *units, size_t count)
{
    struct stats_sum sums[MODEL_SIDES] = {{0}};
    struct stats_sum logs = {0};
    struct unit average = {0};
    for (size_t u = 0; u < count; u++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            stats_sum_add(&sums[side], units[u].means[side]);
        }
        stats_sum_add(&logs, units[u].log_ratio);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        average.means[side] = stats_sum_value(&sums[side]) / (double)count;
    }
    average.log_ratio = stats_sum_value(&logs) / (double)count;
    return average;
}

static enum duet_code change_of(const struct unit *units, size_t count,
                                double confidence, double log_ratio,
                                struct model_mean_change *ret_change,
                                struct duet_error *reterr)
{
    const struct unit center = average(units, count);
    double change = log(center.means[MODEL_NEW]) - log(center.means[MODEL_OLD]);
    double squares = 0.0; /* of what each unit adds to the change ... */
    double apart = 0.0;   /* ... and to its distance from the log ratios */
    for (size_t u = 0; u < count; u++) {
        double adds = units[u].means[MODEL_NEW] / center.means[MODEL_NEW] -
                      units[u].means[MODEL_OLD] / center.means[MODEL_OLD];
        double differs = adds - (units[u].log_ratio - center.log_ratio);
        squares += adds * adds;
        apart += differs * differs;
    }
    double degrees = (double)(count - 1);
    double quantile = 0.0;
    enum duet_code code =
        stats_t_quantile(0.5 + confidence / 2.0, degrees, &quantile, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double error = sqrt(squares / degrees / (double)count);
    double half = quantile * error;
    /* A distance of nothing, however certain, is no sign that the other one is real. */
    double within_units = change - center.log_ratio;
    double p_value = stats_t_p_value(change - log_ratio, error, degrees);
    if (fabs(within_units) > least_apart && within_units * (change - log_ratio) > 0.0) {
        double within_error = sqrt(apart / degrees / (double)count);
        p_value = fmin(p_value, stats_t_p_value(within_units, within_error, degrees));
    }
    *ret_change = (struct model_mean_change){.ratio = exp(change),
                                             .low = exp(change - half),
                                             .high = exp(change + half),
                                             .p_value = p_value};
    return DUET_OK;
}

enum duet_code analysis_mean_change(const struct analysis_used_runs *used,
                                    double confidence, double log_ratio,
                                    struct model_mean_change *ret_change,
                                    struct duet_error *reterr)
{
    struct unit *units = alloc_array(used->count, sizeof *units);
    if (units == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", used->count);
    }
    size_t count = units_of(used, units);
    enum duet_code code = DUET_OK;
    if (count >= ANALYSIS_AGREEMENT_UNITS && isfinite(log_ratio)) {
        code = change_of(units, count, confidence, log_ratio, ret_change, reterr);
    } else {
        *ret_change = (struct model_mean_change){(double)NAN, (double)NAN, (double)NAN,
                                                 (double)NAN, false};
    }
    free(units);
    return code;
}

static bool beyond(double ratio, double band)
{
    return ratio > band || ratio < 1.0 / band;
}

bool analysis_agreement_certain(const struct model_mean_change *mean,
                                const struct model_interval *interval,
                                double same_within)
{
    if (interval->low > 1.0) {
        return mean->low > 1.0;
    }
    if (interval->high < 1.0) {
        return mean->high < 1.0;
    }
    double wide = 1.0 + mean_limits * same_within;
    return mean->low > 1.0 / wide && mean->high < wide;
}

static bool mean_allows_same(const struct model_comparison *comparison, bool apart)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    double band = 1.0 + comparison->same_within;
    double wide = 1.0 + mean_limits * comparison->same_within;
    bool changed = mean->low > 1.0 || mean->high < 1.0;
    bool open = beyond(mean->low, wide) || beyond(mean->high, wide);
    return !open && !((changed || apart) && beyond(mean->ratio, band));
}

static bool tails_allow_same(const struct model_comparison *comparison)
{
    double band = 1.0 + comparison->same_within;
    for (int level = 0; level < MODEL_TAILS; level++) {
        const struct model_tail *tail = &comparison->tails[level];
        if (tail->low > band || tail->high < 1.0 / band) {
            return false;
        }
    }
    return true;
}

/* Whether the mean may go the other way, or not at all. */
static bool mean_allows_change(const struct model_comparison *comparison, bool apart)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    if (comparison->verdict == MODEL_VERDICT_SLOWER) {
        return !(mean->high < 1.0 ||
                 (apart && mean->low <= 1.0 && mean->ratio < comparison->ratio));
    }
    return !(mean->low > 1.0 ||
             (apart && mean->high >= 1.0 && mean->ratio > comparison->ratio));
}

/* Whether the mean changed otherwise, at a level. */
static bool apart_at(const struct model_comparison *comparison, double level)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    return mean->p_value <= level &&
           fabs(log(mean->ratio) - log(comparison->ratio)) > least_apart;
}

/* An estimate may lie at an end of its interval: what that holds is no disagreement to
 * show. */
static bool surely_disagrees(const struct model_comparison *comparison)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    const struct model_interval *interval = &comparison->interval;
    bool outside = mean->ratio < interval->low || mean->ratio > interval->high;
    return outside && apart_at(comparison, surely);
}

static enum model_doubt doubt_of(const struct model_comparison *comparison)
{
    switch (comparison->verdict) {
    case MODEL_VERDICT_SAME:
        if (!mean_allows_same(comparison, apart_at(comparison, probably))) {
            return MODEL_DOUBT_MEAN;
        }
        return tails_allow_same(comparison) ? MODEL_DOUBT_NONE : MODEL_DOUBT_TAIL;
    case MODEL_VERDICT_SLOWER:
    case MODEL_VERDICT_FASTER:
        return mean_allows_change(comparison, apart_at(comparison, probably))
                   ? MODEL_DOUBT_NONE
                   : MODEL_DOUBT_MEAN;
    case MODEL_VERDICT_UNSURE:
    case MODEL_VERDICT_IDENTICAL:
    case MODEL_VERDICT_FAILED:
    case MODEL_VERDICTS:
        break;
    }
    return MODEL_DOUBT_NONE;
}

void analysis_agreement_judge(struct model_comparison *comparison)
{
    comparison->mean_change.disagrees = surely_disagrees(comparison);
    comparison->doubt = doubt_of(comparison);
    if (comparison->doubt != MODEL_DOUBT_NONE) {
        comparison->verdict = MODEL_VERDICT_UNSURE;
    }
}

enum duet_code analysis_agreement(const struct analysis_used_runs *used, bool applies,
                                  struct model_comparison *comparison,
                                  struct duet_error *reterr)
{
    comparison->doubt = MODEL_DOUBT_NONE;
    comparison->mean_change = (struct model_mean_change){
        (double)NAN, (double)NAN, (double)NAN, (double)NAN, false};
    if (!applies) {
        return DUET_OK;
    }
    enum duet_code code =
        analysis_mean_change(used, comparison->interval.confidence,
                             log(comparison->ratio), &comparison->mean_change, reterr);
    if (code == DUET_OK) {
        analysis_agreement_judge(comparison);
    }
    return code;
}
