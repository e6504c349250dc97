/* A folder for what is needed only meanwhile. */
#ifndef DUET_SESSION_SCRATCH_H
#define DUET_SESSION_SCRATCH_H

#include "base/error.h"
#include "session/listener.h"

struct scratch {
    char *path; /* NULL: none */
    int fd;     /* of the folder; its lock says that it is in use */
};

/* A new empty one in TMPDIR, else /tmp. Removes those that a killed duet of this user
 * left there. Its path means the same to a shell with quotes and without. Errors:
 * DUET_E_IO, DUET_E_USAGE (a TMPDIR of which that cannot be said), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code scratch_make(struct scratch *ret_scratch,
                                          struct duet_error *reterr);
/* Makes a path of which that can be said of *folder, which stays if it can be said of
 * it: else a link in the scratch folder, free() as *folder before. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code scratch_plain(const struct scratch *scratch, char **folder,
                                           struct duet_error *reterr);
/* Removes it with all that is in it, unless it is none; links are not followed. Warns
 * when it cannot. */
void scratch_remove(struct scratch *scratch, const struct listener *listener);

#endif
