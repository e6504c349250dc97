/* A git repository, and git executed in it. */
#ifndef DUET_SESSION_GIT_GIT_CALL_H
#define DUET_SESSION_GIT_GIT_CALL_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

struct git_repo {
    char *common; /* the folder with objects and refs, absolute */
    char *top;    /* of the working tree, absolute; NULL: there is none (bare) */
    char *index;  /* the file, absolute */
    bool shallow; /* its history ends somewhere */
    int cancel_fd;
};

/* Finds the repository of the current folder. Whatever runs git after this, a build or
 * a benchmark too, finds its own: variables such as GIT_DIR, which git sets for hooks,
 * are taken out of this process's environment, so that this comes before the first
 * thread. cancel_fd (-1: none) ends every call when it is readable; it may be set
 * later. Errors: DUET_E_UNSUITABLE (no git), DUET_E_USAGE (no repository, or git does
 * not trust it), DUET_E_NOMEM, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code git_open(struct git_repo *ret_repo,
                                      struct duet_error *reterr);
void git_close(struct git_repo *repo);

/* One execution of git. Borrowed. */
struct git_words {
    const char *folder;       /* where; NULL: the current one */
    const char *index;        /* GIT_INDEX_FILE; NULL: the repository's own */
    const char *const *words; /* after "git"; ended by NULL; at most 60 */
};

/* Runs git without a terminal, pager or hook. ret_output (NULL: not wanted): what it
 * printed is appended, without the line end at its end. Errors: DUET_E_NOT_FOUND (git
 * says no: the message is its first "fatal:", else its last line), DUET_E_INTERRUPTED,
 * DUET_E_SYSTEM, DUET_E_NOMEM, DUET_E_UNSUITABLE (no git). */
BASE_MUST_USE enum duet_code git_call(const struct git_repo *repo,
                                      const struct git_words *call,
                                      struct text *ret_output,
                                      struct duet_error *reterr);

#endif
