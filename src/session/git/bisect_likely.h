/* Which commits a search among them leaves as the likeliest. */
#ifndef DUET_SESSION_GIT_BISECT_LIKELY_H
#define DUET_SESSION_GIT_BISECT_LIKELY_H

#include "session/git/bisect_search.h"

enum { BISECT_LIKELY_MAX = 12 };

/* The likeliest candidates that are left, of equally likely ones the first. Where more
 * than BISECT_LIKELY_MAX are left, only those that are at least a quarter as likely as
 * the average one. ret_commits: in the order of history. Returns how many. O(count of
 * the history). */
size_t bisect_likely(const struct bisect_result *result,
                     size_t ret_commits[BISECT_LIKELY_MAX]);

#endif
