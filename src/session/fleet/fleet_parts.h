/* The parts of a study that the tasks of a fleet have computed, put together. */
#ifndef DUET_SESSION_FLEET_FLEET_PARTS_H
#define DUET_SESSION_FLEET_FLEET_PARTS_H

#include "session/fleet/fleet_collect.h"

/* The words of the study with the collected part of every task, its name first, and the
 * current folder becomes that where it was submitted: files that the study reads and
 * writes are found from there, as by its tasks. ret_words: zeroed; release in any case.
 * Errors: DUET_E_UNSUITABLE (tasks without a part), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
fleet_parts_begin(const struct fleet *fleet, const struct fleet_collection *collection,
                  struct model_words *ret_words, struct duet_error *reterr);

#endif
