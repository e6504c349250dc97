/* What is kept of a revision that was measured. */
#ifndef DUET_SESSION_GIT_GIT_STAMP_H
#define DUET_SESSION_GIT_GIT_STAMP_H

#include "model/revision.h"
#include "session/git/git_revision.h"

/* Of the working tree with changes, the commit below them. The strings are the stamp's:
 * git_stamp_release(). Errors: those of git_call(). */
BASE_MUST_USE enum duet_code git_stamp_read(const struct git_repo *repo,
                                            const struct git_revision *revision,
                                            struct model_revision *ret_stamp,
                                            struct duet_error *reterr);
void git_stamp_release(struct model_revision *stamp);

#endif
