/* Experiments that were interrupted: what they were asked to do, and going on. */
#ifndef DUET_STORE_STORE_RESUME_H
#define DUET_STORE_STORE_RESUME_H

#include "model/plan.h"
#include "store/store.h"

/* What an experiment was asked to do, read back. */
struct store_plan {
    struct model_plan plan; /* without argv and analysis; strings are `texts` */
    char *texts[32];        /* owned */
    size_t count;
};
void store_plan_release(struct store_plan *plan);
/* Errors: DUET_E_NOT_FOUND, DUET_E_FORMAT (an imported one, damaged), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_plan_read(struct store *store, int64_t experiment,
                                             struct store_plan *ret_plan,
                                             struct duet_error *reterr);
/* In what a plan, or its analysis, differs from the stored one: "runs was 10 and is
 * 20", one difference; "": in nothing. */
BASE_MUST_USE enum duet_code store_plan_difference(struct store *store,
                                                   int64_t experiment,
                                                   const struct model_plan *plan,
                                                   char *ret_text, size_t size,
                                                   struct duet_error *reterr);

/* The experiment `which` (store_experiment_find()), or NULL the newest, that was
 * interrupted, failed or killed; from now on this process measures it, until
 * store_experiment_end() or store_close(). Errors: DUET_E_NOT_FOUND (nothing to
 * resume), DUET_E_USAGE (complete; part of a suite or a watch; a control, whose end is
 * another's; another process measures it). */
BASE_MUST_USE enum duet_code
store_unfinished_find(struct store *store, const char *which,
                      struct store_experiment *ret_experiment,
                      struct duet_error *reterr);
/* How long it was measured, in ns: pauses between the sessions, and between slices of
 * it, are not counted. A region of another one has paused with that one. */
BASE_MUST_USE enum duet_code store_experiment_elapsed(struct store *store,
                                                      int64_t experiment,
                                                      uint64_t *ret_elapsed_ns,
                                                      struct duet_error *reterr);
/* It goes on, on the machine where it was; `load` is now the one before it. Errors:
 * DUET_E_NOT_FOUND, DUET_E_IO. */
BASE_MUST_USE enum duet_code store_experiment_resume(struct store *store,
                                                     int64_t experiment,
                                                     const struct model_host_load *load,
                                                     struct duet_error *reterr);

#endif
