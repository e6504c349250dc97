#include "session/comparison/failed.h"

#include "base/text.h"

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
        for (int side = 0; side < MODEL_SIDES; side++) {
            row->commands[side] = experiment->commands[side];
            text_copy(row->side_names[side], sizeof row->side_names[side],
                      experiment->names[side]);
        }
    }
    *ret_answer = answer;
    return DUET_OK;
}
