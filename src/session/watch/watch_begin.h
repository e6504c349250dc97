/* Where a watch runs: its store, its lock, its program, its CPUs. */
#ifndef DUET_SESSION_WATCH_WATCH_BEGIN_H
#define DUET_SESSION_WATCH_WATCH_BEGIN_H

#include "machine/machine.h"
#include "session/watch/watch_request.h"
#include "store/store_watch.h"

struct watch_site {
    struct machine *machine;
    struct store *store;
    struct store_watch_lock lock;
    struct store_watch watch;
    struct model_plan plan; /* of one execution a run; its strings are the watch's */
    char **words;           /* of the command */
};

void watch_site_init(struct watch_site *site);
void watch_site_release(struct watch_site *site);

/* A new watch in the store. Errors: DUET_E_USAGE (an unfinished one has the name, the
 * command cannot be executed), those of the store and the machine. */
BASE_MUST_USE enum duet_code watch_site_begin(const struct watch_request *request,
                                              struct watch_site *site,
                                              struct duet_error *reterr);

/* One that is there; changes to its folder. Errors: DUET_E_NOT_FOUND, DUET_E_USAGE
 * (another process is at it; it is over), those of the store and the machine. */
BASE_MUST_USE enum duet_code watch_site_resume(const struct watch_request *request,
                                               struct watch_site *site,
                                               struct duet_error *reterr);

/* Keeps how it ended. Errors: the store's. */
BASE_MUST_USE enum duet_code watch_site_end(struct watch_site *site,
                                            enum store_state state, const char *message,
                                            struct duet_error *reterr);

#endif
