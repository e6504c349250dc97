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
/* The time of an iteration that was read of this side, in ns: elapsed, or `cpu_time`.
 * Imported times keep their digits behind the nanosecond. */
double stored_runs_time_ns(const struct stored_runs *runs, enum model_side side,
                           const struct model_iteration *iteration, bool cpu_time);
void stored_runs_release(struct stored_runs *runs);

/* One side's times over all runs, without warm-up and fillers, as struct model_time:
 * elapsed time in ns, CPU time where the schedule compares that. Imported times keep
 * their digits behind the nanosecond. spool_release() frees what is returned. Errors:
 * the store's, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stored_times_read(struct store *store,
                                               const struct answer *answer,
                                               enum model_side side,
                                               struct spool *ret_times,
                                               struct duet_error *reterr);

#endif
