/* Notices at the first run that --drop-warmup leaves nothing of it: how many iterations
 * a run has, commands and benchmark programs say only then. */
#ifndef DUET_SESSION_COMPARISON_WARMUP_GUARD_H
#define DUET_SESSION_COMPARISON_WARMUP_GUARD_H

#include "base/error.h"
#include "model/analysis.h"
#include "model/plan.h"
#include "model/sink.h"

#include <stdbool.h>

struct warmup_guard {
    struct model_sink next;
    struct model_cleaning cleaning;
    uint64_t warmup; /* of the plan */
    enum model_mode mode;
    uint64_t counts[MODEL_SIDES];
    bool seen[MODEL_SIDES]; /* the side's first run has ended */
    enum duet_code code;    /* not DUET_OK: nothing is left, and the measurement ends */
    struct duet_error error;
};

struct warmup_guard warmup_guard_of(const struct model_plan *plan,
                                    const struct model_cleaning *cleaning);

/* A sink that hands on all to `next`, which keeps what was measured. It never fails by
 * itself: `code` is to be looked at between runs. */
struct model_sink warmup_guard_sink(struct warmup_guard *guard,
                                    const struct model_sink *next);

#endif
