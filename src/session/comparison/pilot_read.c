#include "session/comparison/pilot_read.h"

#include "base/alloc.h"
#include "session/comparison/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Of the pairs of a run, how long they were executing: the longer side of each; under
 * timeslice the sides take turns. */
static double iterating_ns(const struct model_run_values *values, bool turns)
{
    double sum = 0.0;
    for (size_t i = 0; i < values->counts[MODEL_OLD]; i++) {
        double old_ns = model_run_values_took(values, MODEL_OLD, i);
        double new_ns = model_run_values_took(values, MODEL_NEW, i);
        sum += turns ? old_ns + new_ns : fmax(old_ns, new_ns);
    }
    return sum;
}

static enum duet_code keep(struct model_pilot *pilot, size_t *capacity,
                           struct model_run_values *values, struct duet_error *reterr)
{
    struct model_values *all = &pilot->values;
    struct model_run_values *runs =
        alloc_grow(all->runs, all->run_count, capacity, sizeof *runs);
    if (runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for more than %zu runs",
                         all->run_count);
    }
    all->runs = runs;
    all->runs[all->run_count++] = *values;
    *values = (struct model_run_values){0};
    return DUET_OK;
}

struct reading {
    const struct store_experiment *experiment;
    struct model_pilot *pilot;
    size_t capacity;
    uint64_t next;    /* index of the run behind the last one, ... */
    uint64_t last_ns; /* ... which ended then */
};

/* With what came between it and the run before it, but not across a pause, nor with
 * runs of another schedule. */
static double wall_ns(const struct reading *reading,
                      const struct store_run_reader *reader,
                      const struct model_run *run)
{
    bool follows = reading->pilot->values.run_count > 0 &&
                   run->index == reading->next && !store_runs_resumed(reader);
    return (double)(run->ended_ns - (follows ? reading->last_ns : run->started_ns));
}

static enum duet_code add_run(void *context, struct store_run_reader *reader,
                              const struct model_run *run, struct duet_error *reterr)
{
    struct reading *reading = context;
    struct model_pilot *pilot = reading->pilot;
    enum model_schedule schedule = reading->experiment->schedule;
    struct model_run_values values = {0};
    enum duet_code code =
        store_runs_values(reader, answer_metric(schedule),
                          answer_drop(reading->experiment), &values, reterr);
    if (code == DUET_OK && values.counts[MODEL_OLD] > 0) {
        pilot->wall_ns += wall_ns(reading, reader, run);
        reading->next = run->index + 1;
        reading->last_ns = run->ended_ns;
        pilot->iterating_ns +=
            iterating_ns(&values, schedule == MODEL_SCHEDULE_TIMESLICE);
        pilot->iterations += values.counts[MODEL_OLD];
        code = keep(pilot, &reading->capacity, &values, reterr);
    }
    model_run_values_release(&values);
    return code;
}

enum duet_code pilot_read(struct store *store,
                          const struct store_experiment *experiment,
                          struct model_pilot *ret_pilot, struct duet_error *reterr)
{
    if (!model_schedule_is_paired(experiment->schedule) ||
        experiment->host.host_name[0] == '\0') {
        return error_set(reterr, DUET_E_USAGE,
                         "experiment %" PRId64
                         " was not measured in pairs here; use one of "
                         "--schedule duet or timeslice",
                         experiment->id);
    }
    struct model_pilot pilot = {.values.paired = true, .mode = experiment->mode};
    struct reading reading = {.experiment = experiment, .pilot = &pilot};
    enum duet_code code =
        store_runs_each(store, experiment->id, add_run, &reading, reterr);
    if (code == DUET_OK && pilot.values.run_count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW,
                         "experiment %" PRId64
                         " has no finished run: measure it again, or "
                         "name another one ('duet list')",
                         experiment->id);
    }
    if (code == DUET_OK) {
        *ret_pilot = pilot;
    } else {
        model_pilot_release(&pilot);
    }
    return code;
}
