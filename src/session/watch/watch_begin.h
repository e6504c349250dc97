/* Where a watch takes place: its store, its lock, its program, its CPUs. */
#ifndef DUET_SESSION_WATCH_WATCH_BEGIN_H
#define DUET_SESSION_WATCH_WATCH_BEGIN_H

#include "machine/machine.h"
#include "session/watch/watch_request.h"
#include "store/store_watch.h"

struct watch_place {
    struct machine *machine;
    struct store *store;
    struct store_watch_lock lock;
    struct store_watch watch;
    struct model_plan plan; /* of one execution a run; its strings are the watch's */
    char **words;           /* of the command */
};

void watch_place_init(struct watch_place *place);
void watch_place_release(struct watch_place *place);

/* A new watch in the store. Errors: DUET_E_USAGE (an unfinished one has the name, the
 * command cannot be executed), those of the store and the machine. */
BASE_MUST_USE enum duet_code watch_place_begin(const struct watch_request *request,
                                               struct watch_place *place,
                                               struct duet_error *reterr);

/* One that is there; changes to its folder. Errors: DUET_E_NOT_FOUND, DUET_E_USAGE
 * (another process is at it; it is over), those of the store and the machine. */
BASE_MUST_USE enum duet_code watch_place_resume(const struct watch_request *request,
                                                struct watch_place *place,
                                                struct duet_error *reterr);

/* Keeps how it ended. Errors: the store's. */
BASE_MUST_USE enum duet_code watch_place_end(struct watch_place *place,
                                             enum store_state state,
                                             const char *message,
                                             struct duet_error *reterr);

#endif
