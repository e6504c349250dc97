/* What many instances say together: each gives one log ratio of a benchmark, and
 * differs from the others by what its machine does to both programs. */
#ifndef DUET_ANALYSIS_INSTANCES_H
#define DUET_ANALYSIS_INSTANCES_H

#include "model/fleet.h"

struct analysis_instances {
    double confidence;  /* of the family, in (0, 1) */
    size_t family;      /* benchmarks that are judged together, at least 1 */
    double same_within; /* fraction; NaN: no such verdict */
    bool anytime;       /* it may be looked at, and stopped, after every instance */
};

/* Sets all of *ret_answer but its name. log_ratios: natural logarithms of new / old,
 * one an instance in the order of their numbers; NaN: it failed there, and is counted.
 * The estimate and the interval are
 *
 * - for a fixed number of instances: the mean, and Student's t over them;
 * - anytime: the centre and the confidence sequence of bets on the instances in their
 *   order (stats/sequential/betting.h), each with the same spread. If new = old *
 *   exp(theta) on every instance, a log ratio minus theta is symmetric about 0, because
 *   each instance assigns the sides to positions by coins of its own: an instance is a
 *   block. The order must not depend on the values; 8 instances are the least at 99 %.
 *   Where later instances contradict the first ones, the answer is that of a comparison
 *   (analysis_anytime_interval()): the interval grows to the estimate, and without any
 *   theta that is left there is none.
 *
 * With m benchmarks each has the confidence 1 - (1 - confidence) / m (Bonferroni).
 * Instances need not be alike, but t takes them for a sample of one population. Errors:
 * DUET_E_DOMAIN (an infinite log ratio), DUET_E_NOMEM. Too few instances are no error:
 * the ends are NaN, the verdict is `unsure`. O(count^2) for anytime, up to 256
 * instances, then O(count log count). */
BASE_MUST_USE enum duet_code
analysis_instances(const struct analysis_instances *question, const double *log_ratios,
                   size_t count, struct model_fleet_answer *ret_answer,
                   struct duet_error *reterr);

#endif
