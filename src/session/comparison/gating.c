#include "session/comparison/gating.h"

#include "analysis/gate.h"
#include "base/alloc.h"
#include "session/comparison/regions.h"

#include <math.h>
#include <stdlib.h>

/* ---- Which ---- */

/* How many of those that were planned together have not come to their end. */
static enum duet_code count_left(struct store *store,
                                 const struct store_experiment *newest,
                                 const struct store_family *family, size_t *ret_left,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    uint64_t planned = newest->has_analysis ? newest->analysis.family : 0;
    uint64_t ended = 0;
    for (size_t i = 0; i < family->count && code == DUET_OK; i++) {
        struct store_experiment one = {0};
        code = store_experiment_load(store, family->members[i], &one, reterr);
        ended += one.state == STORE_DONE || one.state == STORE_FAILED;
        store_experiment_release(&one);
    }
    *ret_left = planned > 1 && planned > ended ? (size_t)(planned - ended) : 0;
    return code;
}

/* Those that the newest experiment was judged together with; it alone where there are
 * none. */
static enum duet_code family_of(struct store *store,
                                const struct store_experiment *newest,
                                int64_t **ret_ids, size_t *ret_count, size_t *ret_left,
                                struct duet_error *reterr)
{
    struct store_family family = {.count = 0};
    if (newest->family != 0) {
        enum duet_code code = store_family_load(store, newest->family, &family, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    if (family.count == 0) {
        free(family.members);
        family.members = alloc_array(1, sizeof *family.members);
        if (family.members == NULL) {
            return error_no_memory(reterr);
        }
        family.members[family.count++] = newest->id;
    }
    *ret_ids = family.members;
    *ret_count = family.count;
    return count_left(store, newest, &family, ret_left, reterr);
}

static enum duet_code find_newest(struct store *store, int64_t **ret_ids,
                                  size_t *ret_count, size_t *ret_left,
                                  struct duet_error *reterr)
{
    struct store_experiment newest = {0};
    int64_t *ids = NULL;
    size_t count = 0;
    enum duet_code code = store_experiment_find(store, "last", &newest, reterr);
    if (code == DUET_OK) {
        code = store_suite_of(store, newest.id, &ids, &count, ret_left, reterr);
    }
    if (code == DUET_OK && count > 0) {
        *ret_ids = ids;
        *ret_count = count;
    } else if (code == DUET_OK) {
        free(ids);
        code = family_of(store, &newest, ret_ids, ret_count, ret_left, reterr);
    }
    store_experiment_release(&newest);
    return code;
}

enum duet_code gating_find(struct store *store, char *const *which, size_t count,
                           int64_t **ret_ids, size_t *ret_count, size_t *ret_left,
                           struct duet_error *reterr)
{
    int64_t *newest = NULL;
    int64_t *all = NULL;
    size_t found = 0;
    enum duet_code code = DUET_OK;
    *ret_left = 0;
    if (count > 0) {
        code = answers_find(store, which, count, &all, &found, reterr);
    } else {
        code = find_newest(store, &newest, &count, ret_left, reterr);
        if (code == DUET_OK) {
            code = answers_with_companions(store, newest, count, &all, &found, reterr);
        }
    }
    if (code == DUET_OK) {
        code = regions_expand(store, all, found, ret_ids, ret_count, reterr);
    }
    free(newest);
    free(all);
    return code;
}

/* ---- What they say ---- */

struct model_gate_summary gating_sum_up(const struct answer *answers, size_t count,
                                        bool several)
{
    struct model_gate_summary summary = {.state = MODEL_GATE_NONE};
    for (size_t i = 0; i < count; i++) {
        if (!several || answers[i].experiment.state != STORE_INTERRUPTED) {
            analysis_gate_add(&answers[i].comparison, &summary);
        }
    }
    return summary;
}

enum duet_code gating_recall(struct store *store, const int64_t *ids, size_t count,
                             struct analysis_overrides *overrides,
                             struct answer *ret_answers, struct duet_error *reterr)
{
    enum duet_code code =
        answers_recall(store, ids, count, overrides, ret_answers, reterr);
    if (code != DUET_OK) {
        return code;
    }
    const struct model_gate_summary summary = gating_sum_up(ret_answers, count, false);
    if (summary.asked > 0 || summary.broken == count ||
        analysis_overrides_have(overrides, "fail-on")) {
        return DUET_OK;
    }
    for (size_t i = 0; i < count; i++) {
        answer_release(&ret_answers[i]);
    }
    code = analysis_overrides_add(overrides, "fail-on", "slower", reterr);
    return code == DUET_OK
               ? answers_recall(store, ids, count, overrides, ret_answers, reterr)
               : code;
}

enum duet_code gating_test(struct store *store, const struct answer *answer, double *by,
                           struct answer *ret_slowed, bool *ret_noticed,
                           struct duet_error *reterr)
{
    static const double usual_slowdown = 0.05;
    const struct model_analysis *analysis = &answer->comparison.analysis;
    double limit = analysis->gate.max_slowdown;
    if (isnan(*by)) {
        *by = isfinite(limit) && limit > 0 ? 2 * limit : usual_slowdown;
    }
    enum duet_code code = answer_make_slowed(store, answer->experiment.id, analysis,
                                             *by, ret_slowed, reterr);
    if (code == DUET_OK) {
        answers_judge_gates(ret_slowed, 1);
        enum model_gate_state state = ret_slowed->comparison.gate.state;
        *ret_noticed = state == MODEL_GATE_FAILED || state == MODEL_GATE_UNSURE;
    }
    return code;
}
