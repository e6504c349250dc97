/* Whether a comparison passes its gate: the one place that judges it (docs/output.md,
 * "Gates"). */
#ifndef DUET_ANALYSIS_GATE_H
#define DUET_ANALYSIS_GATE_H

#include "model/comparison.h"

/* Where an interval of ratios lies by a largest slowdown (a fraction; NaN: none). NaN
 * at an end: open. */
enum model_gate_place analysis_gate_place(double low, double high, double max_slowdown);

/* Sets comparison->gate by its analysis, verdict and interval: to be called when the
 * verdict is final, that is, after analysis_family_judge(). Failed is what --fail-on
 * slower or faster names, and an interval above max_slowdown. Unsure is, with
 * --fail-on unsure, an interval around max_slowdown; without such a limit the verdict
 * `unsure`. */
void analysis_gate_judge(struct model_comparison *comparison);

/* Adds a comparison's outcome to those of others; a zeroed summary is that of none. */
void analysis_gate_add(const struct model_comparison *comparison,
                       struct model_gate_summary *summary);

#endif
