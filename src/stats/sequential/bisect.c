#include "stats/sequential/bisect.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nobody stakes all. */
static const double boldest = 1.0 - 1e-9;

struct stats_bisect {
    size_t last;
    struct stats_bisect_options options;
    double log_limit;     /* ln(2 / alpha) */
    double *log_evidence; /* ln K_b, by b; INFINITY: dropped */
    double *weights;      /* by b; [0] is 0 */
    double *below;        /* P(i), by i */
    bool *skipped;        /* by commit */
    size_t blocks;
    /* Differences between neighbouring blocks of the same commit, ascending. */
    double *steps;
    size_t step_count;
    size_t step_capacity;
    double previous; /* log ratio of the block before */
    size_t previous_at;
    bool has_previous;
};

static enum duet_code check(size_t last, const struct stats_bisect_options *options,
                            struct duet_error *reterr)
{
    if (last == 0 || last > STATS_BISECT_COMMITS_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a bisection takes 1 to %d commits, got %zu",
                         STATS_BISECT_COMMITS_MAX, last);
    }
    if (!(options->alpha > 0.0 && options->alpha < 1.0 && options->threshold > 0.0 &&
          isfinite(options->threshold) && options->eta >= 0.0 && options->eta <= 0.5)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a bisection takes alpha in (0, 1), a threshold above 0 and eta in [0, 0.5], got %g, %g and %g",
            options->alpha, options->threshold, options->eta);
    }
    return DUET_OK;
}

/* NULL: no memory. */
static struct stats_bisect *allocate(size_t last)
{
    struct stats_bisect *bisect = alloc_array(1, sizeof *bisect);
    if (bisect == NULL) {
        return NULL;
    }
    bisect->last = last;
    bisect->log_evidence = alloc_array(last + 1, sizeof(double));
    bisect->weights = alloc_array(last + 1, sizeof(double));
    bisect->below = alloc_array(last + 1, sizeof(double));
    bisect->skipped = alloc_array(last + 1, sizeof(bool));
    if (bisect->log_evidence == NULL || bisect->weights == NULL ||
        bisect->below == NULL || bisect->skipped == NULL) {
        stats_bisect_free(bisect);
        return NULL;
    }
    return bisect;
}

/* Weights that add up to 1, and their sums. */
static void normalize(struct stats_bisect *bisect)
{
    double sum = 0.0;
    for (size_t b = 1; b <= bisect->last; b++) {
        sum += bisect->weights[b];
    }
    double below = 0.0;
    for (size_t b = 1; b <= bisect->last; b++) {
        bisect->weights[b] = sum > 0.0 ? bisect->weights[b] / sum : 0.0;
        below += bisect->weights[b];
        bisect->below[b] = fmin(below, 1.0);
    }
}

enum duet_code stats_bisect_new(size_t last, const struct stats_bisect_options *options,
                                struct stats_bisect **ret_bisect,
                                struct duet_error *reterr)
{
    enum duet_code code = check(last, options, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_bisect *bisect = allocate(last);
    if (bisect == NULL) {
        return error_no_memory(reterr);
    }
    bisect->options = *options;
    bisect->log_limit = log(2.0 / options->alpha);
    for (size_t b = 1; b <= last; b++) {
        bisect->weights[b] = 1.0;
    }
    normalize(bisect);
    *ret_bisect = bisect;
    return DUET_OK;
}

void stats_bisect_free(struct stats_bisect *bisect)
{
    if (bisect != NULL) {
        free(bisect->log_evidence);
        free(bisect->weights);
        free(bisect->below);
        free(bisect->skipped);
        free(bisect->steps);
        free(bisect);
    }
}

static enum duet_code check_block(double log_ratio, struct duet_error *reterr)
{
    return isfinite(log_ratio)
               ? DUET_OK
               : error_set(reterr, DUET_E_DOMAIN,
                           "a block's log ratio must be finite, got %g", log_ratio);
}

/* What a block says about how blocks spread. O(blocks). */
static enum duet_code learn(struct stats_bisect *bisect, size_t at, double log_ratio,
                            struct duet_error *reterr)
{
    if (bisect->has_previous && bisect->previous_at == at) {
        double *steps = alloc_grow(bisect->steps, bisect->step_count,
                                   &bisect->step_capacity, sizeof *steps);
        if (steps == NULL) {
            return error_no_memory(reterr);
        }
        bisect->steps = steps;
        stats_sorted_insert(steps, bisect->step_count++,
                            fabs(log_ratio - bisect->previous));
    }
    bisect->has_previous = true;
    bisect->previous = log_ratio;
    bisect->previous_at = at;
    return DUET_OK;
}

/* The spread of a block, s; 0: not known yet, bets are on the sign. */
static double spread_of(const struct stats_bisect *bisect)
{
    const double of_normal = 1.4826; /* standard deviation / median |deviation| */
    size_t count = bisect->step_count;
    if (count == 0) {
        return 0.0;
    }
    double median = 0.5 * (bisect->steps[(count - 1) / 2] + bisect->steps[count / 2]);
    return of_normal / sqrt(2.0) * median;
}

/* t: what the block says, from -1 (fast) to 1 (slow). */
static double lean(const struct stats_bisect *bisect, double log_ratio)
{
    double excess = log_ratio - bisect->options.threshold;
    double spread = spread_of(bisect);
    if (!(spread > 0.0)) {
        return excess > 0.0 ? boldest : excess < 0.0 ? -boldest : 0.0;
    }
    double kappa = bisect->options.threshold / spread;
    return boldest * tanh(kappa * excess / spread);
}

enum duet_code stats_bisect_add(struct stats_bisect *bisect, size_t at,
                                double log_ratio, struct duet_error *reterr)
{
    if (at == 0 || at >= bisect->last) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "commit %zu is not between the ends of 0 and %zu", at,
                         bisect->last);
    }
    enum duet_code code = check_block(log_ratio, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double share = bisect->below[at];
    double says = lean(bisect, log_ratio);
    code = learn(bisect, at, log_ratio, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double of_slow = 1.0 - (1.0 - share) * says; /* b <= at say that it is slow */
    double of_fast = 1.0 + share * says;
    double log_of_slow = log(of_slow);
    double log_of_fast = log(of_fast);
    for (size_t b = 1; b <= bisect->last; b++) {
        bisect->log_evidence[b] += b <= at ? log_of_slow : log_of_fast;
        bool dropped = bisect->log_evidence[b] >= bisect->log_limit;
        bisect->log_evidence[b] = dropped ? (double)INFINITY : bisect->log_evidence[b];
        bisect->weights[b] =
            dropped ? 0.0 : bisect->weights[b] / (b <= at ? of_slow : of_fast);
    }
    normalize(bisect);
    bisect->blocks++;
    return DUET_OK;
}

void stats_bisect_skip(struct stats_bisect *bisect, size_t at)
{
    bisect->skipped[at] = true;
}

static bool is_alive(const struct stats_bisect *bisect, size_t candidate)
{
    return !isinf(bisect->log_evidence[candidate]);
}

struct stats_bisect_left stats_bisect_left(const struct stats_bisect *bisect)
{
    struct stats_bisect_left left = {.outcome = STATS_BISECT_NONE};
    for (size_t b = 1; b <= bisect->last; b++) {
        if (is_alive(bisect, b)) {
            left.first = left.count == 0 ? b : left.first;
            left.last = b;
            left.count++;
        }
    }
    if (left.count == 0) {
        return left;
    }
    left.outcome = left.count == 1 ? STATS_BISECT_ONE : STATS_BISECT_GROUP;
    for (size_t i = left.first; i < left.last; i++) {
        if (!bisect->skipped[i]) {
            left.outcome = STATS_BISECT_OPEN;
        }
    }
    return left;
}

static double undecided(const struct stats_bisect *bisect, size_t at)
{
    return fmin(bisect->below[at], 1.0 - bisect->below[at]);
}

size_t stats_bisect_next(const struct stats_bisect *bisect, size_t at)
{
    struct stats_bisect_left left = stats_bisect_left(bisect);
    if (left.outcome != STATS_BISECT_OPEN) {
        return 0;
    }
    if (at >= left.first && at < left.last && !bisect->skipped[at] &&
        undecided(bisect, at) >= bisect->options.eta) {
        return at;
    }
    size_t best = 0;
    for (size_t i = left.first; i < left.last; i++) {
        if (!bisect->skipped[i] &&
            (best == 0 || undecided(bisect, i) > undecided(bisect, best))) {
            best = i;
        }
    }
    return best;
}

double stats_bisect_weight(const struct stats_bisect *bisect, size_t candidate)
{
    return bisect->weights[candidate];
}

double stats_bisect_entropy_bits(const struct stats_bisect *bisect)
{
    double sum = 0.0;
    for (size_t b = 1; b <= bisect->last; b++) {
        double weight = bisect->weights[b];
        sum -= weight > 0.0 ? weight * log2(weight) : 0.0;
    }
    return sum;
}

size_t stats_bisect_blocks(const struct stats_bisect *bisect)
{
    return bisect->blocks;
}
