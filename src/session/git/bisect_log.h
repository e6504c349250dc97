/* What a search has measured, in a file, so that it can go on after it was interrupted
 * or killed. */
#ifndef DUET_SESSION_GIT_BISECT_LOG_H
#define DUET_SESSION_GIT_BISECT_LOG_H

#include "session/git/git_cache.h"

#include <stdint.h>
#include <stdio.h>

/* Zeroed storage is none. */
struct bisect_log {
    char *path;
    FILE *file; /* NULL: nothing is kept */
};

/* A line of it. */
struct bisect_entry {
    size_t at;        /* the commit's number in the history */
    bool skipped;     /* it cannot be measured */
    double log_ratio; /* of a block; else not set */
};

/* The log of the search that `question` stands for, in the cache's folder; beside a
 * cache that keeps nothing there is none. resume false: it begins empty. Else *ret_log
 * has what is in it: *ret_entries, `*ret_count`, free(). A line that a killed process
 * has not finished ends it. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
bisect_log_open(const struct git_cache *cache, const char *question, bool resume,
                struct bisect_log *ret_log, struct bisect_entry **ret_entries,
                size_t *ret_count, struct duet_error *reterr);
/* Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code bisect_log_add(const struct bisect_log *log,
                                            const struct bisect_entry *entry,
                                            struct duet_error *reterr);
/* concluded: it is not needed any more. */
void bisect_log_close(struct bisect_log *log, bool concluded);

#endif
