#include "stats/radix.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/order.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Digits of 11 bits: a digit's counters fit into the first-level cache. The upper three
 * come first (sign, exponent, 21 bits of the mantissa); what they leave equal is mostly
 * groups of a few values, which are finished one by one. */
enum {
    DIGIT_BITS = 11,
    DIGITS = 6,
    UPPER = 3, /* the first of the upper digits */
    BUCKETS = 1 << DIGIT_BITS,
    DIGIT_MASK = BUCKETS - 1,
    LOWER_BITS = UPPER * DIGIT_BITS
};

/* Below, comparisons are cheaper than clearing the counters. */
enum { COMPARED_MAX = 1024, FEW_MAX = 16 };

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

/* By the digits from..to-1; counters: cleared here. Returns the array, of the two, that
 * the keys have ended up in. */
static uint64_t *sort_digits(uint64_t *keys, uint64_t *other, size_t count,
                             unsigned from, unsigned to, size_t *counters)
{
    memset(counters, 0, (size_t)DIGITS * BUCKETS * sizeof *counters);
    for (size_t i = 0; i < count; i++) {
        for (unsigned digit = from; digit < to; digit++) {
            counters[(size_t)digit * BUCKETS + digit_of(keys[i], digit)]++;
        }
    }
    for (unsigned digit = from; digit < to; digit++) {
        if (sort_pass(keys, other, count, digit, counters + (size_t)digit * BUCKETS)) {
            uint64_t *swapped = keys;
            keys = other;
            other = swapped;
        }
    }
    return keys;
}

static void sort_few(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

static void take_values(const uint64_t *keys, size_t count, double *ret_sorted)
{
    for (size_t i = 0; i < count; i++) {
        ret_sorted[i] = value_of(keys[i]);
    }
}

/* Keys that share their upper digits. */
static void finish_group(uint64_t *keys, uint64_t *other, size_t count,
                         size_t *counters, double *ret_sorted)
{
    if (count <= FEW_MAX) {
        sort_few(keys, count);
        take_values(keys, count, ret_sorted);
    } else if (count <= COMPARED_MAX) {
        take_values(keys, count, ret_sorted);
        stats_sort(ret_sorted, count);
    } else {
        keys = sort_digits(keys, other, count, 0, UPPER, counters);
        take_values(keys, count, ret_sorted);
    }
}

static void sort_keys(uint64_t *keys, uint64_t *other, size_t count, size_t *counters,
                      double *ret_sorted)
{
    uint64_t *sorted = sort_digits(keys, other, count, UPPER, DIGITS, counters);
    uint64_t *spare = sorted == keys ? other : keys;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && sorted[end] >> LOWER_BITS == sorted[i] >> LOWER_BITS) {
            end++;
        }
        finish_group(sorted + i, spare + i, end - i, counters, ret_sorted + i);
        i = end;
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
