/* The raw data of an experiment in the store, run by run. */
#ifndef DUET_CLI_STORED_RUNS_H
#define DUET_CLI_STORED_RUNS_H

#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* The runs of one experiment in the store. An imported run has values and nothing else:
 * as iterations, they begin at 0. */
struct stored_runs {
    struct store *store;
    int64_t experiment;
    struct store_run_reader *reader;
    bool imported;                  /* the current run is */
    struct model_run_values values; /* then */
    size_t at[MODEL_SIDES];         /* the next of them */
};
void stored_runs_release(struct stored_runs *runs);

/* Before the first run. Errors of all: those of the store. */
BASE_MUST_USE enum duet_code stored_runs_restart(void *context,
                                                 struct duet_error *reterr);
/* *ret_more: false behind the last run. */
BASE_MUST_USE enum duet_code stored_runs_next(void *context, struct model_run *ret_run,
                                              bool *ret_more,
                                              struct duet_error *reterr);
/* Before the first iteration of a side of this run. */
BASE_MUST_USE enum duet_code stored_runs_side(void *context, enum model_side side,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code
stored_runs_iteration(void *context, enum model_side side,
                      struct model_iteration *ret_iteration, bool *ret_more,
                      struct duet_error *reterr);
/* The time of an iteration that was read, in ns; imported ones keep their digits behind
 * the nanosecond. */
double stored_runs_time_ns(const struct stored_runs *runs, enum model_side side,
                           const struct model_iteration *iteration, bool cpu_time);

#endif
