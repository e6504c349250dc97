/* The answers of `duet aa` and `duet plan`: what can be seen here, and what it takes.
 * As in report.h: appends to a text, or returns a new JSON reference (NULL: no memory).
 */
#ifndef DUET_REPORT_SPENDING_H
#define DUET_REPORT_SPENDING_H

#include "model/planning.h"
#include "model/self_comparison.h"
#include "report/report.h"

/* whole: the comparison over all runs. */
void report_self_terminal(struct text *text, const struct model_self_comparison *self,
                          const struct model_comparison *whole,
                          const struct report_style *style);
/* docs/schema/duet-aa-1.schema.json; steals `context`. */
json_t *report_self_json(json_t *context, const struct model_self_comparison *self,
                         const struct model_comparison *whole);

void report_planning_terminal(struct text *text, const struct model_planning *planning,
                              const struct report_style *style);
/* docs/schema/duet-plan-1.schema.json; steals `context`. */
json_t *report_planning_json(json_t *context, const char *name,
                             const struct model_planning *planning);

#endif
