/* What a stored experiment measured, for those who write it out: its runs, iteration by
 * iteration, and the times that its answer speaks of. */
#ifndef DUET_SESSION_COMPARISON_STORED_RUNS_H
#define DUET_SESSION_COMPARISON_STORED_RUNS_H

#include "session/comparison/answer.h"

/* The runs, which may be read several times. An imported run has values and nothing
 * else: as iterations, they begin at 0. Zeroed but for the first two. */
struct stored_runs {
    struct store *store; /* borrowed */
    int64_t experiment;
    struct store_run_reader *reader;
    bool imported;                  /* the current run is */
    struct model_run_values values; /* then */
    size_t at[MODEL_SIDES];         /* the next of them */
};

/* As callbacks take them: `context` is a struct stored_runs. _restart goes before the
 * first run, _restart_side before the first iteration of a side of the current run; the
 * iterations come by ascending index, fillers among them. *ret_more false: there is no
 * further one. Errors: the store's. */
BASE_MUST_USE enum duet_code stored_runs_restart(void *context,
                                                 struct duet_error *reterr);
BASE_MUST_USE enum duet_code stored_runs_next(void *context, struct model_run *ret_run,
                                              bool *ret_more,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code stored_runs_restart_side(void *context,
                                                      enum model_side side,
                                                      struct duet_error *reterr);
BASE_MUST_USE enum duet_code
stored_runs_iteration(void *context, enum model_side side,
                      struct model_iteration *ret_iteration, bool *ret_more,
                      struct duet_error *reterr);
void stored_runs_release(struct stored_runs *runs);

/* One side's times over all runs, without warm-up and fillers: elapsed time in ns, CPU
 * time where the schedule compares that. Imported times keep their digits behind the
 * nanosecond. */
struct stored_times {
    double *times_ns;
    int *exit_codes;
    size_t count;
};
/* stored_times_release() frees what is returned. Errors: the store's, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stored_times_read(struct store *store,
                                               const struct answer *answer,
                                               enum model_side side,
                                               struct stored_times *ret_times,
                                               struct duet_error *reterr);
void stored_times_release(struct stored_times *times);

#endif
