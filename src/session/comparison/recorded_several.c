#include "session/comparison/recorded_several.h"

#include "base/alloc.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/answers.h"

#include <stdio.h>
#include <stdlib.h>

static enum duet_code answer_one(struct recorded *recorded,
                                 const struct model_analysis *analysis,
                                 struct store *scratch, struct answer *answer,
                                 struct duet_error *reterr)
{
    int64_t id = 0;
    enum duet_code code = DUET_OK;
    recorded->seed = analysis->seed;
    if (scratch != NULL) {
        code = recorded_save(recorded, scratch, &id, reterr);
    }
    if (code == DUET_OK && scratch != NULL) {
        code = store_experiment_load(scratch, id, &answer->experiment, reterr);
    }
    return code == DUET_OK
               ? recorded_answer(recorded, analysis, &answer->comparison, reterr)
               : code;
}

enum duet_code recorded_several(struct formats_foreign *foreign, const char *name,
                                const enum model_schedule *schedule,
                                const struct model_analysis *analysis,
                                struct store *scratch, struct answer **ret_answers,
                                struct duet_error *reterr)
{
    struct model_analysis used = *analysis;
    size_t count = foreign->count;
    struct answer *answers = alloc_array(count, sizeof *answers);
    enum duet_code code = answers == NULL ? error_no_memory(reterr) : DUET_OK;
    used.family = foreign->several ? count : analysis->family;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct recorded recorded = recorded_from_foreign(foreign, i, name, schedule);
        code = answer_one(&recorded, &used, scratch, &answers[i], reterr);
        recorded_release(&recorded);
    }
    if (code == DUET_OK) {
        code = answers_judge(answers, count, reterr);
    }
    if (code == DUET_OK) {
        *ret_answers = answers;
        return code;
    }
    answers_free(answers, count);
    return code;
}

enum duet_code recorded_join(struct store *store, int64_t *experiments, size_t count,
                             struct duet_error *reterr)
{
    const struct model_analysis analysis = analysis_setting_default();
    const struct store_family family = {.multiplicity = analysis.multiplicity,
                                        .confidence = analysis.confidence,
                                        .members = experiments,
                                        .count = count};
    int64_t id = 0;
    return count > 1 ? store_family_save(store, &family, &id, reterr) : DUET_OK;
}

enum duet_code recorded_answer_apart(const struct recorded_apart *request,
                                     struct answer *ret_answer,
                                     struct duet_error *reterr)
{
    struct recorded recorded = {0};
    struct answer answer = {.drop = 0};
    struct model_analysis used = *request->analysis;
    enum duet_code code = recorded_from_store(request->store, request->which, 2,
                                              request->side, &recorded, reterr);
    if (code != DUET_OK) {
        return code;
    }
    used.seed = request->seed_given ? used.seed : recorded.seed;
    code = answer_one(&recorded, &used, request->scratch, &answer, reterr);
    recorded_release(&recorded);
    if (code != DUET_OK) {
        answer_release(&answer);
        return code;
    }
    answers_judge_gates(&answer, 1);
    *ret_answer = answer;
    return DUET_OK;
}
