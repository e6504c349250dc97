#include "study/study_merge.h"

#include "stats/rank/radix.h"

#include <string.h>

/* Which run the next value comes from is anybody's guess: no branch asks it. */
static void merge_two(const double *first, size_t first_count, const double *second,
                      size_t second_count, double *to)
{
    size_t i = 0;
    size_t j = 0;
    while (i < first_count && j < second_count) {
        double a = first[i];
        double b = second[j];
        size_t from_second = b < a;
        *to++ = b < a ? b : a;
        j += from_second;
        i += 1 - from_second;
    }
    memcpy(to, first + i, (first_count - i) * sizeof *to);
    to += first_count - i;
    memcpy(to, second + j, (second_count - j) * sizeof *to);
}

/* Each two neighbours into one; returns how many runs are left. */
static size_t merge_neighbours(const double *from, size_t *lengths, size_t runs,
                               double *to)
{
    size_t made = 0;
    for (size_t r = 0; r < runs; r += 2) {
        size_t second = r + 1 < runs ? lengths[r + 1] : 0;
        size_t both = lengths[r] + second;
        merge_two(from, lengths[r], from + lengths[r], second, to);
        from += both;
        to += both;
        lengths[made++] = both;
    }
    return made;
}

enum duet_code study_merge_runs(double *values, size_t *lengths, size_t runs,
                                double *spare, struct duet_error *reterr)
{
    size_t count = 0;
    for (size_t r = 0; r < runs; r++) {
        count += lengths[r];
    }
    if (runs > STUDY_MERGE_RUNS_MAX) {
        return stats_radix_sort(values, count, reterr);
    }
    double *from = values;
    double *to = spare;
    while (runs > 1) {
        runs = merge_neighbours(from, lengths, runs, to);
        double *done = to;
        to = from;
        from = done;
    }
    if (from != values) {
        memcpy(values, from, count * sizeof *values);
    }
    return DUET_OK;
}
