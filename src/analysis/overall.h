/* The row that sums several benchmarks up. */
#ifndef DUET_ANALYSIS_OVERALL_H
#define DUET_ANALYSIS_OVERALL_H

#include "model/geomean.h"

#include <stdbool.h>
#include <stddef.h>

/* The geometric mean of the ratios, with an interval and a verdict of its own as far as
 * the benchmarks' intervals allow. With t_i = log ratio and [l_i, u_i] the interval of
 * benchmark i of m, on the logarithm:
 *
 * - Intervals of a fixed number of runs, of benchmarks that were measured one after the
 *   other and so err independently: mean t_i minus sqrt(sum (t_i - l_i)^2) / m, and the
 *   same upwards. The confidence is the smallest of theirs. For Student's t and normal
 *   data it covers at least that for any variances and any number of runs (Banerjee
 *   1960); for others it is as good as they are (Zou and Donner 2008).
 * - Those of files, whose benchmarks may have been measured in the same processes and
 *   then err together: mean t_i minus mean (t_i - l_i). The standard error of a mean is
 *   at most the mean of the standard errors, whatever the dependence.
 * - Intervals that are valid at every look (`anytime`): [mean l_i, mean u_i], which
 * misses only if one of them does, however the measurements were stopped. Each must be
 * as confident as Bonferroni asks (1 - alpha / m for 1 - alpha), or there is none.
 *   Squares are not summed here: benchmarks that stop when their change is certain
 *   overestimate it, all in its direction, and no rule says how far this adds up.
 *
 * An end that any benchmark lacks is lacking here. Without any end there is no verdict
 * (MODEL_VERDICTS). Benchmarks that failed are left out. false: fewer than two are
 * left, or the ratio of one is unknown.
 *
 * Sources: Banerjee 1960, "Approximate confidence interval for linear functions of
 * means of k populations when the population variances are not equal", Sankhya 22; Zou
 * and Donner 2008, "Construction of confidence limits about effect measures", Statist.
 * Med.
 * 27. Deviation: none. */
bool analysis_geomean(const struct model_comparison *comparisons, size_t count,
                      struct model_geomean *ret_geomean);

#endif
