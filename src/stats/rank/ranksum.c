#include "stats/rank/ranksum.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool can_be_exact(const struct stats_dominance *dominance)
{
    return !dominance->tied && dominance->first_count <=
                                   STATS_RANKSUM_EXACT_PAIRS / dominance->second_count;
}

/* P(U <= u) for u <= pairs / 2, all arrangements of n and m values being equally
 * likely.
 *
 * With w(n, m, u) arrangements that have U = u, the largest value is either one of the
 * first sample, which then exceeds all m others, or one of the second:
 * w(n, m, u) = w(n - 1, m, u - m) + w(n, m - 1, u). As probabilities, of which none
 * overflows: p(n, m, u) = (n p(n - 1, m, u - m) + m p(n, m - 1, u)) / (n + m). All
 * terms are positive, so that the relative error stays below (n + m) roundings. Row m
 * of the table holds p(n, m, .) for the current n. */
static enum duet_code lower_tail(size_t n, size_t m, size_t u, double *ret_tail,
                                 struct duet_error *reterr)
{
    size_t columns = u + 1;
    double *table = alloc_array((m + 1) * columns, sizeof *table);
    if (table == NULL) {
        return error_set(reterr, DUET_E_NOMEM,
                         "no memory for the exact distribution of %zu and %zu values",
                         n, m);
    }
    for (size_t j = 0; j <= m; j++) {
        table[j * columns] = 1.0; /* n = 0: U can only be 0 */
    }
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            double *row = table + j * columns;
            const double *shorter = row - columns;
            double from_first = (double)i / (double)(i + j);
            double from_second = (double)j / (double)(i + j);
            /* Downwards, since row[c - j] must still be that of i - 1. */
            for (size_t c = columns; c-- > 0;) {
                double first = c >= j ? from_first * row[c - j] : 0.0;
                row[c] = first + from_second * shorter[c];
            }
        }
    }
    double tail = 0.0;
    for (size_t c = columns; c-- > 0;) {
        tail += table[m * columns + c];
    }
    free(table);
    *ret_tail = tail;
    return DUET_OK;
}

static enum duet_code exact_p(const struct stats_dominance *dominance, double *ret_p,
                              struct duet_error *reterr)
{
    if (!can_be_exact(dominance)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the exact rank-sum test needs samples without ties and at most %d pairs, got %zu x %zu values%s",
            STATS_RANKSUM_EXACT_PAIRS, dominance->first_count, dominance->second_count,
            dominance->tied ? " with ties" : "");
    }
    /* The distribution is symmetric: the smaller of the two U has the smaller tail. */
    uint64_t u =
        dominance->greater < dominance->less ? dominance->greater : dominance->less;
    double tail = 0.0;
    enum duet_code code = lower_tail(dominance->first_count, dominance->second_count,
                                     (size_t)u, &tail, reterr);
    if (code == DUET_OK) {
        *ret_p = fmin(1.0, 2.0 * tail);
    }
    return code;
}

/* 2 P(Z >= z) with z = (|U - mean| - correction) / sd. */
static double normal_p(const struct stats_dominance *dominance, double correction)
{
    double n = (double)dominance->first_count;
    double m = (double)dominance->second_count;
    double all = n + m;
    double distance =
        0.5 * fabs((double)dominance->greater - (double)dominance->less) - correction;
    /* Of the groups' ties first: with everything tied this is exactly 0. */
    double untied = (all * all * all - all - dominance->ties) / (all * all - all);
    double variance = n * m / 12.0 * untied;
    if (!(variance > 0.0)) {
        return 1.0;
    }
    return fmin(1.0, erfc(distance / sqrt(2.0 * variance)));
}

enum duet_code stats_ranksum_test(const struct stats_dominance *dominance,
                                  enum stats_ranksum_method method,
                                  struct stats_ranksum *ret_ranksum,
                                  struct duet_error *reterr)
{
    struct stats_ranksum made = {0};
    enum duet_code code = DUET_OK;
    uint64_t pairs = (uint64_t)dominance->first_count * dominance->second_count;
    uint64_t equal = pairs - dominance->greater - dominance->less;
    made.u = (double)dominance->greater + 0.5 * (double)equal;
    made.exact = method == STATS_RANKSUM_EXACT ||
                 (method == STATS_RANKSUM_AUTO && can_be_exact(dominance));
    if (made.exact) {
        code = exact_p(dominance, &made.p_value, reterr);
    } else {
        made.p_value = normal_p(dominance, method == STATS_RANKSUM_NORMAL ? 0.0 : 0.5);
    }
    if (code == DUET_OK) {
        *ret_ranksum = made;
    }
    return code;
}
