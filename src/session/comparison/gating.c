#include "session/comparison/gating.h"

#include "analysis/gate.h"

#include <math.h>

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
