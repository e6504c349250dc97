#include "analysis/history/history_series.h"

#include "analysis/random_uses.h"
#include "base/alloc.h"
#include "stats/gaussian.h"
#include "stats/history/level_split.h"
#include "stats/history/step_fit.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>

/* A standard deviation of normal values as a multiple of the median of |x|. */
static const double mad_to_sd = 1.4826;
/* As many standard deviations off, a commit is not one of its neighbours. */
static const double spike_sds = 5;
/* Differences between commits up to LAGS apart, as long as a change is in few of them.
 */
enum { LAGS = 3, EACH = 8, SPIKE_LONGEST = STATS_SPLIT_LEAST - 1 };

/* ---- Scatter ---- */

static double covariance(const struct history_series *series, size_t i, size_t j)
{
    return series->covariances[i * series->count + j];
}

static double median_of(double *values, size_t count)
{
    double median = 0;
    return stats_quantile_type7(values, count, 0.5, &median, NULL) == DUET_OK ? median
                                                                              : 0;
}

/* What neighbours differ by beyond the error between them; much is what chance makes of
 * no scatter hardly ever. A change somewhere is one difference of many. differences,
 * errors: room for `count` each. */
static void find_scatter_at(struct history_series *series, size_t lag,
                            double *differences, double *errors)
{
    size_t pairs = series->count - lag;
    for (size_t i = 0; i < pairs; i++) {
        differences[i] = fabs(series->levels[i + lag] - series->levels[i]);
        errors[i] = covariance(series, i, i) + covariance(series, i + lag, i + lag) -
                    2 * covariance(series, i, i + lag);
    }
    double sd = mad_to_sd * median_of(differences, pairs);
    double error = median_of(errors, pairs);
    double spread =
        sd * sd * (1 + 1 / sqrt((double)series->count)); /* may be too low */
    double variance = fmax(0, 0.5 * (spread - error));
    double much = error * fmax(0.5, 3 / sqrt((double)series->count / (double)lag));
    if (lag == 1 || variance > much) {
        series->scatter_variance = fmax(series->scatter_variance, variance);
    }
    series->scattered = series->scattered || variance > much;
}

static enum duet_code find_scatter(struct history_series *series,
                                   struct duet_error *reterr)
{
    double *room = alloc_array(series->count, 2 * sizeof *room);
    if (room == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t lag = 1; lag == 1 || (lag <= LAGS && series->count >= EACH * lag);
         lag++) {
        find_scatter_at(series, lag, room, room + series->count);
    }
    free(room);
    return DUET_OK;
}

/* ---- Spikes ---- */

/* Level `at` less the mean of two others (which may be the same one), in standard
 * deviations. */
static double distance(const struct history_series *series, size_t at, size_t a,
                       size_t b)
{
    double step = series->levels[at] - 0.5 * (series->levels[a] + series->levels[b]);
    double others = 0.25 * (covariance(series, a, a) + covariance(series, b, b) +
                            2 * covariance(series, a, b));
    double variance = covariance(series, at, at) + others - covariance(series, at, a) -
                      covariance(series, at, b) +
                      series->scatter_variance * (a == b ? 2 : 1.5);
    return variance > 0 ? step / sqrt(variance) : 0;
}

/* Whether indices [begin, end) are off to one side of those beside them, which differ
 * by less than half of that. */
static bool is_spike(const struct history_series *series, size_t begin, size_t end)
{
    size_t a = begin - 1;
    double gap = fabs(series->levels[end] - series->levels[a]);
    double first = distance(series, begin, a, end);
    for (size_t i = begin; i < end; i++) {
        double off = distance(series, i, a, end);
        double size =
            fabs(series->levels[i] - 0.5 * (series->levels[a] + series->levels[end]));
        if (fabs(off) <= spike_sds || off * first < 0 || size <= 2 * gap) {
            return false;
        }
    }
    return true;
}

/* Whether indices [begin, end), at an end of the series, are off from both of the next
 * two, `a` and `b`. */
static bool is_off(const struct history_series *series, size_t begin, size_t end,
                   size_t a, size_t b)
{
    for (size_t i = begin; i < end; i++) {
        if (fabs(distance(series, i, a, a)) <= spike_sds ||
            fabs(distance(series, i, b, b)) <= spike_sds ||
            distance(series, i, a, a) * distance(series, i, b, b) < 0) {
            return false;
        }
    }
    return true;
}

static void mark(const struct history_series *series, size_t begin, size_t end,
                 enum analysis_commit_kind kind)
{
    for (size_t i = begin; i < end; i++) {
        series->kinds[i] = kind;
    }
}

static void find_spikes(const struct history_series *series)
{
    size_t count = series->count;
    for (size_t i = 1; i + 1 < count; i++) {
        for (size_t length = 1; length <= SPIKE_LONGEST && i + length < count;
             length++) {
            if (series->kinds[i] == ANALYSIS_COMMIT_USUAL &&
                is_spike(series, i, i + length)) {
                mark(series, i, i + length, ANALYSIS_COMMIT_SPIKE);
            }
        }
    }
    for (size_t length = 1; length <= SPIKE_LONGEST; length++) {
        if (is_off(series, 0, length, length, length + 1)) {
            mark(series, 0, length, ANALYSIS_COMMIT_EDGE);
        }
        size_t last = count - length;
        if (is_off(series, last, count, last - 1, last - 2)) {
            mark(series, last, count, ANALYSIS_COMMIT_EDGE);
        }
    }
}

/* ---- Segments ---- */

/* The commits of a segment but for spikes: indices of the series, and their levels. */
struct segment {
    size_t *indices;
    double *levels;
    double *covariances;
    struct stats_step_fit *fits;
    size_t count;
};

static void segment_release(struct segment *segment)
{
    free(segment->indices);
    free(segment->levels);
    free(segment->covariances);
    free(segment->fits);
}

static enum duet_code segment_make(const struct history_series *series, size_t begin,
                                   size_t end, struct segment *segment,
                                   struct duet_error *reterr)
{
    size_t most = end - begin;
    segment->indices = alloc_array(most, sizeof *segment->indices);
    segment->levels = alloc_array(most, sizeof *segment->levels);
    segment->fits = alloc_array(most, sizeof *segment->fits);
    segment->covariances = alloc_array(most, most * sizeof *segment->covariances);
    if (segment->indices == NULL || segment->levels == NULL || segment->fits == NULL ||
        segment->covariances == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = begin; i < end; i++) {
        if (series->kinds[i] == ANALYSIS_COMMIT_USUAL) {
            segment->indices[segment->count] = i;
            segment->levels[segment->count++] = series->levels[i];
        }
    }
    for (size_t i = 0; i < segment->count; i++) {
        double *row = segment->covariances + i * segment->count;
        for (size_t j = 0; j < segment->count; j++) {
            row[j] = covariance(series, segment->indices[i], segment->indices[j]);
        }
        row[i] += series->scatter_variance;
    }
    return stats_step_fit_all(segment->levels, segment->covariances, segment->count,
                              segment->fits, reterr);
}

static double size_of(const struct stats_step_fit *fit)
{
    return fit->sd > 0 ? fabs(fit->step) / fit->sd : 0;
}

/* ---- Splits ---- */

struct splitting {
    const struct history_series *series;
    struct history_split *splits;
    size_t count;
    uint64_t streams; /* used so far */
};

/* The place with the largest step, and its p value. */
static enum duet_code test(struct splitting *splitting, const struct segment *segment,
                           size_t *ret_at, double *ret_p_value,
                           struct duet_error *reterr)
{
    const struct analysis_history_options *options = splitting->series->options;
    const struct stats_split_options asked = {
        .replicates = options->replicates,
        .seed = options->seed,
        .stream = analysis_stream(ANALYSIS_USE_HISTORY) + splitting->streams++};
    struct stats_split order = {0};
    size_t last = segment->count - STATS_SPLIT_LEAST;
    size_t at = STATS_SPLIT_LEAST;
    for (size_t k = STATS_SPLIT_LEAST; k <= last; k++) {
        at = size_of(&segment->fits[k]) > size_of(&segment->fits[at]) ? k : at;
    }
    double tried = (double)(last - STATS_SPLIT_LEAST + 1);
    double tails = 2 * stats_gaussian_below(-size_of(&segment->fits[at]));
    enum duet_code code = DUET_OK;
    if (splitting->series->scattered) {
        code =
            stats_split_find(segment->levels, segment->count, &asked, &order, reterr);
    }
    *ret_at = segment->indices[at];
    *ret_p_value = fmax(fmin(1, tried * tails), order.p_value);
    return code;
}

static enum duet_code split_segment(struct splitting *splitting, size_t begin,
                                    size_t end, struct duet_error *reterr)
{
    const struct history_series *series = splitting->series;
    struct segment segment = {0};
    size_t at = 0;
    double p_value = 1;
    enum duet_code code = segment_make(series, begin, end, &segment, reterr);
    if (code == DUET_OK && segment.count >= (size_t)2 * STATS_SPLIT_LEAST) {
        code = test(splitting, &segment, &at, &p_value, reterr);
    }
    segment_release(&segment);
    double share = (double)(end - begin) / (double)series->count;
    if (code != DUET_OK || p_value > series->error * share) {
        return code;
    }
    code = split_segment(splitting, begin, at, reterr);
    splitting->splits[splitting->count++] =
        (struct history_split){.at = at, .p_value = p_value};
    return code == DUET_OK ? split_segment(splitting, at, end, reterr) : code;
}

/* The step of split `index`, between those beside it. */
static enum duet_code estimate_step(struct splitting *splitting, size_t index,
                                    struct duet_error *reterr)
{
    struct history_split *split = &splitting->splits[index];
    struct segment segment = {0};
    size_t begin = index > 0 ? split[-1].at : 0;
    size_t end = index + 1 < splitting->count ? split[1].at : splitting->series->count;
    enum duet_code code = segment_make(splitting->series, begin, end, &segment, reterr);
    for (size_t k = 1; k < segment.count && code == DUET_OK; k++) {
        if (segment.indices[k] == split->at) {
            split->step = segment.fits[k].step;
            split->sd = segment.fits[k].sd;
        }
    }
    segment_release(&segment);
    return code;
}

/* Those of less than options->least, the smallest first, since the others' segments
 * become longer by it. */
static enum duet_code drop_small(struct splitting *splitting, struct duet_error *reterr)
{
    struct history_split *splits = splitting->splits;
    while (splitting->count > 0) {
        size_t smallest = 0;
        for (size_t i = 0; i < splitting->count; i++) {
            enum duet_code code = estimate_step(splitting, i, reterr);
            if (code != DUET_OK) {
                return code;
            }
            smallest =
                fabs(splits[i].step) < fabs(splits[smallest].step) ? i : smallest;
        }
        if (fabs(splits[smallest].step) >= log1p(splitting->series->options->least)) {
            break;
        }
        splitting->count--;
        for (size_t i = smallest; i < splitting->count; i++) {
            splits[i] = splits[i + 1];
        }
    }
    return DUET_OK;
}

enum duet_code history_series_split(struct history_series *series,
                                    struct history_split **ret_splits,
                                    size_t *ret_count, struct duet_error *reterr)
{
    struct splitting splitting = {
        .series = series,
        .splits = alloc_array(series->count, sizeof *splitting.splits)};
    enum duet_code code = splitting.splits == NULL ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK && series->count >= (size_t)2 * STATS_SPLIT_LEAST) {
        code = find_scatter(series, reterr);
        if (code == DUET_OK) {
            find_spikes(series);
            code = split_segment(&splitting, 0, series->count, reterr);
        }
    }
    if (code == DUET_OK) {
        code = drop_small(&splitting, reterr);
    }
    if (code != DUET_OK) {
        free(splitting.splits);
        return code;
    }
    *ret_splits = splitting.splits;
    *ret_count = splitting.count;
    return DUET_OK;
}
