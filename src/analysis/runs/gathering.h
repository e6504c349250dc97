/* The runs of an analysis as they come in: digested at once, or, where what is left out
 * depends on all of them, kept until they are asked for. */
#ifndef DUET_ANALYSIS_GATHERING_H
#define DUET_ANALYSIS_GATHERING_H

#include "analysis/runs/digest.h"

struct analysis_gathering {
    struct analysis_digest_needs needs;
    struct model_cleaning cleaning;
    struct analysis_digest *digests;  /* but for drop_magnitude */
    struct model_run_values *cleaned; /* with it: without warm-up */
    uint64_t *warmup;                 /* with it: values dropped of each */
    size_t count;
    size_t capacity;
};

/* `values` is borrowed, cleaned and winsorized in place. Errors: those of
 * analysis_digest_init() and analysis_drop_warmup(). */
BASE_MUST_USE enum duet_code
analysis_gathering_add(struct analysis_gathering *gathering,
                       struct model_run_values *values, struct duet_error *reterr);

/* The digests of all runs so far. */
struct analysis_digests {
    const struct analysis_digest *digests;
    size_t count;
    struct analysis_digest *own; /* NULL: the gathering's */
    uint64_t emptied;            /* values of runs that have lost all of theirs */
};
/* Errors: DUET_E_TOO_FEW (no run), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_gathering_digests(const struct analysis_gathering *gathering,
                           struct analysis_digests *ret_digests,
                           struct duet_error *reterr);
void analysis_digests_release(struct analysis_digests *digests);

void analysis_gathering_release(struct analysis_gathering *gathering);

#endif
