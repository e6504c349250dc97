/* When has a performance test seen enough? Rules that look at the measurements of one
 * program so far and say whether their mean, or one of their percentiles, is known
 * well enough (docs/stopping.md). */
#ifndef DUET_ANALYSIS_STOP_RULE_H
#define DUET_ANALYSIS_STOP_RULE_H

#include "base/error.h"
#include "stats/statistic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum analysis_stop_rule {
    ANALYSIS_STOP_METIOR,          /* He 2021, as the paper tells it */
    ANALYSIS_STOP_METIOR_ARTIFACT, /* He 2021, as the published program does it */
    ANALYSIS_STOP_BASICBT,         /* independent bootstrap after every execution */
    ANALYSIS_STOP_COV,             /* stability of the coefficient of variation */
    ANALYSIS_STOP_PT4CLOUD,        /* the whole distribution stable */
    ANALYSIS_STOP_STEADY,          /* the project's own */
    ANALYSIS_STOP_RULES
};
/* "metior", "metior-artifact", "basicbt", "cov", "pt4cloud", "steady". */
const char *analysis_stop_rule_name(enum analysis_stop_rule rule);
/* false: there is no such rule. */
bool analysis_stop_rule_from_name(const char *name, enum analysis_stop_rule *ret_rule);

enum { ANALYSIS_STOP_ERRORS_MAX = 8 };

struct analysis_stop_question {
    enum analysis_stop_rule rule;
    struct stats_statistic statistic; /* the mean or a quantile */
    /* Largest errors allowed, as a share of the result, such as 0.03; a rule is asked
     * for several at once since one look serves all. */
    double errors[ANALYSIS_STOP_ERRORS_MAX];
    size_t error_count;
    double confidence;
    double interval; /* points of an interval (a day in the cloud); need not be whole */
    size_t replicates; /* of the bootstraps; at least 100 */
};

/* What a rule said for one of the errors. */
struct analysis_stop {
    bool stopped;
    size_t points;    /* used: all when it did not stop */
    size_t of_points; /* that the result is computed from */
    double result;    /* the statistic of those */
    double low, high; /* what the result may be off by, as a share of it, by the rule's
                         last look; NaN: did not stop, or the rule makes none */
};

struct analysis_stopper;

/* A rule, ready for series of up to `longest` points; may be shared by threads. Errors:
 * DUET_E_DOMAIN (the question), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_stopper_new(const struct analysis_stop_question *question, size_t longest,
                     struct analysis_stopper **ret_stopper, struct duet_error *reterr);
void analysis_stopper_free(struct analysis_stopper *stopper);

/* Where a test that begins with values[0] stops, for each error of the question (in
 * ret_stops, in that order). values: in the order in which they were measured,
 * positive, borrowed. The answer for a longer series that begins the same is the same,
 * once it stopped. Everything random follows from `seed`. Errors: DUET_E_TOO_FEW (no
 * value), DUET_E_DOMAIN (more values than announced, one not finite or not positive),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_stopper_find(const struct analysis_stopper *stopper, const double *values,
                      size_t count, uint64_t seed, struct analysis_stop *ret_stops,
                      struct duet_error *reterr);

/* Whether the rule has anything new to say of a test that has grown from `before` to
 * `after` points: rules that look after each execution always, the others when another
 * of their looks lies between. */
bool analysis_stop_looks(const struct analysis_stop_question *question, size_t before,
                         size_t after);

/* The mean or a quantile (type 7) of `count` values, borrowed: what the rules are
 * about. Errors: DUET_E_TOO_FEW, DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_stop_statistic(const struct stats_statistic *statistic, const double *values,
                        size_t count, double *ret_value, struct duet_error *reterr);

#endif
