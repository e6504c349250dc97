/* Data on three levels: units (instances), sub-units in them (trials), and the values
 * of a sub-unit (iterations). */
#ifndef DUET_STATS_NESTED_H
#define DUET_STATS_NESTED_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stddef.h>

/* Unit u has sub-units firsts[u] to firsts[u + 1] - 1; the values of sub-unit s are
 * values[offsets[s]] to values[offsets[s] + counts[s] - 1]. All borrowed; no unit and
 * no sub-unit is empty, all numbers are below 2^32. */
struct stats_nested {
    const size_t *firsts; /* units + 1 */
    size_t units;
    const size_t *offsets;
    const size_t *counts;
};

/* Sub-units that a resample can have: what a scratch has to hold. */
size_t stats_nested_drawn_max(const struct stats_nested *data);

enum { STATS_NESTED_COLUMNS_MAX = 2 };

/* The sums over one resample of each of up to STATS_NESTED_COLUMNS_MAX columns of
 * values, which all have the same draws. As many units as there are, drawn with
 * replacement; in each as many sub-units as it has; in each of these as many values as
 * it has. scratch: 2 * stats_nested_drawn_max(). *ret_count: values drawn.
 * Stream: how->stream + replicate. O(values drawn).
 * Source: Ren et al. 2010; Kalibera and Jones 2012; Laaber 2019 s.5.1.2. */
void stats_nested_resample(const struct stats_nested *data,
                           const double *const *columns, size_t column_count,
                           const struct stats_resampling *how, size_t replicate,
                           size_t *scratch, double *ret_sums, size_t *ret_count);

/* how->replicates means of resamples, each over all its values. `scratch` as above.
 * In the calling thread alone. */
void stats_nested_means(const struct stats_nested *data, const double *values,
                        const struct stats_resampling *how, size_t *scratch,
                        double *ret_means);

/* Variance within sub-units, between sub-units of a unit, and between units. A level of
 * which there is nothing to compare (one value a sub-unit, one sub-unit a unit, one
 * unit) is NaN, and what it varies is part of the level above. Estimates below 0 are 0.
 */
struct stats_nested_components {
    double mean; /* of all values */
    double values;
    double sub_units;
    double units;
};

/* By the analysis of variance, for any numbers of values. Errors: DUET_E_TOO_FEW (fewer
 * than two values). Source: Searle, Casella and McCulloch 1992, s.3.6 and appendix F
 * (nested classification, unbalanced: Henderson's method I). */
BASE_MUST_USE enum duet_code
stats_nested_components(const struct stats_nested *data, const double *values,
                        struct stats_nested_components *ret_components,
                        struct duet_error *reterr);

#endif
