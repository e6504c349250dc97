/* Fleets, for people and for programs. */
#ifndef DUET_REPORT_FLEET_REPORT_H
#define DUET_REPORT_FLEET_REPORT_H

#include "model/fleet.h"
#include "report/report.h"

/* How far it is, the answers, the machines, and what is odd about results. */
void report_fleet_terminal(struct text *text, const struct model_fleet_view *view,
                           const struct report_style *style);

/* {"schema_version": 1, ...} (docs/schema/duet-fleet-1.schema.json); a new reference,
 * NULL when memory is short. */
json_t *report_fleet_json(const struct model_fleet_view *view);

#endif
