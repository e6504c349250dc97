/* A new fleet, of a suite or a study: its folder, with all that tasks need. */
#ifndef DUET_SESSION_FLEET_FLEET_SUBMIT_H
#define DUET_SESSION_FLEET_FLEET_SUBMIT_H

#include "session/fleet/fleet_folder.h"

struct fleet_request {
    const char
        *suite;     /* the suite's file, as typed; NULL: plan.study, with its words */
    const char *to; /* the fleet's folder; NULL: fleet-ID in the current folder */
    const char **ship; /* files and folders in the suite's folder, of a study in the
                          current one, to be copied */
    size_t ship_count;
    bool no_data; /* the study has no operand */
    /* What becomes the fleet's; without id, suite, folder, hash, version and time. */
    struct model_fleet_plan plan;
};

/* Without anything to ship, tasks use the suite where it is, and run in the current
 * folder: both must be there on every machine. Else they run in a copy of the suite's
 * folder that has these files only. A study without any operand, whose tasks are
 * executed wherever somebody carries the fleet's folder, runs there, too. A seed of 0
 * is drawn. request->plan is moved into the fleet. Errors: DUET_E_NOT_FOUND (no such
 * suite), DUET_E_USAGE (a file to ship is not in the suite's folder; the fleet's folder
 * has something in it), DUET_E_IO, DUET_E_WORKLOAD (what cp said), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_create(struct fleet_request *request, int cancel_fd,
                                          struct fleet *ret_fleet,
                                          struct duet_error *reterr);
void fleet_request_release(struct fleet_request *request);

#endif
