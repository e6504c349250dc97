/* An experiment that is measured in slices, between which others may be measured: its
 * supervisors live as long as a slice, what it has learned as long as it. */
#ifndef DUET_SESSION_COMPARISON_ONGOING_H
#define DUET_SESSION_COMPARISON_ONGOING_H

#include "session/comparison/benchmark.h"

#include <stdbool.h>
#include <stdint.h>

struct ongoing;

/* Ends at the end of the block that reaches any of them. */
struct ongoing_slice {
    uint64_t for_ns; /* of measuring; 0: no limit */
    uint64_t runs;   /* that count (ongoing_runs), all slices together; 0: no limit */
    bool settled;    /* goes on until the schedule is chosen, whatever the others say */
};

/* Begins it in the store, or goes on with benchmark->resumed. The benchmark and the
 * session are borrowed. *ret_experiment is set as soon as there is one (0 before), also
 * on failure. Errors: DUET_E_NOMEM, and the store's. */
BASE_MUST_USE enum duet_code ongoing_begin(const struct benchmark *benchmark,
                                           const struct session *session,
                                           struct ongoing **ret_ongoing,
                                           int64_t *ret_experiment,
                                           struct duet_error *reterr);

/* Measures on. Set-up and clean-up hooks and the executions before the first run
 * surround each slice. *ret_ended: its plan or its rule wants no more. slice NULL: to
 * the end. Errors: those of measure_experiment(); what has ended is kept. */
BASE_MUST_USE enum duet_code ongoing_continue(struct ongoing *ongoing,
                                              const struct ongoing_slice *slice,
                                              bool *ret_ended,
                                              struct duet_error *reterr);

/* Its runs so far of the schedule that counts. */
uint64_t ongoing_runs(const struct ongoing *ongoing);
/* live_suspicion() */
double ongoing_suspicion(const struct ongoing *ongoing);
enum model_schedule ongoing_schedule(const struct ongoing *ongoing);
/* All slices together. */
const struct measure_result *ongoing_result(const struct ongoing *ongoing);
/* For the progress line of the next slice. */
void ongoing_set_ordinal(struct ongoing *ongoing, const struct live_ordinal *ordinal);

/* Keeps how it ended: with `code` and its message (not of DUET_OK). Errors: the
 * store's. */
BASE_MUST_USE enum duet_code ongoing_end(struct ongoing *ongoing, enum duet_code code,
                                         const char *message,
                                         struct duet_error *reterr);
/* NULL: nothing. */
void ongoing_free(struct ongoing *ongoing);

#endif
