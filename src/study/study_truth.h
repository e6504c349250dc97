/* What a series truly has, by the measurements behind those that tests may use. */
#ifndef DUET_STUDY_STUDY_TRUTH_H
#define DUET_STUDY_STUDY_TRUTH_H

#include "study/study_stopping.h"

/* The mean or a quantile (type 7) of all values behind a series' test points. Errors:
 * DUET_E_TOO_FEW, DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_truth_of(const struct study_series *series,
                                            const struct stats_statistic *statistic,
                                            double *ret_truth,
                                            struct duet_error *reterr);

/* Whether a plan can be carried out on these series. Errors: DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code
study_stopping_check(const struct study_stopping_plan *plan,
                     const struct study_series *series, size_t series_count,
                     struct duet_error *reterr);

#endif
