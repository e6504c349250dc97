/* --confirm: a comparison that fails its gate is measured once more, in an experiment
 * of its own with its own coins and another memory layout, and fails only when that
 * fails, too. */
#ifndef DUET_SESSION_COMPARISON_CONFIRM_H
#define DUET_SESSION_COMPARISON_CONFIRM_H

#include "session/comparison/answer.h"
#include "session/comparison/benchmark.h"

/* Where the benchmark of an experiment comes from. *ret_wanted false: it is not to be
 * confirmed, and *ret_benchmark stays as it is. */
struct confirm_source {
    enum duet_code (*make)(void *context, int64_t experiment, bool *ret_wanted,
                           struct benchmark *ret_benchmark, struct duet_error *reterr);
    void *context;
};

/* What fails its gate of the comparison at `at`: it, or one of its regions, which stand
 * behind it. NULL: nothing, or that is no comparison. */
const struct answer *confirm_failed(const struct answer *answers, size_t count,
                                    size_t at);

/* The answers have been concluded, those of regions too; the confirmations are put
 * behind theirs, and the gates judged again: a region's by the same region of the
 * confirmation. *answers is replaced and *count grows, on failure too. A command that
 * fails now is told to the listener, and its gate stays failed. Errors:
 * DUET_E_INTERRUPTED, and those of the store and the machine. */
BASE_MUST_USE enum duet_code confirm_failing(const struct session *session,
                                             const struct confirm_source *source,
                                             struct answer **answers, size_t *count,
                                             struct duet_error *reterr);

#endif
