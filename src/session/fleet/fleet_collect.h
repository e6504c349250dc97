/* Results of many machines brought together: one a task, none twice, none that is
 * damaged. */
#ifndef DUET_SESSION_FLEET_FLEET_COLLECT_H
#define DUET_SESSION_FLEET_FLEET_COLLECT_H

#include "session/fleet/fleet_answers.h"
#include "session/fleet/fleet_state.h"
#include "session/listener.h"
#include "store/store_merge.h"

struct fleet_collection {
    /* Every task of the fleet, those without a result in the phase that their files
     * show; without a fleet every result, numbered as they were found. */
    struct model_fleet_state *tasks;
    size_t count;
    struct model_words doubled; /* results that another one of the task stands for */
    struct model_words damaged; /* files that are not whole, each with what is wrong */
    struct model_words foreign; /* files of another fleet */
    struct store_merged merged; /* what became of the experiments */
    size_t results;             /* that were taken */
    size_t hosts;               /* instances that they come from */
    struct model_words chosen;  /* paths of what was taken, a task after the other */
};

/* Takes the results of the fleet (NULL: of none), and those in `paths`, which are
 * files and folders, and merges them into `store`. Of several results of a task the
 * first one that was complete counts, and stays the one (FLEET_TAKEN). Files that are
 * not called like results count as tasks of their own; the same content counts once.
 * Of a study's fleet nothing is merged, and store is NULL: its parts are in `chosen`.
 * Errors: DUET_E_IO, DUET_E_NOMEM, DUET_E_INTERRUPTED, and those of store_merge() for
 * the store; a damaged file is none. */
BASE_MUST_USE enum duet_code fleet_collect(const struct fleet *fleet,
                                           const char *const *paths, size_t path_count,
                                           struct store *store, int cancel_fd,
                                           struct fleet_collection *ret_collection,
                                           struct duet_error *reterr);
void fleet_collection_release(struct fleet_collection *collection);

#endif
