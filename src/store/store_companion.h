/* What a gate knows beside a comparison: experiments that were measured for it, and an
 * accepted regression. */
#ifndef DUET_STORE_STORE_COMPANION_H
#define DUET_STORE_STORE_COMPANION_H

#include "model/gate_outcome.h"
#include "store/store.h"

/* Keeps that `experiment` is the control or the confirmation of `of`. Errors: the
 * store's. */
BASE_MUST_USE enum duet_code store_companion_save(struct store *store,
                                                  int64_t experiment, int64_t of,
                                                  enum model_role role,
                                                  struct duet_error *reterr);
/* What `experiment` is, and of which: MODEL_ROLE_COMPARISON and 0 of most. */
BASE_MUST_USE enum duet_code
store_companion_role(struct store *store, int64_t experiment, enum model_role *ret_role,
                     int64_t *ret_of, struct duet_error *reterr);
/* Those of `experiment` that have runs, the control first; free() the list. */
BASE_MUST_USE enum duet_code store_companions(struct store *store, int64_t experiment,
                                              int64_t **ret_list, size_t *ret_count,
                                              struct duet_error *reterr);

/* Puts it in place of an earlier one; of limit 0: takes that away. */
BASE_MUST_USE enum duet_code
store_acceptance_save(struct store *store, int64_t experiment,
                      const struct model_acceptance *acceptance,
                      struct duet_error *reterr);
/* Limit 0: there is none. */
BASE_MUST_USE enum duet_code
store_acceptance_load(struct store *store, int64_t experiment,
                      struct model_acceptance *ret_acceptance,
                      struct duet_error *reterr);

#endif
