#include "stats/rank/dominance.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/rank/radix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sums of squares of 31-bit counts over 31-bit numbers of values, times such a number:
 * up to 124 bits. */
__extension__ typedef __int128 wide;

/* Below, a second thread costs more than it saves. */
enum { PARALLEL_VALUES = 1 << 15 };

struct sample {
    double *sorted;
    size_t count;
};

/* How many of sorted[from..count) equal `value`. */
static size_t run_of(const double *sorted, size_t count, size_t from, double value)
{
    size_t end = from;
    while (end < count && sorted[end] <= value) {
        end++;
    }
    return end - from;
}

/* Of two 31-bit counts. */
static uint64_t square(size_t below, size_t above)
{
    int64_t difference = (int64_t)below - (int64_t)above;
    return (uint64_t)(difference * difference);
}

struct tally {
    uint64_t greater;
    uint64_t less;
    wide ties;
    bool tied;
    /* Sums over a sample's values of (others below - others above)^2. */
    wide first_squares;
    wide second_squares;
};

/* Where a part of both samples begins; parts do not divide equal values. */
struct border {
    size_t first;
    size_t second;
};

/* Whether the value behind the one at `from` is not larger than `value`. */
static bool goes_on(const double *sorted, size_t count, size_t from, double value)
{
    return from + 1 < count && sorted[from + 1] <= value;
}

/* Goes through both sorted samples at once, one group of equal values a step. Which
 * sample it comes from is anybody's guess, so that no branch asks it. */
static struct tally merge(const struct sample *first, const struct sample *second,
                          struct border from, struct border to)
{
    struct tally tally = {0};
    const double *a = first->sorted;
    const double *b = second->sorted;
    size_t i = from.first;
    size_t j = from.second;
    while (i < to.first || j < to.second) {
        double low = i < to.first ? a[i] : (double)INFINITY;
        double high = j < to.second ? b[j] : (double)INFINITY;
        double value = low < high ? low : high;
        uint64_t in_first = low <= high;
        uint64_t in_second = high <= low;
        if (goes_on(a, to.first, i, value) || goes_on(b, to.second, j, value)) {
            in_first = run_of(a, to.first, i, value);
            in_second = run_of(b, to.second, j, value);
        }
        uint64_t above_first = first->count - i - in_first;
        uint64_t above_second = second->count - j - in_second;
        tally.greater += in_first * j;
        tally.less += in_first * above_second;
        tally.first_squares += (wide)in_first * square(j, above_second);
        tally.second_squares += (wide)in_second * square(i, above_first);
        uint64_t group = in_first + in_second;
        if (group > 1) {
            tally.tied = true;
            tally.ties += (wide)group * ((wide)group * group - 1);
        }
        i += in_first;
        j += in_second;
    }
    return tally;
}

/* How many of the sorted values are less than `value`. */
static size_t below(const struct sample *sample, double value)
{
    size_t low = 0;
    size_t high = sample->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sample->sorted[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int threads_worth(size_t values)
{
    return values > PARALLEL_VALUES ? threads_usual() : 1;
}

enum { PARTS = 8 };
struct merging {
    const struct sample *first;
    const struct sample *second;
    struct border borders[PARTS + 1];
    struct tally parts[PARTS];
};

static enum duet_code merge_some(void *context, size_t first, size_t end, size_t thread,
                                 struct duet_error *reterr)
{
    (void)thread;
    (void)reterr;
    struct merging *merging = context;
    for (size_t p = first; p < end; p++) {
        merging->parts[p] = merge(merging->first, merging->second, merging->borders[p],
                                  merging->borders[p + 1]);
    }
    return DUET_OK;
}

/* The counts are whole numbers: parts add up to the same in any order. */
static struct tally merge_parts(const struct sample *first, const struct sample *second)
{
    struct merging merging = {.first = first, .second = second};
    struct border *borders = merging.borders;
    const struct tally *parts = merging.parts;
    struct tally all = {0};
    for (size_t p = 1; p < PARTS; p++) {
        double value = first->sorted[first->count * p / PARTS];
        borders[p] = (struct border){below(first, value), below(second, value)};
    }
    borders[PARTS] = (struct border){first->count, second->count};
    threads_do(
        &(struct threads_loop){.count = PARTS,
                               .chunk = 1,
                               .threads = threads_worth(first->count + second->count),
                               .body = merge_some,
                               .context = &merging});
    for (size_t p = 0; p < PARTS; p++) {
        all.greater += parts[p].greater;
        all.less += parts[p].less;
        all.ties += parts[p].ties;
        all.tied = all.tied || parts[p].tied;
        all.first_squares += parts[p].first_squares;
        all.second_squares += parts[p].second_squares;
    }
    return all;
}

/* Sum of (x/m - mean)^2 over n values x, whose sum and sum of squares are given, where
 * mean = sum / (n m): (n * squares - sum^2) / (n m^2). */
static double deviations(wide squares, wide sum, size_t count, size_t others)
{
    wide numerator = (wide)count * squares - sum * sum;
    return (double)numerator / (double)count / (double)others / (double)others;
}

static enum duet_code check_counts(size_t first_count, size_t second_count,
                                   struct duet_error *reterr)
{
    if (first_count == 0 || second_count == 0) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "a comparison of two samples needs a value of each, got %zu and %zu",
            first_count, second_count);
    }
    if (first_count > STATS_DOMINANCE_COUNT_MAX ||
        second_count > STATS_DOMINANCE_COUNT_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "samples may have up to %d values, got %zu and %zu",
                         STATS_DOMINANCE_COUNT_MAX, first_count, second_count);
    }
    return DUET_OK;
}

static enum duet_code sort_some(void *context, size_t first, size_t end, size_t thread,
                                struct duet_error *reterr)
{
    (void)thread;
    struct sample *samples = context;
    enum duet_code code = DUET_OK;
    for (size_t s = first; s < end && code == DUET_OK; s++) {
        struct duet_error error = {.code = DUET_OK};
        code = stats_radix_sort(samples[s].sorted, samples[s].count, &error);
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s sample: %s", s == 0 ? "first" : "second",
                             error.message);
        }
    }
    return code;
}

enum duet_code stats_dominance_count(double *first, size_t first_count, double *second,
                                     size_t second_count,
                                     struct stats_dominance *ret_dominance,
                                     struct duet_error *reterr)
{
    enum duet_code code = check_counts(first_count, second_count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct sample samples[2] = {{.sorted = first, .count = first_count},
                                {.sorted = second, .count = second_count}};
    const struct threads_loop sorting = {.count = 2,
                                         .chunk = 1,
                                         .threads =
                                             threads_worth(first_count + second_count),
                                         .body = sort_some,
                                         .context = samples};
    code = threads_for(&sorting, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct tally tally = merge_parts(&samples[0], &samples[1]);
    wide pairs = (wide)first_count * (wide)second_count;
    wide sum = (wide)tally.greater - (wide)tally.less;
    wide unequal = (wide)tally.greater + (wide)tally.less;
    *ret_dominance = (struct stats_dominance){
        .first_count = first_count,
        .second_count = second_count,
        .greater = tally.greater,
        .less = tally.less,
        .tied = tally.tied,
        .ties = (double)tally.ties,
        .first_squares =
            deviations(tally.first_squares, sum, first_count, second_count),
        .second_squares =
            deviations(tally.second_squares, sum, second_count, first_count),
        .pair_squares = (double)(unequal * pairs - sum * sum) / (double)pairs,
    };
    return DUET_OK;
}
