/* Whether a store is whole. */
#ifndef DUET_STORE_STORE_CHECK_H
#define DUET_STORE_STORE_CHECK_H

#include "store/store.h"

/* What was looked at, and how much of it is wrong. */
struct store_checked {
    uint64_t experiments;
    uint64_t runs;
    uint64_t faults;
};

/* Reads the whole file: its structure, references between tables, and whether each
 * experiment has all that belongs to it and can be read. `say` gets a line, without its
 * end, for each thing that is wrong; what is wrong in many places alike is one line.
 * Errors: DUET_E_FORMAT (so damaged that nothing can be read), DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_check(struct store *store,
                                         void (*say)(void *context, const char *line),
                                         void *context,
                                         struct store_checked *ret_checked,
                                         struct duet_error *reterr);

#endif
