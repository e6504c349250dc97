#include "base/alloc.h"
#include "stats/bootstrap/resample_private.h"
#include "stats/gaussian.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* What rounding may make of an estimate: a resample of the same values, added up in
 * another order, is a tie. */
static double rounding_of(const struct resample_plan *plan, double estimate)
{
    double magnitude = fabs(estimate);
    if (plan->question->contrast == STATS_CONTRAST_DIFFERENCE) {
        magnitude = fabs(stats_column_of_all(&plan->groups[0].column)) +
                    fabs(stats_column_of_all(&plan->groups[1].column));
    }
    return 64.0 * DBL_EPSILON * magnitude;
}

/* How far the replicates lie below the estimate, as a normal quantile; ties count half.
 */
static enum duet_code bias_of(const double *replicates, size_t count, double estimate,
                              double rounding, double *ret_bias,
                              struct duet_error *reterr)
{
    double below = 0.0;
    for (size_t b = 0; b < count; b++) {
        double above = replicates[b] - estimate;
        below += fabs(above) <= rounding ? 0.5 : above < 0.0 ? 1.0 : 0.0;
    }
    if (below <= 0.0 || below >= (double)count) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "all replicates lie on one side of the estimate, which leaves no BCa "
            "interval; use the percentile interval");
    }
    *ret_bias = stats_gaussian_quantile(below / (double)count);
    return DUET_OK;
}

static enum duet_code interval_bca(const struct resample_plan *plan, double *replicates,
                                   size_t count, double estimate, double level,
                                   struct stats_interval *ret_interval,
                                   struct duet_error *reterr)
{
    const double rounding = rounding_of(plan, estimate);
    double acceleration = 0.0;
    double bias = 0.0;
    enum duet_code code = resample_acceleration(plan, rounding, &acceleration, reterr);
    if (code == DUET_OK) {
        code = bias_of(replicates, count, estimate, rounding, &bias, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    double probabilities[2];
    double ends[2];
    for (int end = 0; end < 2; end++) {
        double tail = (1.0 - level) / 2.0;
        double z = bias + stats_gaussian_quantile(end == 0 ? tail : 1.0 - tail);
        double moved = bias + z / (1.0 - acceleration * z);
        probabilities[end] = stats_gaussian_below(moved);
    }
    if (!(probabilities[0] <= probabilities[1])) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the values are too skewed for a BCa interval of confidence %g; use the "
            "percentile interval",
            level);
    }
    code = stats_quantiles_type7(replicates, count, probabilities, 2, ends, reterr);
    if (code == DUET_OK) {
        *ret_interval = (struct stats_interval){ends[0], ends[1]};
    }
    return code;
}

/* Of the estimate's standard error: a resample with less has no spread, but for the
 * rounding of its sums. */
static const double spread_least = 1e-6;

/* replicates: overwritten by the pivots, how many standard errors a replicate lies from
 * the estimate, of those that have a spread. */
static size_t keep_pivots(double *replicates, const double *errors, size_t count,
                          struct resample_value estimate)
{
    size_t kept = 0;
    for (size_t b = 0; b < count; b++) {
        if (errors[b] > spread_least * estimate.error) {
            replicates[kept++] = (replicates[b] - estimate.value) / errors[b];
        }
    }
    return kept;
}

/* Replicates without spread have no pivot, and the distribution is taken given that
 * there is one. Where they are more than the interval may miss, that is no small
 * condition: the few values cannot bound it. */
static enum duet_code interval_studentized(double *replicates, const double *errors,
                                           size_t count, struct resample_value estimate,
                                           double level,
                                           struct stats_interval *ret_interval,
                                           struct duet_error *reterr)
{
    size_t kept = keep_pivots(replicates, errors, count, estimate);
    if ((double)(count - kept) > (1.0 - level) * (double)count) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "%.2g %% of the resamples have no spread, which leaves the studentized "
            "interval of confidence %g unbounded; use more values or another "
            "interval",
            100.0 * (double)(count - kept) / (double)count, level);
    }
    struct stats_interval pivot = {0};
    enum duet_code code =
        stats_interval_percentile(replicates, kept, level, &pivot, reterr);
    if (code == DUET_OK) {
        *ret_interval =
            (struct stats_interval){estimate.value - pivot.high * estimate.error,
                                    estimate.value - pivot.low * estimate.error};
    }
    return code;
}

static enum duet_code make_interval(const struct resample_plan *plan,
                                    enum stats_method method, double level,
                                    double *replicates, const double *errors,
                                    size_t count, struct stats_interval *ret_interval,
                                    struct duet_error *reterr)
{
    struct resample_value estimate = resample_estimate(plan);
    struct stats_interval plain = {0};
    enum duet_code code = DUET_OK;
    switch (method) {
    case STATS_METHOD_BCA:
        return interval_bca(plan, replicates, count, estimate.value, level,
                            ret_interval, reterr);
    case STATS_METHOD_STUDENTIZED:
        return interval_studentized(replicates, errors, count, estimate, level,
                                    ret_interval, reterr);
    case STATS_METHOD_PERCENTILE:
        return stats_interval_percentile(replicates, count, level, ret_interval,
                                         reterr);
    case STATS_METHOD_BASIC:
        code = stats_interval_percentile(replicates, count, level, &plain, reterr);
        if (code == DUET_OK) {
            *ret_interval = (struct stats_interval){2.0 * estimate.value - plain.high,
                                                    2.0 * estimate.value - plain.low};
        }
        return code;
    }
    return error_set(reterr, DUET_E_INTERNAL, "unknown interval method %d",
                     (int)method);
}

static enum duet_code check_units(const struct resample_plan *plan, double level,
                                  struct duet_error *reterr)
{
    if (!(level > 0.0 && level < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "an interval's confidence must lie between 0 and 1, got %g",
                         level);
    }
    for (size_t g = 0; g < plan->group_count; g++) {
        if (stats_sampler_units(plan->groups[g].drawn_by) < 2) {
            return error_set(
                reterr, DUET_E_TOO_FEW,
                "a bootstrap interval needs at least two values or units to draw from");
        }
    }
    return DUET_OK;
}

/* Of values that are all the same no resample has a spread, whatever rounding makes of
 * it. */
static enum duet_code check_spread(const struct resample_plan *plan,
                                   struct duet_error *reterr)
{
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct stats_group *group = &plan->question->groups[g];
        if (!stats_is_constant(group->values, group->count)) {
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_TOO_FEW,
                     "all values are the same, which leaves the studentized interval "
                     "unbounded; use another interval");
}

enum duet_code stats_resample_interval(const struct stats_question *question,
                                       const struct stats_resampling *how,
                                       enum stats_method method, double level,
                                       double *ret_estimate,
                                       struct stats_interval *ret_interval,
                                       struct duet_error *reterr)
{
    struct resample_plan plan = {0};
    struct stats_interval interval = {0};
    bool studentized = method == STATS_METHOD_STUDENTIZED;
    double *replicates = NULL;
    double *errors = NULL;
    enum duet_code code = resample_plan_init(question, studentized, &plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double estimate = resample_estimate(&plan).value;
    code = check_units(&plan, level, reterr);
    if (code == DUET_OK && studentized) {
        code = check_spread(&plan, reterr);
    }
    if (code == DUET_OK && !isfinite(estimate)) {
        code = error_set(reterr, DUET_E_DOMAIN,
                         "the estimate does not exist: it divides by 0");
    }
    if (code != DUET_OK) {
        goto cleanup;
    }
    replicates = alloc_array(how->replicates, sizeof *replicates);
    errors = studentized ? alloc_array(how->replicates, sizeof *errors) : NULL;
    if (replicates == NULL || (studentized && errors == NULL)) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for %zu bootstrap replicates",
                         how->replicates);
        goto cleanup;
    }
    code = resample_run(&plan, how, replicates, errors, reterr);
    if (code == DUET_OK) {
        code = make_interval(&plan, method, level, replicates, errors, how->replicates,
                             &interval, reterr);
    }
    if (code == DUET_OK && !(isfinite(interval.low) && isfinite(interval.high))) {
        code = error_set(reterr, DUET_E_DOMAIN,
                         "the interval ends beyond any number; take a larger unit");
    }
    if (code == DUET_OK) {
        *ret_estimate = estimate;
        *ret_interval = interval;
    }
cleanup:
    free(replicates);
    free(errors);
    resample_plan_release(&plan);
    return code;
}
