#include "stats/coverage.h"

#include <math.h>

struct row {
    size_t count;
    double coverage[STATS_COVERAGES]; /* 0: not measured */
};

/* Written by `unit_stats_coverage measure 10000` (10,000 samples a row, 10,000
 * replicates each; the standard error of a row is at most 0.005, from 10 values on
 * 0.002). */
static const struct row rows[] = {
    {2, {0, 0.4884}},  {3, {0, 0.7501}},  {4, {0, 0.8309}},  {5, {0, 0.8969}},
    {6, {0, 0.9238}},  {7, {0, 0.9422}},  {8, {0, 0.9502}},  {9, {0, 0.9553}},
    {10, {0, 0.9595}}, {12, {0, 0.9654}}, {16, {0, 0.9728}}, {20, {0, 0.9778}},
    {30, {0, 0.9837}}, {50, {0, 0.9862}}, {100, {0, 0.9885}}};

double stats_coverage_measured(enum stats_coverage_of interval, size_t count,
                               double level)
{
    size_t last = sizeof rows / sizeof rows[0] - 1;
    if (fabs(level - 0.99) > 1e-9 || count < rows[0].count ||
        count > rows[last].count) {
        return (double)NAN;
    }
    size_t i = 0;
    while (rows[i].count < count) {
        i++;
    }
    double above = rows[i].coverage[interval];
    if (rows[i].count == count) {
        return above > 0.0 ? above : (double)NAN;
    }
    double below = rows[i - 1].coverage[interval];
    double share = (double)(count - rows[i - 1].count) /
                   (double)(rows[i].count - rows[i - 1].count);
    return below > 0.0 ? below + share * (above - below) : (double)NAN;
}
