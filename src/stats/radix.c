#include "stats/radix.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/order.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Six digits of 11 bits: their counters fit into the first-level cache, and six is
 * even, which matters little: a pass whose digit is the same everywhere is left out. */
enum {
    DIGIT_BITS = 11,
    DIGITS = 6,
    BUCKETS = 1 << DIGIT_BITS,
    DIGIT_MASK = BUCKETS - 1
};

/* Below, comparisons are cheaper than clearing the counters. */
enum { COMPARED_MAX = 1024 };

static const uint64_t sign_bit = UINT64_C(1) << 63U;

/* Bits whose order as unsigned numbers is that of the values. */
static uint64_t key_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

static double value_of(uint64_t key)
{
    uint64_t bits = (key & sign_bit) != 0 ? key & ~sign_bit : ~key;
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t digit_of(uint64_t key, unsigned digit)
{
    return (size_t)(key >> (digit * DIGIT_BITS)) & DIGIT_MASK;
}

/* One stable pass; false, and nothing done, when all keys share the digit. */
static bool sort_pass(const uint64_t *from, uint64_t *to, size_t count, unsigned digit,
                      size_t *starts)
{
    if (starts[digit_of(from[0], digit)] == count) {
        return false;
    }
    size_t start = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t size = starts[b];
        starts[b] = start;
        start += size;
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[digit_of(from[i], digit)]++] = from[i];
    }
    return true;
}

static void sort_keys(uint64_t *keys, uint64_t *other, size_t count, size_t *counters,
                      double *ret_sorted)
{
    for (size_t i = 0; i < count; i++) {
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            counters[(size_t)digit * BUCKETS + digit_of(keys[i], digit)]++;
        }
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (sort_pass(keys, other, count, digit, counters + (size_t)digit * BUCKETS)) {
            uint64_t *swapped = keys;
            keys = other;
            other = swapped;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ret_sorted[i] = value_of(keys[i]);
    }
}

enum duet_code stats_radix_sort(const double *values, size_t count, double *ret_sorted,
                                struct duet_error *reterr)
{
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (count <= COMPARED_MAX) {
        memcpy(ret_sorted, values, count * sizeof *values);
        stats_sort(ret_sorted, count);
        return DUET_OK;
    }
    uint64_t *keys = alloc_array(count, sizeof *keys);
    uint64_t *other = alloc_array(count, sizeof *other);
    size_t *counters = alloc_array((size_t)DIGITS * BUCKETS, sizeof *counters);
    if (keys == NULL || other == NULL || counters == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to sort %zu values", count);
    } else {
        for (size_t i = 0; i < count; i++) {
            keys[i] = key_of(values[i]);
        }
        sort_keys(keys, other, count, counters, ret_sorted);
    }
    free(keys);
    free(other);
    free(counters);
    return code;
}
