#include "stats/series.h"

#include "base/alloc.h"
#include "stats/gaussian.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENT_MIN = 2 };

static const double variance_floor = 1e-6; /* of the whole series' variance */
/* Means that are this share of the series' deviation further apart than they may be
 * are as far apart as they may be: they are differences of rounded sums. */
static const double rounding = 1e-9;

/* Sums of centred[i] * centred[i - lag], for lags 0..lags. */
static void products_of(const double *centred, size_t count, size_t lags, double *made)
{
    for (size_t lag = 0; lag <= lags; lag++) {
        struct stats_sum sum = {0};
        for (size_t i = lag; i < count; i++) {
            stats_sum_add(&sum, centred[i] * centred[i - lag]);
        }
        made[lag] = stats_sum_value(&sum);
    }
}

enum duet_code stats_autocorrelation(const double *values, size_t count, size_t lags,
                                     double *ret_correlations,
                                     struct duet_error *reterr)
{
    if (count <= lags) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "autocorrelations up to lag %zu need more than %zu values",
                         lags, count);
    }
    double *made = alloc_array(lags + 1, sizeof *made);
    double *centred = alloc_array(count, sizeof *centred);
    enum duet_code code = DUET_OK;
    if (made == NULL || centred == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for %zu values and %zu lags",
                         count, lags);
    } else {
        code = stats_centre(values, count, centred, reterr);
    }
    if (code == DUET_OK) {
        products_of(centred, count, lags, made);
        if (!(made[0] > 0.0)) {
            code = error_set(reterr, DUET_E_DOMAIN,
                             "a constant series has no autocorrelation");
        }
    }
    for (size_t lag = 0; lag <= lags && code == DUET_OK; lag++) {
        ret_correlations[lag] = made[lag] / made[0];
    }
    free(made);
    free(centred);
    return code;
}

enum duet_code stats_lag1_test(const double *values, size_t count,
                               double *ret_correlation, double *ret_p_value,
                               struct duet_error *reterr)
{
    double correlations[2];
    if (count < STATS_LAG1_MIN) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a test of dependence needs at least %d values, got %zu",
                         STATS_LAG1_MIN, count);
    }
    enum duet_code code = stats_autocorrelation(values, count, 1, correlations, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double n = (double)count;
    double mean = -1.0 / n;
    double variance = (n * n * n * n - 4.0 * n * n * n + 3.0 * n * n + 4.0 * n - 4.0) /
                      ((n + 1.0) * n * n * (n - 1.0) * (n - 1.0));
    *ret_correlation = correlations[1];
    *ret_p_value = stats_gaussian_below(-(correlations[1] - mean) / sqrt(variance));
    return DUET_OK;
}

struct stats_steady_options stats_steady_options_default(void)
{
    return (struct stats_steady_options){.penalty = 15.0, .tail_share = 0.25};
}

/* A beginning of the last segment that may still be best. */
struct candidate {
    size_t begin;
    double cost; /* at the current end, without the penalty */
    bool beaten; /* at an earlier end */
};

/* Sums of the centred values and of their squares before each value, and what PELT
 * keeps for each end: the cost of the best segmentation before it, where that one's
 * last segment begins, and the beginnings that may still be best. */
struct pelt {
    double *sums;
    double *squares;
    double *costs;
    size_t *begins;
    struct candidate *candidates;
    double variance; /* of all values */
    double floor;    /* of a segment's */
};

static void pelt_release(struct pelt *pelt)
{
    free(pelt->sums);
    free(pelt->squares);
    free(pelt->costs);
    free(pelt->begins);
    free(pelt->candidates);
}

/* The variance of what rounding to the clock's steps took away (Sheppard's correction):
 * a twelfth of the square of the smallest difference of two values. scratch: as many
 * values. */
static double rounding_variance(const double *values, size_t count, double *scratch)
{
    double step = (double)INFINITY;
    memcpy(scratch, values, count * sizeof *scratch);
    stats_sort(scratch, count);
    for (size_t i = 1; i < count; i++) {
        double apart = scratch[i] - scratch[i - 1];
        step = apart > 0.0 ? fmin(step, apart) : step;
    }
    return isfinite(step) ? step * step / 12.0 : 0.0;
}

static enum duet_code pelt_init(struct pelt *pelt, const double *values, size_t count,
                                struct duet_error *reterr)
{
    *pelt = (struct pelt){
        .sums = alloc_array(count + 1, sizeof *pelt->sums),
        .squares = alloc_array(count + 1, sizeof *pelt->squares),
        .costs = alloc_array(count + 1, sizeof *pelt->costs),
        .begins = alloc_array(count + 1, sizeof *pelt->begins),
        .candidates = alloc_array(count + 1, sizeof *pelt->candidates),
    };
    if (pelt->sums == NULL || pelt->squares == NULL || pelt->costs == NULL ||
        pelt->begins == NULL || pelt->candidates == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a series of %zu values",
                         count);
    }
    double *centred = pelt->sums + 1; /* overwritten one after the other */
    enum duet_code code = stats_centre(values, count, centred, reterr);
    double rounded =
        code == DUET_OK ? rounding_variance(centred, count, pelt->costs) : 0.0;
    struct stats_sum sum = {0};
    struct stats_sum squares = {0};
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        double off = centred[i];
        stats_sum_add(&sum, off);
        stats_sum_add(&squares, off * off);
        pelt->sums[i + 1] = stats_sum_value(&sum);
        pelt->squares[i + 1] = stats_sum_value(&squares);
    }
    pelt->variance = pelt->squares[count] / (double)count;
    pelt->floor = fmax(variance_floor * pelt->variance, rounded);
    return code;
}

static double segment_mean(const struct pelt *pelt, size_t from, size_t to)
{
    return (pelt->sums[to] - pelt->sums[from]) / (double)(to - from);
}

static double segment_variance(const struct pelt *pelt, size_t from, size_t to)
{
    double size = (double)(to - from);
    double sum = pelt->sums[to] - pelt->sums[from];
    double about = pelt->squares[to] - pelt->squares[from] - sum * sum / size;
    return fmax(about / size, 0.0);
}

/* Twice the negative log likelihood of a normal segment whose variance is at least the
 * floor, less what is the same for every segmentation. */
static double segment_cost(const struct pelt *pelt, size_t from, size_t to)
{
    double size = (double)(to - from);
    double variance = segment_variance(pelt, from, to);
    return variance > pelt->floor
               ? size * log(variance)
               : size * (log(pelt->floor) + variance / pelt->floor - 1.0);
}

/* Fills costs[] and begins[] for every end. A beginning whose cost without the penalty
 * is above the best at some end can never be best again, as a change there would be
 * better (Killick et al. 2012, theorem 3.1), but only where a segment from that end on
 * is long enough: not yet at the next end. */
static void pelt_run(struct pelt *pelt, size_t count, double penalty)
{
    size_t kept = 1;
    pelt->costs[0] = -penalty;
    pelt->candidates[0] = (struct candidate){0};
    for (size_t end = SEGMENT_MIN; end <= count; end++) {
        double best = (double)INFINITY;
        for (size_t c = 0; c < kept; c++) {
            struct candidate *candidate = &pelt->candidates[c];
            candidate->cost = pelt->costs[candidate->begin] +
                              segment_cost(pelt, candidate->begin, end);
            if (candidate->cost + penalty < best) {
                best = candidate->cost + penalty;
                pelt->begins[end] = candidate->begin;
            }
        }
        pelt->costs[end] = best;
        size_t still = 0;
        for (size_t c = 0; c < kept; c++) {
            struct candidate candidate = pelt->candidates[c];
            if (!candidate.beaten) {
                candidate.beaten = candidate.cost > best;
                pelt->candidates[still++] = candidate;
            }
        }
        kept = still;
        if (end >= 2 * (size_t)SEGMENT_MIN - 1) {
            /* The shortest segment that begins here ends at the next end. */
            pelt->candidates[kept++] =
                (struct candidate){.begin = end - SEGMENT_MIN + 1};
        }
    }
}

static enum duet_code check(size_t count, double penalty, struct duet_error *reterr)
{
    if (count < STATS_STEADY_VALUES_MIN) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "a steady state can be found among at least %d values, got %zu; "
            "do more iterations in each run, or drop a fixed number",
            STATS_STEADY_VALUES_MIN, count);
    }
    if (!(penalty >= 0.0 && isfinite(penalty))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the penalty of a change must not be negative, got %g",
                         penalty);
    }
    return DUET_OK;
}

static enum duet_code find(const double *values, size_t count, double penalty,
                           struct pelt *pelt, struct duet_error *reterr)
{
    enum duet_code code = check(count, penalty, reterr);
    if (code == DUET_OK) {
        code = stats_check_finite(values, count, reterr);
    }
    if (code == DUET_OK) {
        code = pelt_init(pelt, values, count, reterr);
    }
    if (code == DUET_OK && pelt->floor > 0.0) {
        pelt_run(pelt, count, penalty * log((double)count));
    }
    return code;
}

enum duet_code stats_steady_find(const double *values, size_t count,
                                 const struct stats_steady_options *options,
                                 size_t *ret_start, bool *ret_steady,
                                 struct duet_error *reterr)
{
    struct pelt pelt = {0};
    enum duet_code code = find(values, count, options->penalty, &pelt, reterr);
    if (code == DUET_OK && !(options->tail_share > 0.0 && options->tail_share <= 1.0)) {
        code = error_set(reterr, DUET_E_DOMAIN,
                         "the steady share of a series must lie in (0, 1], got %g",
                         options->tail_share);
    }
    if (code == DUET_OK) {
        size_t start = pelt.begins[count];
        double mean = segment_mean(&pelt, start, count);
        double near = sqrt(segment_variance(&pelt, start, count)) +
                      rounding * sqrt(pelt.variance);
        while (start > 0 &&
               fabs(segment_mean(&pelt, pelt.begins[start], start) - mean) <= near) {
            start = pelt.begins[start];
        }
        *ret_start = start;
        *ret_steady = (double)(count - start) >= options->tail_share * (double)count;
    }
    pelt_release(&pelt);
    return code;
}
