#include "session/comparison/stored_runs.h"

#include <math.h>

enum duet_code stored_runs_restart(void *context, struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    store_runs_close(runs->reader);
    runs->reader = NULL;
    return store_runs_open(runs->store, runs->experiment, &runs->reader, reterr);
}

/* Whether the current run has iterations of its own. */
static enum duet_code look_at(struct stored_runs *runs, struct duet_error *reterr)
{
    bool more = false;
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK && !more; side++) {
        struct model_iteration iteration;
        code = store_runs_begin(runs->reader, (enum model_side)side, reterr);
        if (code == DUET_OK) {
            code = store_runs_iteration(runs->reader, (enum model_side)side, &iteration,
                                        &more, reterr);
        }
    }
    runs->imported = !more;
    return code == DUET_OK && !more
               ? store_runs_values(runs->reader, "time", 0, &runs->values, reterr)
               : code;
}

enum duet_code stored_runs_next(void *context, struct model_run *ret_run,
                                bool *ret_more, struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    model_run_values_release(&runs->values);
    enum duet_code code = store_runs_next(runs->reader, ret_run, ret_more, reterr);
    return code == DUET_OK && *ret_more ? look_at(runs, reterr) : code;
}

enum duet_code stored_runs_restart_side(void *context, enum model_side side,
                                        struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    runs->at[side] = 0;
    return runs->imported ? DUET_OK : store_runs_begin(runs->reader, side, reterr);
}

enum duet_code stored_runs_iteration(void *context, enum model_side side,
                                     struct model_iteration *ret_iteration,
                                     bool *ret_more, struct duet_error *reterr)
{
    struct stored_runs *runs = context;
    if (!runs->imported) {
        return store_runs_iteration(runs->reader, side, ret_iteration, ret_more,
                                    reterr);
    }
    size_t at = runs->at[side]++;
    *ret_more = at < runs->values.counts[side];
    if (*ret_more) {
        *ret_iteration = (struct model_iteration){
            .index = at,
            .end_ns = (uint64_t)llround(fmin(runs->values.values[side][at], 9e18)),
            .flags = MODEL_ITERATION_NO_USAGE};
    }
    return DUET_OK;
}

double stored_runs_time_ns(const struct stored_runs *runs, enum model_side side,
                           const struct model_iteration *iteration, bool cpu_time)
{
    if (runs->imported) {
        return runs->values.values[side][iteration->index];
    }
    uint64_t ns =
        cpu_time ? iteration->cpu_ns : iteration->end_ns - iteration->start_ns;
    return (double)ns / model_iteration_operations(iteration);
}

void stored_runs_release(struct stored_runs *runs)
{
    store_runs_close(runs->reader);
    model_run_values_release(&runs->values);
}

/* ---- Times ---- */

struct reading {
    const struct answer *answer;
    enum model_side side;
    struct spool times;
};

static enum duet_code add_run(struct reading *reading, struct stored_runs *runs,
                              struct duet_error *reterr)
{
    const struct answer *answer = reading->answer;
    enum model_side side = reading->side;
    bool cpu_time = answer->experiment.schedule == MODEL_SCHEDULE_TIMESLICE;
    enum duet_code code = stored_runs_restart_side(runs, side, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_iteration item;
        code = stored_runs_iteration(runs, side, &item, &more, reterr);
        more = more && code == DUET_OK;
        if (more && (runs->imported || model_iteration_counts(&item, answer->drop))) {
            const struct model_time time = {
                .ns = stored_runs_time_ns(runs, side, &item, cpu_time),
                .exit_status = item.exit_status};
            code = spool_add(&reading->times, &time, 1, reterr);
        }
        more = more && code == DUET_OK;
    }
    return code;
}

enum duet_code stored_times_read(struct store *store, const struct answer *answer,
                                 enum model_side side, struct spool *ret_times,
                                 struct duet_error *reterr)
{
    struct stored_runs runs = {.store = store, .experiment = answer->experiment.id};
    struct reading reading = {
        .answer = answer,
        .side = side,
        .times = {.item_bytes = sizeof(struct model_time), .most = MODEL_RUN_LONG}};
    enum duet_code code = stored_runs_restart(&runs, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = stored_runs_next(&runs, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = add_run(&reading, &runs, reterr);
        }
        more = more && code == DUET_OK;
    }
    stored_runs_release(&runs);
    if (code == DUET_OK) {
        *ret_times = reading.times;
    } else {
        spool_release(&reading.times);
    }
    return code;
}
