/* Looking after every coin: the confidence sequence of stats/sequential/betting.h over
 * the blocks and runs in the order in which they were measured. */
#ifndef DUET_ANALYSIS_ANYTIME_H
#define DUET_ANALYSIS_ANYTIME_H

#include "analysis/runs/used_runs.h"
#include "model/trace.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/sequential/betting.h"

#include <stdbool.h>

/* Whether the run after so many should have a coin of its own
 * (stats/sequential/coins.h). */
bool analysis_coin_alone(size_t runs);

struct analysis_anytime {
    struct stats_interval ends; /* logarithms; infinite: not bounded yet */
    struct stats_interval now;  /* the same of the last look alone */
    double center;              /* logarithm: stats_betting_center() */
    double p_value;             /* of no difference, at any look */
    bool conflict;              /* no ratio is left: it changed while it was measured */
};

/* Of what was bet on, at least one value. */
struct analysis_anytime analysis_anytime_of(const struct stats_betting *betting);

/* The interval of a look without a conflict. What was excluded stays excluded, unless
 * the values have moved there since: an interval that its own centre has left says too
 * much. */
struct stats_interval analysis_anytime_interval(const struct analysis_anytime *look);

/* Of used->coins, of which there is at least one. Errors: DUET_E_DOMAIN
 * (confidence), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_anytime_look(const struct analysis_used_runs *used, double confidence,
                      struct analysis_anytime *ret_look, struct duet_error *reterr);

/* What every coin said, and the e-values after it: used->coin_count looks into
 * ret_looks. Errors: as above. */
BASE_MUST_USE enum duet_code
analysis_anytime_looks(const struct analysis_used_runs *used, double confidence,
                       struct model_trace_look *ret_looks, struct duet_error *reterr);

#endif
