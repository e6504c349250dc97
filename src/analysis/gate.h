/* Whether a comparison passes its gate: the one place that judges it (docs/output.md,
 * "Gates"). */
#ifndef DUET_ANALYSIS_GATE_H
#define DUET_ANALYSIS_GATE_H

#include "model/comparison.h"

/* Where an interval of ratios lies by a largest slowdown (a fraction; NaN: none). NaN
 * at an end: open. */
enum model_gate_to_limit analysis_gate_to_limit(double low, double high,
                                                double max_slowdown);

/* Sets comparison->gate by its analysis, verdict and interval: to be called when the
 * verdict is final, that is, after analysis_family_judge(). Failed is what --fail-on
 * slower or faster names, and an interval above max_slowdown, unless the verdict
 * `slower` was taken back: then the limit is as open as the verdict. Unsure is, with
 * --fail-on unsure, an interval around max_slowdown; without such a limit the verdict
 * `unsure`. Until its last day the limit of an acceptance takes the place of
 * max_slowdown and of --fail-on slower. A control or a confirmation has no gate.
 * today: "2026-12-31", UTC. */
void analysis_gate_judge(struct model_comparison *comparison, const char *today);

/* Whether an acceptance holds on that day. */
bool analysis_gate_accepts(const struct model_acceptance *acceptance,
                           const char *today);

/* After analysis_gate_judge(): a failure stands only when the second experiment fails
 * the same gate in the same direction; otherwise it passes, or is unsure where
 * --fail-on names that. Both tosses of coins are independent, so that both fail falsely
 * with at most the product of their error rates. */
void analysis_gate_confirm(struct model_comparison *comparison,
                           const struct model_comparison *confirmation,
                           const char *today);

/* After analysis_gate_judge(): keeps what the old side against itself showed. */
void analysis_gate_control(struct model_comparison *comparison,
                           const struct model_comparison *control);

/* Adds a comparison's outcome to those of others; a zeroed summary is that of none. */
void analysis_gate_add(const struct model_comparison *comparison,
                       struct model_gate_summary *summary);

#endif
