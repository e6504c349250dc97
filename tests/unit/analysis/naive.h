/* The bootstrap as the textbooks write it, one draw after the other, to hold the
 * engine's against. */
#ifndef TESTS_UNIT_ANALYSIS_NAIVE_H
#define TESTS_UNIT_ANALYSIS_NAIVE_H

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAIVE_REPLICATES = 20000, NAIVE_MAX = 512 };

static inline int naive_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Type 7. Sorts. */
static inline double naive_quantile(double *values, size_t count, double probability)
{
    qsort(values, count, sizeof *values, naive_compare);
    double at = probability * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;
    return values[below] + (at - (double)below) * (values[above] - values[below]);
}

static inline double naive_mean(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

static inline double naive_sd(const double *values, size_t count)
{
    double mean = naive_mean(values, count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sqrt(sum / (double)(count - 1));
}

/* Runs of equal length, drawn, and then iterations within each drawn one. *ret_chosen:
 * the indices of the drawn values. */
static inline void naive_levels(struct random_stream *stream, size_t runs,
                                size_t iterations, size_t *ret_chosen)
{
    for (size_t r = 0; r < runs; r++) {
        size_t run = random_below(stream, (uint32_t)runs);
        for (size_t i = 0; i < iterations; i++) {
            ret_chosen[r * iterations + i] =
                run * iterations + random_below(stream, (uint32_t)iterations);
        }
    }
}

#endif
