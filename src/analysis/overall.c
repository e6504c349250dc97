#include "analysis/overall.h"

#include "analysis/conclude.h"

#include <math.h>

/* What is summed over the benchmarks; an end that is not known makes a sum NaN. */
struct sums {
    bool same_asked;
    size_t count;
    double logs;
    double low_logs;
    double high_logs;
    double low_distances; /* from the estimate */
    double high_distances;
    double low_squares; /* of these distances */
    double high_squares;
    double miss;       /* probabilities that an interval does, added up */
    double miss_most;  /* the largest of them */
    double asked_miss; /* the largest that was asked for, before Bonferroni */
    bool any_looks;    /* stopped by looking at the data, perhaps */
    bool any_imported; /* of processes that were those of others, perhaps */
};

/* The probability of an error that the user allows the whole family. */
static double asked_miss(const struct model_comparison *comparison)
{
    double miss = 1.0 - comparison->interval.confidence;
    const struct model_family *family = &comparison->family;
    bool parted =
        family->size > 1 && family->multiplicity == MODEL_MULTIPLICITY_BONFERRONI;
    return parted ? miss * (double)family->size : miss;
}

static double square(double value)
{
    return value * value;
}

static void add(struct sums *sums, const struct model_comparison *comparison)
{
    const struct model_interval *interval = &comparison->interval;
    double center = log(comparison->ratio);
    double low = log(interval->low);
    double high = log(interval->high);
    double below = center - low;
    double above = high - center;
    sums->count++;
    sums->logs += center;
    sums->low_logs += low;
    sums->high_logs += high;
    /* An estimate may lie a little outside its interval; not fmax(), which hides NaN.
     */
    sums->low_distances += below < 0 ? 0 : below;
    sums->high_distances += above < 0 ? 0 : above;
    sums->low_squares += below < 0 ? 0 : square(below);
    sums->high_squares += above < 0 ? 0 : square(above);
    sums->miss += 1.0 - interval->confidence;
    sums->miss_most = fmax(sums->miss_most, 1.0 - interval->confidence);
    sums->asked_miss = fmax(sums->asked_miss, asked_miss(comparison));
    sums->any_imported = sums->any_imported || comparison->imported;
    sums->any_looks = sums->any_looks || interval->method == MODEL_INTERVAL_ANYTIME;
}

static double mean_ratio(double sum_of_logs, size_t count)
{
    double ratio = exp(sum_of_logs / (double)count);
    return isfinite(ratio) ? ratio : (double)NAN;
}

static void bound(const struct sums *sums, struct model_geomean *geomean)
{
    double miss = sums->miss_most;
    if (!sums->any_looks && sums->any_imported) {
        geomean->rule = MODEL_GEOMEAN_DEPENDENT;
        geomean->low = mean_ratio(sums->logs - sums->low_distances, sums->count);
        geomean->high = mean_ratio(sums->logs + sums->high_distances, sums->count);
    } else if (!sums->any_looks) {
        geomean->rule = MODEL_GEOMEAN_INDEPENDENT;
        geomean->low = mean_ratio(sums->logs - sqrt(sums->low_squares), sums->count);
        geomean->high = mean_ratio(sums->logs + sqrt(sums->high_squares), sums->count);
    } else if (sums->miss <= sums->asked_miss * (1.0 + 1e-9)) {
        geomean->rule = MODEL_GEOMEAN_ENDS;
        geomean->low = mean_ratio(sums->low_logs, sums->count);
        geomean->high = mean_ratio(sums->high_logs, sums->count);
        miss = sums->asked_miss;
    }
    if (isnan(geomean->low) && isnan(geomean->high)) {
        geomean->rule = MODEL_GEOMEAN_NO_INTERVAL;
        return;
    }
    geomean->confidence = 1.0 - miss;
    geomean->verdict = analysis_verdict(geomean->low, geomean->high,
                                        geomean->same_within, sums->same_asked);
}

bool analysis_geomean(const struct model_comparison *comparisons, size_t count,
                      struct model_geomean *ret_geomean)
{
    struct sums sums = {0};
    struct model_geomean geomean = {.low = (double)NAN,
                                    .high = (double)NAN,
                                    .confidence = (double)NAN,
                                    .verdict = MODEL_VERDICTS};
    for (size_t i = 0; i < count; i++) {
        const struct model_comparison *comparison = &comparisons[i];
        enum model_statistic_kind kind = comparison->statistic.statistic.kind;
        /* A region is in its iteration already. */
        if (!model_comparison_is_measured(comparison) ||
            comparison->role != MODEL_ROLE_COMPARISON ||
            comparison->region[0] != '\0') {
            continue;
        }
        if (sums.count == 0) {
            sums.same_asked = comparison->same_within_asked;
            geomean.same_within = comparison->same_within;
            geomean.statistic = kind;
        }
        bool same_band = comparison->same_within >= geomean.same_within &&
                         comparison->same_within <= geomean.same_within;
        geomean.same_within = same_band ? geomean.same_within : (double)NAN;
        geomean.statistic = kind == geomean.statistic ? kind : MODEL_STATISTIC_NONE;
        add(&sums, comparison);
    }
    geomean.count = sums.count;
    geomean.ratio = sums.count > 0 ? mean_ratio(sums.logs, sums.count) : (double)NAN;
    if (sums.count < 2 || isnan(geomean.ratio)) {
        return false;
    }
    bound(&sums, &geomean);
    *ret_geomean = geomean;
    return true;
}
