#include "stats/dominance.h"

#include "base/alloc.h"
#include "stats/radix.h"

#include <stdlib.h>

/* Sums of squares of 31-bit counts over 31-bit numbers of values, times such a number:
 * up to 124 bits. */
__extension__ typedef __int128 wide;

/* Below, a second thread costs more than it saves. */
enum { PARALLEL_VALUES = 1 << 15 };

struct sample {
    const double *values;
    size_t count;
    double *sorted;
    wide squares; /* sum over its values of (values below - values above)^2 */
    enum duet_code code;
    struct duet_error error;
};

static void sample_sort(struct sample *sample)
{
    sample->sorted = alloc_array(sample->count, sizeof *sample->sorted);
    if (sample->sorted == NULL) {
        sample->code = error_set(&sample->error, DUET_E_NOMEM,
                                 "no memory to sort %zu values", sample->count);
    } else {
        sample->code = stats_radix_sort(sample->values, sample->count, sample->sorted,
                                        &sample->error);
    }
}

/* How many of sorted[from..count) equal `value`. */
static size_t run_of(const double *sorted, size_t count, size_t from, double value)
{
    size_t end = from;
    while (end < count && sorted[end] <= value) {
        end++;
    }
    return end - from;
}

static wide square(size_t below, size_t above)
{
    wide difference = (wide)below - (wide)above;
    return difference * difference;
}

struct tally {
    uint64_t greater;
    uint64_t less;
    wide ties;
    bool tied;
};

/* Goes through both sorted samples at once, one group of equal values a step. */
static struct tally merge(struct sample *first, struct sample *second)
{
    struct tally tally = {0};
    size_t i = 0;
    size_t j = 0;
    while (i < first->count || j < second->count) {
        bool from_first = j == second->count ||
                          (i < first->count && first->sorted[i] <= second->sorted[j]);
        double value = from_first ? first->sorted[i] : second->sorted[j];
        size_t in_first = run_of(first->sorted, first->count, i, value);
        size_t in_second = run_of(second->sorted, second->count, j, value);
        size_t above_first = first->count - i - in_first;
        size_t above_second = second->count - j - in_second;
        tally.greater += (uint64_t)in_first * j;
        tally.less += (uint64_t)in_first * above_second;
        first->squares += (wide)in_first * square(j, above_second);
        second->squares += (wide)in_second * square(i, above_first);
        wide group = (wide)in_first + (wide)in_second;
        if (group > 1) {
            tally.tied = true;
            tally.ties += group * (group * group - 1);
        }
        i += in_first;
        j += in_second;
    }
    return tally;
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
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a comparison of two samples needs a value of each, got %zu "
                         "and %zu",
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

enum duet_code stats_dominance_count(const double *first, size_t first_count,
                                     const double *second, size_t second_count,
                                     struct stats_dominance *ret_dominance,
                                     struct duet_error *reterr)
{
    enum duet_code code = check_counts(first_count, second_count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct sample samples[2] = {{.values = first, .count = first_count},
                                {.values = second, .count = second_count}};
#pragma omp parallel for num_threads(2) if (first_count + second_count > \
                                            PARALLEL_VALUES)
    for (int s = 0; s < 2; s++) {
        sample_sort(&samples[s]);
    }
    for (int s = 0; s < 2 && code == DUET_OK; s++) {
        if (samples[s].code != DUET_OK) {
            code = error_set(reterr, samples[s].code, "%s sample: %s",
                             s == 0 ? "first" : "second", samples[s].error.message);
        }
    }
    if (code == DUET_OK) {
        struct tally tally = merge(&samples[0], &samples[1]);
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
                deviations(samples[0].squares, sum, first_count, second_count),
            .second_squares =
                deviations(samples[1].squares, sum, second_count, first_count),
            .pair_squares = (double)(unequal * pairs - sum * sum) / (double)pairs,
        };
    }
    free(samples[0].sorted);
    free(samples[1].sorted);
    return code;
}
