/* An experiment against one that was saved as a baseline: sides measured apart. */
#ifndef DUET_SESSION_HISTORY_BASELINE_H
#define DUET_SESSION_HISTORY_BASELINE_H

#include "base/text.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/answer.h"
#include "store/store_baseline.h"

/* How unlike the machine of a baseline may be. */
enum baseline_reach {
    BASELINE_SAME,  /* the same one, with the same kernel and clock */
    BASELINE_ALIKE, /* another one of the same CPU model, kernel (major and minor
                       version), clock and governor */
    BASELINE_ANY    /* any other; then there is no verdict */
};
/* "same", "alike", "any"; ended by NULL. */
extern const char *const baseline_reach_names[];

/* Whether the store (as of storage_open()) has such a baseline, before anything is
 * measured for it. Errors: DUET_E_USAGE (it has not: says what there is), those of
 * storage_open(), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code baseline_require(const char *store, const char *name,
                                              struct duet_error *reterr);

struct baseline_manner {
    enum baseline_reach reach;
    const struct analysis_overrides *overrides; /* NULL: none */
    size_t together; /* comparisons that are judged together */
};

/* Compares the new side of `experiment` with the new side of the baseline of this name
 * that has the same benchmark, on the nearest machine, by the confidence, limits, gate
 * and accepted regression of the experiment, or by the overrides. That they were
 * measured apart, when, and what the machines differ by is a warning of the comparison.
 * Several are judged by answers_judge(). Errors: DUET_E_USAGE (no such baseline, or
 * none of this benchmark: says what there is), DUET_E_UNSUITABLE (its machine is beyond
 * `reach`: says by what), and those of recorded_from_store() and recorded_answer(). */
BASE_MUST_USE enum duet_code baseline_answer(struct store *store, const char *name,
                                             const struct baseline_manner *manner,
                                             int64_t experiment,
                                             struct answer *ret_answer,
                                             struct duet_error *reterr);

/* The commit that a baseline stands for: that of the new sides of its experiments;
 * free(). Errors: DUET_E_USAGE (no such baseline, several commits, none, or uncommitted
 * changes: says what to do), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code baseline_commit(struct store *store, const char *name,
                                             char **ret_commit,
                                             struct duet_error *reterr);

/* The newest experiment of each benchmark of the baseline that is no part of it, in the
 * order of the baseline's; free(). `missing` gets the names of those that have none.
 * Errors: DUET_E_USAGE (none at all), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code baseline_successors(struct store *store, const char *name,
                                                 int64_t **ret_list, size_t *ret_count,
                                                 struct text *missing,
                                                 struct duet_error *reterr);

#endif
