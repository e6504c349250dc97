/* Commits whose programs are equal, as was found instead of measuring them
 * (--skip-identical). Such commits in a row are one commit of a history: the first. */
#ifndef DUET_SESSION_EQUAL_COMMITS_H
#define DUET_SESSION_EQUAL_COMMITS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct equal_commits {
    size_t *first;       /* of each commit's group: itself where it is alone */
    size_t *last;        /* of a group, by its first: its last commit on the line */
    bool *measured;      /* part of a comparison of the benchmark */
    const bool *on_line; /* borrowed: these are in order */
    size_t count;
};

/* Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code equal_commits_new(const bool *on_line, size_t count,
                                               struct equal_commits *ret_equal,
                                               struct duet_error *reterr);
void equal_commits_release(struct equal_commits *equal);

/* Of the next benchmark: every commit is alone, and none is measured. */
void equal_commits_begin(struct equal_commits *equal);

/* Two commits are equal. Nothing changes where another commit that was measured lies
 * between them: the level may have changed there and back. */
void equal_commits_join(struct equal_commits *equal, size_t a, size_t b);

/* The first commit of this one's group. */
size_t equal_commits_first(const struct equal_commits *equal, size_t commit);

#endif
