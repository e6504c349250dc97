#include "stats/rank/radix.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

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

/* Values that are sorted with the help of other memory, at a time. */
enum { SORTED_MAX = 1 << 20 };

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

/* Arrays for stretches of up to SORTED_MAX values. */
struct scratch {
    uint64_t *keys;
    uint64_t *other;
    size_t *counters;
};

static void sort_stretch(double *values, size_t count, const struct scratch *scratch)
{
    if (count <= COMPARED_MAX) {
        stats_sort(values, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        scratch->keys[i] = key_of(values[i]);
    }
    sort_keys(scratch->keys, scratch->other, count, scratch->counters, values);
}

/* How values of a range are told apart: by the highest bits in which they differ. */
struct division {
    uint64_t least;
    unsigned shift;
};

static struct division division_of(const double *values, size_t count)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_of(values[i]);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    struct division division = {.least = least};
    while ((most - least) >> division.shift >= BUCKETS) {
        division.shift++;
    }
    return division;
}

static size_t bucket_of(const struct division *division, double value)
{
    return (size_t)((key_of(value) - division->least) >> division->shift);
}

/* Moves every value into its bucket (American flag sort: McIlroy, Bostic and McIlroy
 * 1993). Returns the buckets' ends; NULL without memory. */
static size_t *divide(double *values, size_t count, const struct division *division)
{
    size_t *next = alloc_array(BUCKETS, sizeof *next);
    size_t *ends = alloc_array(BUCKETS, sizeof *ends);
    if (next == NULL || ends == NULL) {
        free(next);
        free(ends);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        ends[bucket_of(division, values[i])]++;
    }
    for (size_t b = 0, end = 0; b < BUCKETS; b++) {
        next[b] = end;
        end += ends[b];
        ends[b] = end;
    }
    for (size_t b = 0; b < BUCKETS; b++) {
        while (next[b] < ends[b]) {
            double value = values[next[b]];
            size_t home = bucket_of(division, value);
            while (home != b) {
                double displaced = values[next[home]];
                values[next[home]++] = value;
                value = displaced;
                home = bucket_of(division, value);
            }
            values[next[b]++] = value;
        }
    }
    free(next);
    return ends;
}

/* Divides until the stretches fit the scratch; each time the bits that differ become 11
 * fewer, so that this is at most six deep. */
static bool sort_divided(double *values, size_t count, const struct scratch *scratch)
{
    if (count <= SORTED_MAX) {
        sort_stretch(values, count, scratch);
        return true;
    }
    struct division division = division_of(values, count);
    size_t *ends = divide(values, count, &division);
    bool done = ends != NULL;
    for (size_t b = 0; done && division.shift > 0 && b < BUCKETS; b++) {
        size_t begin = b == 0 ? 0 : ends[b - 1];
        done = sort_divided(values + begin, ends[b] - begin, scratch);
    }
    free(ends);
    return done;
}

enum duet_code stats_radix_sort(double *values, size_t count, struct duet_error *reterr)
{
    enum duet_code code = stats_check_finite(values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (count <= COMPARED_MAX) {
        stats_sort(values, count);
        return DUET_OK;
    }
    size_t most = count < SORTED_MAX ? count : SORTED_MAX;
    struct scratch scratch = {
        .keys = alloc_array(most, sizeof *scratch.keys),
        .other = alloc_array(most, sizeof *scratch.other),
        .counters = alloc_array((size_t)DIGITS * BUCKETS, sizeof *scratch.counters),
    };
    if (scratch.keys == NULL || scratch.other == NULL || scratch.counters == NULL ||
        !sort_divided(values, count, &scratch)) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to sort %zu values", count);
    }
    free(scratch.keys);
    free(scratch.other);
    free(scratch.counters);
    return code;
}
