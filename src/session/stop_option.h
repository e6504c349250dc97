/* Lists of stop rules, results and allowed errors, as users type them. */
#ifndef DUET_SESSION_STOP_OPTION_H
#define DUET_SESSION_STOP_OPTION_H

#include "analysis/stop/stop_rule.h"

/* One of each; `option` is named in the message. Errors: DUET_E_USAGE (says what there
 * is). */
BASE_MUST_USE enum duet_code stop_option_rule(const char *word, const char *option,
                                              enum analysis_stop_rule *ret_rule,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code
stop_option_statistic(const char *word, const char *option,
                      struct stats_statistic *ret_statistic, struct duet_error *reterr);

/* All three take words between commas. Errors: DUET_E_USAGE (says what there is). */

/* "metior,steady": sets ret_rules of these and clears the others. */
BASE_MUST_USE enum duet_code stop_option_rules(const char *list, bool *ret_rules,
                                               struct duet_error *reterr);
/* "mean,p90,p99.9": up to `most` of them. */
BASE_MUST_USE enum duet_code
stop_option_statistics(const char *list, struct stats_statistic *ret_statistics,
                       size_t most, size_t *ret_count, struct duet_error *reterr);
/* "3%,0.05": up to ANALYSIS_STOP_ERRORS_MAX of them. */
BASE_MUST_USE enum duet_code stop_option_errors(const char *list, double *ret_errors,
                                                size_t *ret_count,
                                                struct duet_error *reterr);

#endif
