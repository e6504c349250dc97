/* The answer by the standard method: the sides taken by themselves, as if they had been
 * measured one at a time (Bulej 2020 s.4.1). */
#ifndef DUET_ANALYSIS_STANDARD_H
#define DUET_ANALYSIS_STANDARD_H

#include "analysis/selection.h"

struct analysis_standard {
    double ratio; /* mean of new / mean of old, means over runs */
    double low;   /* ratio: 1 + difference / mean of old; NaN with fewer than
                     two runs of a side */
    double high;
    enum model_unit unit;
    double width;   /* of the difference / mean over all observations */
    double p_value; /* Welch's t; NaN as could_have_seen */
    double
        could_have_seen; /* fraction of old; NaN with fewer than two runs of a side */
};

/* The digests must have been made for the standard method. Cost: every observation (or
 * group of them) times options->replicates. Errors: DUET_E_TOO_FEW (a side has no run),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_standard_estimate(
    const struct model_analysis *options, const struct analysis_selection *selection,
    struct analysis_standard *ret_standard, struct duet_error *reterr);

#endif
