/* Files of a fleet's folder: its plan, and what each task says of itself
 * (docs/fleet.md). */
#ifndef DUET_FORMATS_FLEET_JSON_H
#define DUET_FORMATS_FLEET_JSON_H

#include "base/text.h"
#include "model/fleet.h"

/* Appends the plan as JSON. Errors: DUET_E_USAGE (a word of it is not UTF-8, which JSON
 * cannot hold; says which), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_fleet_plan_write(const struct model_fleet_plan *plan, struct text *text,
                         struct duet_error *reterr);
/* Errors: DUET_E_NOT_FOUND, DUET_E_IO, DUET_E_FORMAT (says the key), DUET_E_VERSION (of
 * a newer duet), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_fleet_plan_read(const char *path,
                                                     struct model_fleet_plan *ret_plan,
                                                     struct duet_error *reterr);

/* The same of a task's state; of texts that are not UTF-8 other characters become '?'.
 */
BASE_MUST_USE enum duet_code
formats_fleet_state_write(const struct model_fleet_state *state, struct text *text,
                          struct duet_error *reterr);
BASE_MUST_USE enum duet_code
formats_fleet_state_read(const char *path, struct model_fleet_state *ret_state,
                         struct duet_error *reterr);

#endif
