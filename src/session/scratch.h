/* A folder for what is needed only meanwhile. */
#ifndef DUET_SESSION_SCRATCH_H
#define DUET_SESSION_SCRATCH_H

#include "base/error.h"
#include "session/listener.h"

/* A new empty one in TMPDIR, else /tmp; *ret_path: free(). Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code scratch_make(char **ret_path, struct duet_error *reterr);
/* Removes it with all that is in it; links are not followed. Warns when it cannot. */
void scratch_remove(const char *path, const struct listener *listener);

#endif
