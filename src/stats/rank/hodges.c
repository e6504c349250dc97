#include "stats/rank/hodges.h"

#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Pairs of one value of each side, or with `other` NULL of `values` with itself, every
 * unordered pair once. Ascending. */
struct pairs {
    const double *values;
    size_t count;
    const double *other;
    size_t other_count;
};

/* Finite numbers in the order of their values, as integers, and back. */
static uint64_t order_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63U != 0 ? ~bits : bits | UINT64_C(1) << 63U;
}

static double value_at(uint64_t order)
{
    uint64_t bits = order >> 63U != 0 ? order & ~(UINT64_C(1) << 63U) : ~order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Unordered pairs i <= j with values[i] + values[j] <= limit. The sum rises with each
 * index, rounded or not. */
static uint64_t count_own(const struct pairs *pairs, double limit)
{
    uint64_t found = 0;
    size_t behind = pairs->count;
    for (size_t i = 0; i < pairs->count; i++) {
        while (behind > i && pairs->values[i] + pairs->values[behind - 1] > limit) {
            behind--;
        }
        if (behind <= i) {
            break;
        }
        found += behind - i;
    }
    return found;
}

static uint64_t count_across(const struct pairs *pairs, double limit)
{
    uint64_t found = 0;
    size_t behind = 0;
    /* other[j] - values[i] falls with i: j may go further for each. */
    for (size_t i = 0; i < pairs->count; i++) {
        while (behind < pairs->other_count &&
               pairs->other[behind] - pairs->values[i] <= limit) {
            behind++;
        }
        found += behind;
    }
    return found;
}

static uint64_t count_up_to(const struct pairs *pairs, double limit)
{
    return pairs->other == NULL ? count_own(pairs, limit) : count_across(pairs, limit);
}

/* The smallest number that at least `wanted` pairs do not exceed: one of theirs. */
static double pair_at(const struct pairs *pairs, uint64_t wanted, double low,
                      double high)
{
    uint64_t from = order_of(low);
    uint64_t to = order_of(high);
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (count_up_to(pairs, value_at(middle)) >= wanted) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return value_at(from);
}

static double median_pair(const struct pairs *pairs, uint64_t total, double low,
                          double high)
{
    double lower = pair_at(pairs, (total + 1) / 2, low, high);
    if (total % 2 == 1 || count_up_to(pairs, lower) >= total / 2 + 1) {
        return lower;
    }
    double upper = pair_at(pairs, total / 2 + 1, lower, high);
    return lower + 0.5 * (upper - lower);
}

static enum duet_code check(const double *values, size_t count,
                            struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a Hodges-Lehmann estimate needs at least one value");
    }
    if (count > UINT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a Hodges-Lehmann estimate takes fewer than 2^32 values");
    }
    enum duet_code code = stats_check_finite(values, count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (fabs(values[i]) > 0x1p1022) {
            code =
                error_set(reterr, DUET_E_DOMAIN,
                          "value %zu of %zu (%g) is too large to be added to another",
                          i + 1, count, values[i]);
        }
    }
    return code;
}

enum duet_code stats_hodges_lehmann(double *values, size_t count, double *ret_location,
                                    struct duet_error *reterr)
{
    enum duet_code code = check(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    stats_sort(values, count);
    const struct pairs pairs = {.values = values, .count = count};
    uint64_t total = (uint64_t)count * ((uint64_t)count + 1) / 2;
    *ret_location =
        0.5 * median_pair(&pairs, total, 2.0 * values[0], 2.0 * values[count - 1]);
    return DUET_OK;
}

enum duet_code stats_hodges_lehmann_shift(double *from, size_t from_count, double *to,
                                          size_t to_count, double *ret_shift,
                                          struct duet_error *reterr)
{
    enum duet_code code = check(from, from_count, reterr);
    if (code == DUET_OK) {
        code = check(to, to_count, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    stats_sort(from, from_count);
    stats_sort(to, to_count);
    const struct pairs pairs = {
        .values = from, .count = from_count, .other = to, .other_count = to_count};
    *ret_shift = median_pair(&pairs, (uint64_t)from_count * to_count,
                             to[0] - from[from_count - 1], to[to_count - 1] - from[0]);
    return DUET_OK;
}
