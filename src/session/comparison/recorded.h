/* Two sides that were not measured just now: from files or from the store. */
#ifndef DUET_SESSION_COMPARISON_RECORDED_H
#define DUET_SESSION_COMPARISON_RECORDED_H

#include "formats/foreign.h"
#include "session/comparison/answer.h"

#include <stdbool.h>

struct recorded {
    struct model_values values; /* owned; times in ns */
    char name[256];
    char side_names[MODEL_SIDES][256];
    char metric[32];
    enum model_schedule schedule;
    bool schedule_seen; /* of one experiment that was measured here */
    enum model_mode mode;
    bool has_runs;              /* false: struct model_analysis, iterations_alone */
    struct answer_usage *usage; /* two a run; owned; NULL: not known */
    struct store_experiment origins[MODEL_SIDES]; /* owned */
    size_t origin_count;
    /* What the stored experiments leave out; of two that do not agree, nothing, and
     * `uneven`. */
    struct model_cleaning cleaning;
    bool uneven;
    uint64_t seed;
    uint64_t together; /* benchmarks that are judged together; 0 or 1: alone */
    char benchmarks[MODEL_SIDES][256]; /* what the sides' files say; "" nothing */
};
void recorded_release(struct recorded *recorded);

/* Benchmark `index` of what was read, which hands it over. schedule: how it was
 * measured; NULL: duet for pairs, else sequential. */
struct recorded recorded_from_foreign(struct formats_foreign *foreign, size_t index,
                                      const char *name,
                                      const enum model_schedule *schedule);

/* which: one experiment, whose own sides are compared, or two, of each of which `side`
 * is taken; those were measured one after the other, whatever their schedules. Errors:
 * those of the store; DUET_E_USAGE (two metrics), DUET_E_TOO_FEW (no run). */
BASE_MUST_USE enum duet_code recorded_from_store(struct store *store,
                                                 char *const *which, size_t count,
                                                 enum model_side side,
                                                 struct recorded *ret_recorded,
                                                 struct duet_error *reterr);

/* The answer, the way that answer_from() goes; the values stay as they are. What is
 * left out as warm-up and as outliers is what the user asked for, else what the stored
 * experiments have. Errors: those of the analysis; DUET_E_USAGE (the two experiments
 * leave out different things). */
BASE_MUST_USE enum duet_code recorded_answer(const struct recorded *recorded,
                                             const struct model_analysis *options,
                                             struct model_comparison *ret_comparison,
                                             struct duet_error *reterr);

/* Puts everything into a new experiment of the store. Errors: the store's; what came of
 * it is then marked as failed. */
BASE_MUST_USE enum duet_code recorded_save(const struct recorded *recorded,
                                           struct store *store, int64_t *ret_experiment,
                                           struct duet_error *reterr);

#endif
