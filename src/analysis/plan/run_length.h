/* How long the runs of a measurement that is under way should be. */
#ifndef DUET_ANALYSIS_RUN_LENGTH_H
#define DUET_ANALYSIS_RUN_LENGTH_H

#include "analysis/runs/log_ratios.h"

/* Zeroed but for `start_ns`; to be released. */
struct analysis_run_length {
    double start_ns; /* of iterations in the first runs */
    struct analysis_log_ratios ratios;
    double iterating_ns; /* sums over the runs so far */
    double wall_ns;
    size_t iterations;
    size_t next;     /* runs at which to reckon again */
    double found_ns; /* by the components; 0: not yet known */
};

/* Takes note of a run of pairs: its values (borrowed) and how long it took in all, from
 * the end of the run before it. Beyond ANALYSIS_RUN_LENGTH_RUNS it is only counted.
 * Errors: those of analysis_log_ratios_add(). */
enum { ANALYSIS_RUN_LENGTH_PILOT = 24, ANALYSIS_RUN_LENGTH_RUNS = 256 };
BASE_MUST_USE enum duet_code
analysis_run_length_add(struct analysis_run_length *length,
                        const struct model_run_values *values, double wall_ns,
                        struct duet_error *reterr);

/* Time of a run's iterations, in ns: the first runs start_ns; then as long as starting
 * a run takes, where that is longer; after ANALYSIS_RUN_LENGTH_PILOT runs (and twice,
 * four times ... as many) the cheapest number of iterations for the spread between and
 * within runs, between one iteration and 20 times the first runs' length or the cost of
 * starting, whichever is longer.
 * Source: Kalibera and Jones 2013 (stats/allocation.h). What is done next may depend on
 * anything that was seen: the coin of the next block is fair all the same. */
double analysis_run_length_ns(const struct analysis_run_length *length);

void analysis_run_length_release(struct analysis_run_length *length);

#endif
