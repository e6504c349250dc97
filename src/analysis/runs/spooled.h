/* Statistics of values that do not lie in memory: each takes a few passes over them,
 * and says what its counterpart in stats says of an array, to the last bit where that
 * does not depend on the order of the array. */
#ifndef DUET_ANALYSIS_SPOOLED_H
#define DUET_ANALYSIS_SPOOLED_H

#include "base/spool.h"
#include "stats/rank/order.h"
#include "stats/sequential/run_facts.h"

/* What the spools below hold. */
struct analysis_weighted {
    double value;
    uint32_t weight; /* at least 1 */
    uint32_t unused; /* in place of padding, as model_idle's */
};

/* No items; so many of them in memory at most. */
struct spool analysis_spool_of_values(void);
struct spool analysis_spool_of_weighted(void);

/* The functions here take a spool of finite doubles that has one at least, unless they
 * say something else, and have the errors DUET_E_NOMEM and DUET_E_IO. */

/* As stats_quantiles_type7(); probabilities: ascending, in [0, 1]. */
BASE_MUST_USE enum duet_code analysis_spooled_quantiles(struct spool *values,
                                                        const double *probabilities,
                                                        size_t quantiles,
                                                        double *ret_quantiles,
                                                        struct duet_error *reterr);

/* The median; reorders those in memory. NaN: there is none, or it cannot be read. */
double analysis_spooled_median(struct spool *values);

/* As stats_autocorrelation() at lag 1. NaN: constant. */
BASE_MUST_USE enum duet_code analysis_spooled_lag1(struct spool *values,
                                                   double *ret_correlation,
                                                   struct duet_error *reterr);

/* As stats_run_facts_find() without losses; trimmed means are sums in another order. */
BASE_MUST_USE enum duet_code analysis_spooled_facts(struct spool *log_ratios,
                                                    enum stats_location location,
                                                    struct stats_run_facts *ret_facts,
                                                    struct duet_error *reterr);

/* The same with losses and the median. log_ratios: of struct analysis_weighted. */
BASE_MUST_USE enum duet_code
analysis_spooled_weighted_facts(struct spool *log_ratios,
                                struct stats_run_facts *ret_facts,
                                struct duet_error *reterr);

#endif
