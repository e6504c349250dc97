#include "session/comparison/recorded_several.h"

#include "analysis/family.h"
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct model_comparison *comparison_ref;

static enum duet_code
answer_one(const struct formats_request *request, const enum model_schedule *schedule,
           char *const *paths, size_t count, const struct model_analysis *analysis,
           struct store *scratch, struct answer *answer, struct duet_error *reterr)
{
    struct recorded recorded = {.origin_count = 0};
    int64_t id = 0;
    enum duet_code code =
        recorded_from_files(request, schedule, paths, count, &recorded, reterr);
    if (code == DUET_OK) {
        recorded.seed = analysis->seed;
        (void)snprintf(recorded.name, sizeof recorded.name, "%s", request->benchmark);
    }
    if (code == DUET_OK && scratch != NULL) {
        code = recorded_save(&recorded, scratch, &id, reterr);
    }
    if (code == DUET_OK && scratch != NULL) {
        code = store_experiment_load(scratch, id, &answer->experiment, reterr);
    }
    if (code == DUET_OK) {
        code = recorded_answer(&recorded, analysis, &answer->comparison, reterr);
    }
    recorded_release(&recorded);
    return code;
}

static enum duet_code judge(struct answer *answers, size_t count,
                            struct duet_error *reterr)
{
    comparison_ref *comparisons = alloc_array(count, sizeof(comparison_ref));
    if (comparisons == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        comparisons[i] = &answers[i].comparison;
    }
    const struct model_analysis *first = &comparisons[0]->analysis;
    enum duet_code code = analysis_family_judge(first->multiplicity, first->confidence,
                                                comparisons, count, reterr);
    free(comparisons);
    return code;
}

enum duet_code recorded_several(const struct formats_request *asked,
                                const enum model_schedule *schedule, char *const *paths,
                                size_t count, const struct model_name_table *names,
                                const struct model_analysis *analysis,
                                struct store *scratch, struct answer **ret_answers,
                                struct duet_error *reterr)
{
    struct formats_request request = *asked;
    struct model_analysis used = *analysis;
    struct answer *answers = alloc_array(names->count, sizeof *answers);
    enum duet_code code = answers == NULL ? error_no_memory(reterr) : DUET_OK;
    request.several = NULL;
    used.family = names->count;
    for (size_t i = 0; i < names->count && code == DUET_OK; i++) {
        request.benchmark = names->names[i];
        code = answer_one(&request, schedule, paths, count, &used, scratch, &answers[i],
                          reterr);
    }
    if (code == DUET_OK && names->count > 1) {
        code = judge(answers, names->count, reterr);
    }
    if (code == DUET_OK) {
        *ret_answers = answers;
        return code;
    }
    for (size_t i = 0; i < names->count && answers != NULL; i++) {
        answer_release(&answers[i]);
    }
    free(answers);
    return code;
}
