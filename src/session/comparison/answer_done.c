#include "session/comparison/answer_done.h"

#include "base/text.h"
#include "base/version.h"

#include <math.h>
#include <stdio.h>

/* Nothing is known but for names. */
static struct model_comparison empty_row(const char *name, const char *reason)
{
    const double unknown = (double)NAN;
    struct model_comparison row = {
        .ratio = unknown,
        .interval = {.low = unknown, .high = unknown, .confidence = unknown},
        .verdict = MODEL_VERDICT_FAILED,
        .same_within = unknown,
        .could_have_seen = unknown,
        .paired_width = unknown,
        .shuffled_width = unknown,
        .stratified_width = unknown,
        .measured_coverage = unknown,
        .p_value = unknown,
        .family = {.p_adjusted = unknown},
        .analysis = model_analysis_default(),
        .stored = model_analysis_default()};
    text_copy(row.name, sizeof row.name, name);
    text_copy(row.failure, sizeof row.failure, reason);
    (void)snprintf(row.metric, sizeof row.metric, "time");
    for (int side = 0; side < MODEL_SIDES; side++) {
        row.sides[side] = (struct model_summary){.mean_ns = unknown,
                                                 .sd_ns = unknown,
                                                 .median_ns = unknown,
                                                 .min_ns = unknown,
                                                 .max_ns = unknown,
                                                 .user_ns = unknown,
                                                 .system_ns = unknown};
    }
    return row;
}

enum duet_code failed_answer(struct store *store, int64_t id, const char *name,
                             const char *reason, struct answer *ret_answer,
                             struct duet_error *reterr)
{
    struct answer answer = {.comparison = empty_row(name, reason)};
    if (id != 0) {
        enum duet_code code =
            store_experiment_load(store, id, &answer.experiment, reterr);
        if (code != DUET_OK) {
            return code;
        }
        const struct store_experiment *experiment = &answer.experiment;
        struct model_comparison *row = &answer.comparison;
        text_copy(row->metric, sizeof row->metric, answer_metric(experiment->schedule));
        row->schedule = experiment->schedule;
        row->mode = experiment->mode;
        row->runs = experiment->runs;
        row->analysis = row->stored = experiment->analysis;
        enum duet_code known = answer_add_companions(store, &answer, reterr);
        if (known != DUET_OK) {
            answer_release(&answer);
            return known;
        }
        for (int side = 0; side < MODEL_SIDES; side++) {
            row->commands[side] = experiment->commands[side];
            text_copy(row->side_names[side], sizeof row->side_names[side],
                      experiment->names[side]);
        }
    }
    *ret_answer = answer;
    return DUET_OK;
}

static enum duet_code identical_answer(struct store *store,
                                       const struct store_experiment *experiment,
                                       struct answer *ret_answer,
                                       struct duet_error *reterr)
{
    enum duet_code code = failed_answer(
        store, experiment->id, experiment->name,
        experiment->message != NULL ? experiment->message : "", ret_answer, reterr);
    if (code == DUET_OK) {
        ret_answer->comparison.verdict = MODEL_VERDICT_IDENTICAL;
    }
    return code;
}

enum duet_code answer_done(struct store *store, int64_t id,
                           const struct model_analysis *analysis,
                           struct answer *ret_answer, struct duet_error *reterr)
{
    struct store_experiment experiment;
    enum duet_code code = store_experiment_load(store, id, &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    const struct store_verdict *verdict = &experiment.verdict;
    code = verdict->known && verdict->verdict == MODEL_VERDICT_IDENTICAL
               ? identical_answer(store, &experiment, ret_answer, reterr)
               : answer_make(store, id, analysis, ret_answer, reterr);
    store_experiment_release(&experiment);
    return code;
}

enum duet_code identical_save(struct store *store, int64_t id,
                              struct duet_error *reterr)
{
    struct store_experiment experiment;
    struct answer answer = {0};
    enum duet_code code = store_experiment_load(store, id, &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = identical_answer(store, &experiment, &answer, reterr);
    store_experiment_release(&experiment);
    if (code == DUET_OK) {
        code =
            store_comparison_save(store, id, &answer.comparison, BASE_VERSION, reterr);
        answer_release(&answer);
    }
    return code;
}
