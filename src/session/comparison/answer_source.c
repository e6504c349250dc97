#include "session/comparison/answer_source.h"

const char *answer_metric(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_TIMESLICE ? "cpu_time" : "time";
}

uint64_t answer_drop(const struct store_experiment *experiment)
{
    return model_mode_dropped(experiment->mode, experiment->warmup);
}

/* Nothing is known of the machine that imported data comes from. */
bool answer_is_sample(const struct store_experiment *experiment)
{
    return experiment->runs == 1 && !experiment->runs_known &&
           experiment->host.host_name[0] == '\0' &&
           !model_schedule_is_paired(experiment->schedule);
}

struct usage_visit {
    struct answer_usage *usage;
    uint64_t drop;
};

static enum duet_code usage_add(void *context, const struct model_iteration *iteration,
                                struct duet_error *reterr)
{
    (void)reterr;
    struct usage_visit *visit = context;
    struct answer_usage *usage = visit->usage;
    if (!model_iteration_counts(iteration, visit->drop)) {
        return DUET_OK;
    }
    analysis_usage_add(&usage->side, iteration);
    if ((iteration->flags & MODEL_ITERATION_NO_USAGE) != 0) {
        return DUET_OK;
    }
    usage->user_ns += (double)iteration->user_ns;
    usage->system_ns += (double)iteration->system_ns;
    usage->count++;
    return DUET_OK;
}

enum duet_code answer_run_read(struct store_run_reader *reader,
                               const struct model_run *described, const char *metric,
                               uint64_t drop, size_t most, struct answer_run *ret_run,
                               struct duet_error *reterr)
{
    struct answer_run run = {.usage = {{0}, {0}}, .started_ns = described->started_ns};
    enum duet_code code =
        store_runs_long_values(reader, metric, drop, most, &run.values, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct usage_visit visit = {&run.usage[side], drop};
        code =
            store_runs_visit(reader, (enum model_side)side, usage_add, &visit, reterr);
        run.usage[side].side.crowded =
            analysis_usage_crowded(&run.usage[side].side, &described->sides[side]);
    }
    if (code == DUET_OK) {
        *ret_run = run;
    } else {
        model_run_values_release(&run.values);
    }
    return code;
}

enum duet_code answer_stored_next(void *context, size_t most,
                                  struct answer_run *ret_run, bool *ret_more,
                                  struct duet_error *reterr)
{
    struct answer_stored *runs = context;
    bool slowed = runs->slowdown > 0.0 || runs->slowdown < 0.0;
    struct model_run run;
    enum duet_code code = store_runs_next(runs->reader, &run, ret_more, reterr);
    if (code == DUET_OK && *ret_more) {
        code = answer_run_read(runs->reader, &run, runs->metric, runs->drop,
                               slowed ? 0 : most, ret_run, reterr);
    }
    if (code == DUET_OK && *ret_more && slowed) {
        struct model_run_values *values = &ret_run->values;
        for (size_t i = 0; i < values->counts[MODEL_NEW]; i++) {
            values->values[MODEL_NEW][i] *= 1.0 + runs->slowdown;
        }
    }
    return code;
}
