#include "session/run/self_answer.h"

#include "analysis/remarks/against_itself.h"
#include "base/version.h"
#include "session/comparison/answers.h"
#include "session/comparison/pilot_read.h"
#include "session/sameness/same_program.h"

#include <string.h>

enum duet_code self_answer_prepare(const struct run_request *request,
                                   const struct machine *machine,
                                   struct benchmark *ret_benchmark,
                                   struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = benchmark_prepare(request, machine, 0, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = measure_check(&benchmark.plan, reterr);
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return code;
    }
    *ret_benchmark = benchmark;
    return DUET_OK;
}

enum duet_code self_answer_make(struct store *store, int64_t id,
                                const struct model_analysis *analysis, bool save,
                                struct self_answer *ret_answer,
                                struct duet_error *reterr)
{
    struct self_answer made = {.answer = {.drop = 0}};
    struct model_pilot pilot = {0};
    enum duet_code code = answer_make(store, id, analysis, &made.answer, reterr);
    if (code != DUET_OK) {
        return code;
    }
    same_program_meant(&made.answer.comparison);
    answers_judge_gates(&made.answer, 1);
    if (save) {
        code = store_comparison_save(store, id, &made.answer.comparison, BASE_VERSION,
                                     reterr);
    }
    if (code == DUET_OK) {
        code = pilot_read(store, &made.answer.experiment, &pilot, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_self_comparison(&pilot, analysis, RUN_REQUEST_SELF_RUNS,
                                        (double)RUN_REQUEST_DECIDED_NS, &made.self,
                                        reterr);
    }
    model_pilot_release(&pilot);
    if (code == DUET_OK) {
        *ret_answer = made;
    } else {
        answer_release(&made.answer);
    }
    return code;
}

enum duet_code self_answer_recall(struct store *store, const char *which,
                                  const struct analysis_overrides *overrides,
                                  struct self_answer *ret_answer,
                                  struct duet_error *reterr)
{
    struct store_experiment found = {0};
    enum duet_code code = store_experiment_find(store, which, &found, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct model_analysis analysis = found.analysis;
    if (strcmp(found.commands[MODEL_OLD], found.commands[MODEL_NEW]) != 0) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "experiment %lld compares two commands; --of needs a command compared "
            "with itself (duet aa COMMAND measures one)",
            (long long)found.id);
    }
    if (code == DUET_OK) {
        code = analysis_overrides_apply(
            overrides, model_schedule_is_paired(found.schedule), &analysis, reterr);
    }
    if (code == DUET_OK) {
        code = self_answer_make(store, found.id, &analysis, false, ret_answer, reterr);
    }
    store_experiment_release(&found);
    return code;
}
