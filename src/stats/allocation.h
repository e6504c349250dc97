/* How to spend the time of an experiment: iterations in a run, or more runs? */
#ifndef DUET_STATS_ALLOCATION_H
#define DUET_STATS_ALLOCATION_H

#include "base/error.h"
#include "stats/moments.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the spread of a pilot's observations comes from, in their unit squared. */
struct stats_components {
    double within;   /* between iterations of a run (T1^2) */
    double between;  /* between runs (T2^2); never negative */
    bool clamped;    /* the estimate of `between` was negative: no spread between runs
                        could be seen, and `between` is 0 */
    double estimate; /* mean over runs of the runs' means */
    size_t runs;
};

/* Unbiased components of variance from a pilot at two levels. values: run after run,
 * counts[r] >= 1 of them in run r, `runs` >= 2 of them and at least one run of two
 * values; borrowed. Pairs: give the log ratios of the pairs; blocks: give each block as
 * a run. O(number of values).
 *
 * within = pooled sample variance in runs. With r1 iterations in every run, and S2^2
 * the sample variance of the runs' means, between = S2^2 - within / r1. With unequal
 * runs the same by the method of moments: (M - within) / n0, M the mean square between
 * runs and n0 = (N - sum n_r^2 / N) / (runs - 1).
 *
 * Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN (a value that is not finite).
 * Source: Kalibera and Jones 2013, "Rigorous Benchmarking in Reasonable Time" (ISMM),
 * S_i^2 and T_i^2 in the version with the corrected estimators: T_1^2 = S_1^2, T_i^2 =
 * S_i^2 - S_{i-1}^2 / r_{i-1}; unequal runs: Searle, Casella and McCulloch 1992, s.3.6.
 */
BASE_MUST_USE enum duet_code
stats_components_estimate(const double *values, const size_t *counts, size_t runs,
                          struct stats_components *ret_components,
                          struct duet_error *reterr);

/* The same run by run. Zeroed storage has none. */
struct stats_pilot {
    struct stats_moments means;
    struct stats_moments all;
    double squares_within;
    double squared_counts;
    size_t known; /* taken off the runs' means, having been estimated from them, beside
                     the mean of all: 0 unless the caller sets it */
    size_t runs;
    size_t total; /* values */
};
/* run: of its values, one at least. */
void stats_pilot_add(struct stats_pilot *pilot, const struct stats_moments *run);
/* Errors: DUET_E_TOO_FEW. */
BASE_MUST_USE enum duet_code
stats_pilot_components(const struct stats_pilot *pilot,
                       struct stats_components *ret_components,
                       struct duet_error *reterr);

/* What is wanted, and what it costs. */
struct stats_allocation_wish {
    double effect;   /* smallest difference to be shown, > 0, unit of the values */
    double level;    /* confidence of the interval, in (0, 1) */
    double power;    /* probability of showing it, in (0, 1), for example 0.9 */
    double run_cost; /* of one more run without its iterations, >= 0 */
    double iteration_cost; /* of one more iteration, > 0; any unit, the same for both */
    size_t iterations_max; /* of a run, >= 1 */
    size_t runs_min;       /* >= 2; 8 where an interval needs 8 values */
};

struct stats_allocation {
    size_t iterations; /* of a run */
    size_t runs;
    double detectable; /* difference that these show with the power asked for */
    double cost;       /* runs * (run_cost + iterations * iteration_cost) */
    bool bounded;      /* iterations_max was reached: no spread between runs, or dear
                          runs */
};

/* The cheapest iterations of a run, r1 = ceil(sqrt(run_cost / iteration_cost * within /
 * between)), in [1, iterations_max], and the fewest runs whose Student's t interval of
 * the mean excludes a difference of `effect` with probability `power`: the smallest R
 * with (t(1 - (1 - level) / 2) + t(power)) * sqrt((between + within / r1) / R) <=
 * effect, t with R - 1 degrees of freedom (stats_t_detectable()).
 *
 * r1 minimizes (between + within / r1) * (run_cost + r1 * iteration_cost), which is the
 * cost of a given precision. Without any spread one iteration in runs_min runs do.
 *
 * Errors: DUET_E_DOMAIN (a wish out of range, components negative or not finite, more
 * than 10^9 runs needed).
 * Source: Kalibera and Jones 2013: r_i = ceil(sqrt(c_{i+1} / c_i * T_i^2 / T_{i+1}^2)),
 * here with i = 1: c_1 an iteration, c_2 what a run costs beside its iterations.
 * Deviation: the paper then takes as many runs as there is time for. */
BASE_MUST_USE enum duet_code stats_allocation_plan(
    const struct stats_components *components, const struct stats_allocation_wish *wish,
    struct stats_allocation *ret_allocation, struct duet_error *reterr);

#endif
