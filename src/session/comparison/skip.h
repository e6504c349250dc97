/* --skip-identical: equal programs are not measured, but answered. */
#ifndef DUET_SESSION_COMPARISON_SKIP_H
#define DUET_SESSION_COMPARISON_SKIP_H

#include "session/comparison/benchmark.h"

/* Keeps an experiment without runs where the option was given and the sides are
 * identical. *ret_experiment 0: it is to be measured; where that could not be known the
 * listener is told why. Errors: those of identical_sides() and the store. */
BASE_MUST_USE enum duet_code skip_identical(const struct run_request *options,
                                            const struct benchmark *benchmark,
                                            const struct session *session,
                                            int64_t *ret_experiment,
                                            struct duet_error *reterr);

#endif
