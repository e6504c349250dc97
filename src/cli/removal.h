/* What `duet rm` and `duet prune` share. */
#ifndef DUET_CLI_REMOVAL_H
#define DUET_CLI_REMOVAL_H

#include "base/text.h"
#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

/* Appends a table of the experiments, as `duet list` shows them. Errors: those of
 * store_experiment_load(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code removal_append(struct text *text, struct store *store,
                                            const int64_t *ids, size_t count,
                                            struct duet_error *reterr);

/* cli_fail(), and that nothing was removed. */
int removal_fail(const struct duet_error *error);

#endif
