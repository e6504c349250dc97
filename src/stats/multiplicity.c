#include "stats/multiplicity.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    double p_value;
    size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    int order = (a->p_value > b->p_value) - (a->p_value < b->p_value);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static enum duet_code check(const double *p_values, size_t count, size_t *ret_known,
                            struct duet_error *reterr)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (p_values[i] < 0.0 || p_values[i] > 1.0) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "p value %zu is %g, which is not a probability", i + 1,
                             p_values[i]);
        }
        known += isnan(p_values[i]) ? 0 : 1;
    }
    *ret_known = known;
    return DUET_OK;
}

/* Step down: the k-th smallest (from 0) times the number of those not smaller. */
static void adjust_holm(const struct ranked *ranked, size_t count, double *ret_adjusted)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++) {
        largest = fmax(largest, (double)(count - k) * ranked[k].p_value);
        ret_adjusted[ranked[k].index] = fmin(1.0, largest);
    }
}

/* Step up: the k-th smallest (from 1) times count / k. */
static void adjust_bh(const struct ranked *ranked, size_t count, double *ret_adjusted)
{
    double smallest = 1.0;
    for (size_t k = count; k >= 1; k--) {
        double scaled = (double)count / (double)k * ranked[k - 1].p_value;
        smallest = fmin(smallest, scaled);
        ret_adjusted[ranked[k - 1].index] = smallest;
    }
}

static enum duet_code adjust_ranked(enum stats_multiplicity method,
                                    const double *p_values, size_t count, size_t known,
                                    double *ret_adjusted, struct duet_error *reterr)
{
    struct ranked *ranked = alloc_array(known, sizeof *ranked);
    if (ranked == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu p values", known);
    }
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        ret_adjusted[i] = p_values[i];
        if (!isnan(p_values[i])) {
            ranked[filled++] = (struct ranked){p_values[i], i};
        }
    }
    qsort(ranked, filled, sizeof *ranked, compare_ranked);
    if (method == STATS_MULTIPLICITY_HOLM) {
        adjust_holm(ranked, filled, ret_adjusted);
    } else {
        adjust_bh(ranked, filled, ret_adjusted);
    }
    free(ranked);
    return DUET_OK;
}

enum duet_code stats_multiplicity_adjust(enum stats_multiplicity method,
                                         const double *p_values, size_t count,
                                         double *ret_adjusted,
                                         struct duet_error *reterr)
{
    size_t known = 0;
    enum duet_code code = check(p_values, count, &known, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (method == STATS_MULTIPLICITY_HOLM || method == STATS_MULTIPLICITY_BH) {
        return adjust_ranked(method, p_values, count, known, ret_adjusted, reterr);
    }
    double factor = method == STATS_MULTIPLICITY_BONFERRONI ? (double)known : 1.0;
    for (size_t i = 0; i < count; i++) {
        ret_adjusted[i] =
            isnan(p_values[i]) ? (double)NAN : fmin(1.0, factor * p_values[i]);
    }
    return DUET_OK;
}
