/* A stored experiment as a pilot. */
#ifndef DUET_SESSION_COMPARISON_PILOT_READ_H
#define DUET_SESSION_COMPARISON_PILOT_READ_H

#include "model/pilot.h"
#include "store/store.h"

/* Warm-up iterations count as cost of their run. Errors: DUET_E_USAGE (its schedule has
 * no pairs, or it was imported), DUET_E_TOO_FEW (no run), and the store's. */
BASE_MUST_USE enum duet_code pilot_read(struct store *store,
                                        const struct store_experiment *experiment,
                                        struct model_pilot *ret_pilot,
                                        struct duet_error *reterr);

#endif
