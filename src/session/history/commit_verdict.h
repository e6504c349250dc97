/* What was measured of each commit: what `duet log` shows. */
#ifndef DUET_SESSION_COMMIT_VERDICT_H
#define DUET_SESSION_COMMIT_VERDICT_H

#include "store/store_revision.h"

/* Zeroed storage is none. */
struct commit_verdicts {
    struct store_link *links; /* by new commit and benchmark, the newest first */
    size_t count;
    size_t used;
};

struct commit_verdict {
    bool known; /* false: nothing else is set */
    enum model_verdict verdict;
    double ratio;
    double low;
    double high;
    const char *base; /* the commit that it was compared with; borrowed */
    size_t others;    /* further benchmarks that were measured */
};

/* benchmark: a name, a part of it or a shell pattern; NULL: all. Errors: the store's.
 */
BASE_MUST_USE enum duet_code commit_verdicts_load(struct store *store,
                                                  const char *benchmark,
                                                  struct commit_verdicts *ret_verdicts,
                                                  struct duet_error *reterr);
void commit_verdicts_release(struct commit_verdicts *verdicts);

/* Of a commit (its whole hash): the worst of its benchmarks, each by its newest
 * comparison with `parent` (its hash; NULL: none), else by its newest. Worst is slower,
 * then unsure, then the same, then faster; of two alike the larger change. */
struct commit_verdict commit_verdicts_find(const struct commit_verdicts *verdicts,
                                           const char *hash, const char *parent);

#endif
