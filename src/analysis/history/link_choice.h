/* Which comparisons connect a history's commits. */
#ifndef DUET_ANALYSIS_LINK_CHOICE_H
#define DUET_ANALYSIS_LINK_CHOICE_H

#include "analysis/history/link.h"
#include "base/error.h"
#include "stats/history/ratio_graph.h"

struct link_choice {
    struct stats_ratio *ratios; /* that count */
    size_t count;
    size_t *roots;               /* of the commits: stats_ratio_pieces() */
    struct analysis_link *vague; /* that do not */
    size_t vague_count;
};
void link_choice_release(struct link_choice *choice);

/* Levels behind a comparison have its error in them. So one that is vague connects
 * nothing: it shows no change, its interval is more than five times as wide as the
 * median of all comparisons', and it would be the only connection of two groups of two
 * commits or more each. A commit that only vague comparisons have keeps the first of
 * them: nothing is behind it. Inside a group vague ones count by their weight. Links
 * that are not analysis_link_usable() are no part of it. Errors: DUET_E_DOMAIN (a
 * commit that is none), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code link_choice_make(const struct analysis_link *links,
                                              size_t link_count, size_t commits,
                                              struct link_choice *ret_choice,
                                              struct duet_error *reterr);

#endif
