/* The tasks of a fleet on this machine, one after the other. */
#ifndef DUET_SESSION_FLEET_FLEET_LOCAL_H
#define DUET_SESSION_FLEET_FLEET_LOCAL_H

#include "session/fleet/fleet_state.h"
#include "session/listener.h"

/* Executes every task that has no result, each as `duet fleet task` in a process of its
 * own whose output goes to the fleet's logs. A failing task does not keep the others
 * from it, and the listener is told. Ends when the fleet has ended. Errors:
 * DUET_E_INTERRUPTED, DUET_E_UNSUITABLE (the fleet's program is gone), DUET_E_IO,
 * DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_local(const struct fleet *fleet, int cancel_fd,
                                         const struct listener *listener,
                                         struct duet_error *reterr);

#endif
