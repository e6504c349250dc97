#include "analysis/few.h"

#include "analysis/runs/location.h"
#include "stats/bootstrap/coverage.h"

#include <inttypes.h>
#include <math.h>

/* What a side has of independent values, and how many iterations they are made of. */
struct units {
    size_t count;
    uint64_t iterations;
};

static struct units units_of(const struct model_analysis *options,
                             const struct analysis_used_runs *used,
                             enum model_side side)
{
    struct units units = {0};
    for (size_t r = 0; r < used->count; r++) {
        uint64_t values = used->runs[r]->times[side].count;
        units.count += values > 0;
        units.iterations += values;
    }
    if (options->iterations_alone && units.count == 1) {
        units.count = (size_t)units.iterations;
    }
    return units;
}

/* Those of the side that has fewer. */
static struct units fewest_of(const struct model_analysis *options,
                              const struct analysis_used_runs *used)
{
    struct units one = units_of(options, used, MODEL_OLD);
    struct units other = units_of(options, used, MODEL_NEW);
    bool fewer = one.count != other.count ? one.count < other.count
                                          : one.iterations < other.iterations;
    return fewer ? one : other;
}

size_t analysis_few_units(const struct model_analysis *options,
                          const struct analysis_used_runs *used)
{
    return fewest_of(options, used).count;
}

/* Whether the bootstrap of the pairs' means is as good as that of one sample's. */
static bool is_of_pairs_means(const struct model_analysis *options, bool paired,
                              enum stats_coverage_of *ret_interval)
{
    enum model_statistic_kind kind = options->statistic.kind;
    *ret_interval = options->interval == MODEL_INTERVAL_BCA ? STATS_COVERAGE_BCA
                    : options->interval == MODEL_INTERVAL_BASIC
                        ? STATS_COVERAGE_BASIC
                        : STATS_COVERAGE_PERCENTILE;
    return paired && options->interval != MODEL_INTERVAL_BLOCK &&
           (kind == MODEL_STATISTIC_MEAN || kind == MODEL_STATISTIC_GEOMEAN);
}

bool analysis_few_are_single(const struct model_analysis *options,
                             const struct analysis_used_runs *used)
{
    struct units old_units = units_of(options, used, MODEL_OLD);
    struct units new_units = units_of(options, used, MODEL_NEW);
    return old_units.count == old_units.iterations &&
           new_units.count == new_units.iterations;
}

double analysis_few_coverage(const struct model_analysis *options,
                             const struct analysis_used_runs *used, bool paired)
{
    enum stats_coverage_of interval = STATS_COVERAGE_DIFFERENCE;
    bool single = analysis_location(options->estimator) == STATS_LOCATION_MEAN &&
                  analysis_few_are_single(options, used);
    bool measured = options->interval == MODEL_INTERVAL_DIFFERENCE ||
                    is_of_pairs_means(options, paired, &interval);
    return single && measured
               ? stats_coverage_measured(interval, analysis_few_units(options, used),
                                         options->confidence)
               : (double)NAN;
}

bool analysis_few_lacks(const struct model_analysis *options,
                        const struct analysis_used_runs *used,
                        struct duet_error *ret_missing)
{
    struct units units[MODEL_SIDES];
    int fewest = MODEL_OLD;
    for (int side = 0; side < MODEL_SIDES; side++) {
        units[side] = units_of(options, used, (enum model_side)side);
        fewest = units[side].count < units[fewest].count ? side : fewest;
    }
    const char *name = model_side_name((enum model_side)fewest);
    if (units[fewest].count >= 2) {
        return false;
    }
    if (units[fewest].iterations < 2) {
        (void)error_set(
            ret_missing, DUET_E_TOO_FEW,
            "%s has 1 value, which says nothing about its noise; measure 5 or more a side",
            name);
        return true;
    }
    bool both = units[MODEL_OLD].count == 1 && units[MODEL_NEW].count == 1;
    (void)error_set(
        ret_missing, DUET_E_TOO_FEW,
        "%s one process%s: differences between processes (memory layout, JIT compiler) are unknown; "
        "measure 5 processes or more a side",
        both                  ? "the values of each side come from"
        : fewest == MODEL_OLD ? "the values of old come from"
                              : "the values of new come from",
        both ? " each" : "");
    return true;
}

/* How many values leave enough of them beyond a quantile; 0: of another statistic. */
static uint64_t needed_beyond(const struct model_statistic *statistic)
{
    if (statistic->kind != MODEL_STATISTIC_QUANTILE) {
        return 0;
    }
    double beyond = fmin(statistic->probability, 1.0 - statistic->probability);
    /* 1 - 0.9 is a little less than 0.1 in binary. */
    return (uint64_t)ceil(fmin(ANALYSIS_BEYOND_MIN / beyond * (1.0 - 1e-9), 1e18));
}

void analysis_few_withhold(const struct model_analysis *options,
                           const struct analysis_used_runs *used, bool paired,
                           struct model_comparison *comparison)
{
    const int enough = paired ? ANALYSIS_BOOTSTRAP_PAIRS_MIN : ANALYSIS_BOOTSTRAP_MIN;
    struct units fewest = fewest_of(options, used);
    uint64_t needed = needed_beyond(&options->statistic);
    bool none = isnan(comparison->interval.low) && isnan(comparison->interval.high);
    if (options->interval_asked || comparison->interval.method == MODEL_INTERVAL_T ||
        none || (fewest.count >= (size_t)enough && fewest.iterations >= needed)) {
        return;
    }
    comparison->verdict = MODEL_VERDICT_UNSURE;
    if (fewest.count >= (size_t)enough) {
        char name[MODEL_STATISTIC_NAME_MAX];
        model_statistic_name(&options->statistic, name);
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "no verdict: hardly any of %" PRIu64
            " values a side lie beyond %s, and the "
            "bootstrap interval is too narrow; at least %" PRIu64
            " are needed; measure more, or compare a quantile nearer to the median",
            fewest.iterations, name, needed);
        return;
    }
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "no verdict: with %zu %s%s the bootstrap interval is too narrow, and "
        "at least %d are needed; measure more, or %s",
        fewest.count, options->iterations_alone ? "values" : "runs",
        paired ? "" : " a side", enough,
        paired ? "leave --statistic out" : "compare means");
}

void analysis_few_advise(const struct model_analysis *options, size_t count,
                         size_t needed, struct model_comparison *comparison)
{
    const char *values = options->iterations_alone ? "values" : "runs";
    if (comparison->verdict != MODEL_VERDICT_UNSURE || count < 2 ||
        count >= ANALYSIS_FEW || needed <= count) {
        return;
    }
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "%zu %s a side are few: with this noise, seeing %+.3g %% takes about %zu a "
        "side; measure more",
        count, values, 100.0 * (comparison->ratio - 1.0), needed);
}
