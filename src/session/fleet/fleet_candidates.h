/* Files that may be results of tasks. */
#ifndef DUET_SESSION_FLEET_FLEET_CANDIDATES_H
#define DUET_SESSION_FLEET_FLEET_CANDIDATES_H

#include "session/fleet/fleet_result.h"

struct fleet_candidate {
    char *path;
    const char *name; /* its last part */
    bool named;       /* like a result: `parsed` is set */
    struct fleet_result_name parsed;
    char hash[65];     /* of the content, where the name does not say it; else "" */
    int64_t moment_ns; /* when it was complete */
};

struct fleet_candidates {
    struct fleet_candidate *list; /* by task, then by moment */
    size_t count;
};

/* The results of the fleet (NULL: none), and what is in `paths`: files, and folders
 * with all below them, where hidden files and the store that a fleet was collected into
 * are left out. A file that is there twice, by its content, is there once. Errors:
 * DUET_E_NOT_FOUND (no such path), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
fleet_candidates_find(const struct fleet *fleet, const char *const *paths,
                      size_t path_count, struct fleet_candidates *ret_candidates,
                      struct duet_error *reterr);
void fleet_candidates_release(struct fleet_candidates *candidates);

/* Whether both are of one task. */
bool fleet_candidate_same_task(const struct fleet_candidate *a,
                               const struct fleet_candidate *b);

/* Whether its content is what its name says, or, where that says nothing, a store that
 * is whole. Errors: DUET_E_FORMAT (says what is wrong), DUET_E_IO, those of
 * store_open(). */
BASE_MUST_USE enum duet_code
fleet_candidate_check(const struct fleet_candidate *candidate,
                      struct duet_error *reterr);

/* The names in FLEET_TAKEN. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_taken_read(const struct fleet *fleet,
                                              struct model_words *ret_names,
                                              struct duet_error *reterr);

#endif
