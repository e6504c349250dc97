/* Files that are to stay as they are, of an older version. */
#ifndef DUET_STORE_STORE_OLDER_H
#define DUET_STORE_STORE_OLDER_H

#include "base/error.h"

/* Where store_open() would bring the file at `path` up to date: a copy that can be
 * opened instead, in a folder of its own for temporary ones; store_older_remove() it.
 * NULL: there is no need of one, or something of the store is in a log beside it.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_older_copy(const char *path, char **ret_copy,
                                              struct duet_error *reterr);
/* NULL is fine. */
void store_older_remove(char *take_copy);

#endif
