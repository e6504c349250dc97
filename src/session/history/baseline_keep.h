/* Stored experiments become a baseline, or are none any more. */
#ifndef DUET_SESSION_HISTORY_BASELINE_KEEP_H
#define DUET_SESSION_HISTORY_BASELINE_KEEP_H

#include "store/store.h"

/* Saves the experiments `which` under this name. Errors: DUET_E_USAGE (there is none,
 * or one has no runs), DUET_E_NOMEM, and those of store_baseline_save(). */
BASE_MUST_USE enum duet_code baseline_keep(struct store *store, const char *name,
                                           char *const *which, size_t count,
                                           struct duet_error *reterr);

/* Errors: DUET_E_NOT_FOUND (there is none of this name), and the store's. */
BASE_MUST_USE enum duet_code baseline_drop(struct store *store, const char *name,
                                           struct duet_error *reterr);

#endif
