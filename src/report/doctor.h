/* Whether a machine is fit, for people and for programs. */
#ifndef DUET_REPORT_DOCTOR_H
#define DUET_REPORT_DOCTOR_H

#include "model/finding.h"
#include "report/report.h"

/* One paragraph a finding: mark, item, text, and below it what to do. */
void report_fitness_terminal(struct text *text, const struct model_findings *findings,
                             const struct report_style *style);

/* {"schema_version", "context", "level", "fitness" (null: not measured), "findings"}.
 * Steals `context`. NULL when memory is short. */
json_t *report_fitness_json(json_t *context, const struct model_findings *findings,
                            enum model_finding_level level,
                            const struct model_fitness *fitness);

#endif
