/* From observations to an answer (method: docs/method.md; Bulej 2020 s.3 and s.4.1). */
#ifndef DUET_ANALYSIS_CONCLUDE_H
#define DUET_ANALYSIS_CONCLUDE_H

#include "analysis/options.h"
#include "base/error.h"
#include "model/comparison.h"
#include "model/trace.h"

#include <stdbool.h>

/* Feeds one comparison run by run, so that only one run's observations need be in
 * memory at a time (with the geometric mean; the other estimators keep a compact copy).
 */
struct analysis;

/* Errors: those of analysis_options_check(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_new(const struct model_analysis *options,
                                          bool paired, struct analysis **ret_analysis,
                                          struct duet_error *reterr);

/* Whether long runs may be in spools (struct model_run_values): the answer is the same
 * as of arrays. */
bool analysis_takes_long_runs(const struct analysis *analysis);

/* Adds one run. `values` is borrowed, cleaned and winsorized in place, and its idle
 * times are used up: what lies there then means nothing. Paired: counts
 * must be equal and positive; unpaired: one side's may be 0. Errors: DUET_E_DOMAIN (a
 * value not positive and finite; says run, side, iteration), DUET_E_TOO_FEW (no
 * observation), DUET_E_NOMEM, of a spool DUET_E_IO. */
BASE_MUST_USE enum duet_code analysis_add_run(struct analysis *analysis,
                                              struct model_run_values *values,
                                              struct duet_error *reterr);

/* The answer over all runs added so far; can be asked for again after more runs. Fills
 * ratio, interval, verdict, could_have_seen, runs, iterations, winsorized, estimator,
 * widths, measured_coverage, tails, conditions (but for
 * involuntary_per_s and taken_ratio), mean_change, doubt, same_within and the sides'
 * count, mean, sd, min, max (of the values as analysed, that is, after winsorization),
 * and appends warnings; everything else of *ret_comparison is left as it was. With too
 * few runs for an interval (2 paired runs or blocks) its ends are NaN and the verdict
 * is `unsure`. Unpaired: the sides by themselves, by `t` unless
 * options->interval_asked; paired_width is then that of the difference relative to the
 * mean, the other widths are NaN. A default bootstrap of too few values decides nothing
 * (analysis/few.h). Deterministic for (data, options), for any number of threads and
 * any order of adding. Errors: DUET_E_TOO_FEW (no run, or none of a side),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_conclude(const struct analysis *analysis,
                                               struct model_comparison *ret_comparison,
                                               struct duet_error *reterr);

/* The ratio and the interval alone, for showing progress between runs. Over blocks and
 * runs at most about a millisecond; with the standard method (unpaired, or interval
 * `difference`) as expensive as its bootstrap. Errors: as analysis_conclude(). */
BASE_MUST_USE enum duet_code analysis_estimate(const struct analysis *analysis,
                                               double *ret_ratio,
                                               struct model_interval *ret_interval,
                                               struct duet_error *reterr);

/* Whether the verdict would be taken back now (model_comparison's doubt). As expensive
 * as analysis_conclude(). Errors: the same. */
BASE_MUST_USE enum duet_code analysis_is_doubted(const struct analysis *analysis,
                                                 bool *ret_doubted,
                                                 struct duet_error *reterr);

/* How far apart the sides seem, for choosing what is measured next and never for a
 * verdict: the two-sided p value of Student's t over whole blocks of pairs; 1 with
 * fewer than two. Errors: the same. */
BASE_MUST_USE enum duet_code analysis_suspicion(const struct analysis *analysis,
                                                double *ret_p_value,
                                                struct duet_error *reterr);

/* After analysis_estimate(), of pairs: analysis_agreement_certain(). Errors: the same.
 */
BASE_MUST_USE enum duet_code
analysis_mean_is_certain(const struct analysis *analysis, double ratio,
                         const struct model_interval *interval, bool *ret_certain,
                         struct duet_error *reterr);

/* The log ratio of the run that was added last, without lost CPU time where that is
 * known of it; NaN: there is none, or it is not known yet. */
double analysis_last_log_ratio(const struct analysis *analysis);

/* The course of all runs added so far: analysis_course(). Errors: DUET_E_TOO_FEW (no
 * run), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_trace(const struct analysis *analysis,
                                            struct model_trace *trace,
                                            struct duet_error *reterr);

/* What an interval of ratios says (method.md, "Verdict"). The band of `same` is
 * symmetric in the logarithm, so that swapping the sides cannot change the verdict.
 * NaN: an open end, or no band. same_asked: `same` goes before slower and faster. */
enum model_verdict analysis_verdict(double low, double high, double same_within,
                                    bool same_asked);

void analysis_free(struct analysis *analysis);

#endif
