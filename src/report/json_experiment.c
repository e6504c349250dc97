/* JSON: experiments[], the observations themselves. A paired schedule keeps its pairs
 * in runs[].iterations[]; an unpaired one keeps each side's observations by
 * themselves, in sides.old[] and sides.new[]. */
#include "report/json_fields.h"
#include "report/report.h"

#include <math.h>

static const struct {
    uint32_t flag;
    const char *name;
} flag_names[] = {{MODEL_ITERATION_SLEPT, "slept"},
                  {MODEL_ITERATION_SECOND, "second_phase"},
                  {MODEL_ITERATION_PREEMPTED, "preempted"},
                  {MODEL_ITERATION_CPU_CHANGED, "cpu_changed"},
                  {MODEL_ITERATION_STRAYED, "strayed"}};

static json_t *flag_array(uint32_t flags)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++) {
        if ((flags & flag_names[i].flag) != 0 &&
            !json_fields_push(array, json_string(flag_names[i].name))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static void add_usage(struct json_fields *fields, const char *key, uint64_t value,
                      const struct model_iteration *iteration)
{
    if ((iteration->flags & MODEL_ITERATION_NO_USAGE) != 0) {
        json_fields_take(fields, key, json_null());
    } else {
        json_fields_uint(fields, key, value);
    }
}

/* What one side's iteration yielded, beside its time. */
static void add_details(struct json_fields *fields,
                        const struct model_iteration *iteration)
{
    json_fields_uint(fields, "start_ns", iteration->start_ns);
    add_usage(fields, "cpu_ns", iteration->cpu_ns, iteration);
    add_usage(fields, "user_ns", iteration->user_ns, iteration);
    add_usage(fields, "system_ns", iteration->system_ns, iteration);
    add_usage(fields, "voluntary_switches", iteration->voluntary_switches, iteration);
    add_usage(fields, "involuntary_switches", iteration->involuntary_switches,
              iteration);
    add_usage(fields, "minor_faults", iteration->minor_faults, iteration);
    add_usage(fields, "major_faults", iteration->major_faults, iteration);
    add_usage(fields, "taken_ns", iteration->taken_ns, iteration);
    json_fields_int(fields, "cpu", iteration->cpu);
    json_fields_int(fields, "exit_status", iteration->exit_status);
    json_fields_take(fields, "flags", flag_array(iteration->flags));
}

static uint64_t elapsed_ns(const struct model_iteration *iteration)
{
    return iteration->end_ns - iteration->start_ns;
}

static bool is_filler(const struct model_iteration *iteration)
{
    return (iteration->flags & MODEL_ITERATION_FILLER) != 0;
}

/* {run, iteration, ns, ...}: an observation that stands alone. */
static json_t *observation_object(const struct model_run *run,
                                  const struct model_iteration *iteration)
{
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "run", run->index);
    json_fields_uint(&fields, "iteration", iteration->index);
    json_fields_uint(&fields, "ns", elapsed_ns(iteration));
    add_details(&fields, iteration);
    return json_fields_end(&fields);
}

/* The side's fillers, or all others. */
static json_t *observation_array(const struct report_json_run *run, size_t side,
                                 bool fillers)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->counts[side]; i++) {
        const struct model_iteration *iteration = &run->iterations[side][i];
        if (is_filler(iteration) == fillers &&
            !json_fields_push(array, observation_object(run->run, iteration))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static void add_time(struct json_fields *fields, const char *key,
                     const struct model_iteration *iteration)
{
    if (iteration != NULL) {
        json_fields_uint(fields, key, elapsed_ns(iteration));
    } else {
        json_fields_take(fields, key, json_null());
    }
}

static json_t *details_object(const struct model_iteration *iteration)
{
    if (iteration == NULL) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    add_details(&fields, iteration);
    return json_fields_end(&fields);
}

/* {iteration, old_ns, new_ns, start_skew_ns, old {...}, new {...}}; one of the two may
 * be NULL. */
static json_t *pair_object(uint64_t index, const struct model_iteration *old_iteration,
                           const struct model_iteration *new_iteration)
{
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "iteration", index);
    add_time(&fields, "old_ns", old_iteration);
    add_time(&fields, "new_ns", new_iteration);
    if (old_iteration != NULL && new_iteration != NULL) {
        json_fields_int(&fields, "start_skew_ns",
                        (int64_t)(new_iteration->start_ns - old_iteration->start_ns));
    } else {
        json_fields_take(&fields, "start_skew_ns", json_null());
    }
    json_fields_take(&fields, "old", details_object(old_iteration));
    json_fields_take(&fields, "new", details_object(new_iteration));
    return json_fields_end(&fields);
}

/* The first observation at or after *at that is no filler; NULL at the end. */
static const struct model_iteration *next_observation(const struct report_json_run *run,
                                                      size_t side, size_t *at)
{
    while (*at < run->counts[side] && is_filler(&run->iterations[side][*at])) {
        (*at)++;
    }
    return *at < run->counts[side] ? &run->iterations[side][*at] : NULL;
}

static json_t *pair_array(const struct report_json_run *run)
{
    json_t *array = json_array();
    size_t at[MODEL_SIDES] = {0};
    for (;;) {
        const struct model_iteration *old_iteration =
            next_observation(run, MODEL_OLD, &at[MODEL_OLD]);
        const struct model_iteration *new_iteration =
            next_observation(run, MODEL_NEW, &at[MODEL_NEW]);
        if (old_iteration == NULL && new_iteration == NULL) {
            return array;
        }
        /* Of two that are no pair the later one waits for its turn. */
        uint64_t index = UINT64_MAX;
        if (old_iteration != NULL) {
            index = old_iteration->index;
        }
        if (new_iteration != NULL && new_iteration->index < index) {
            index = new_iteration->index;
        }
        if (old_iteration != NULL && old_iteration->index != index) {
            old_iteration = NULL;
        }
        if (new_iteration != NULL && new_iteration->index != index) {
            new_iteration = NULL;
        }
        at[MODEL_OLD] += old_iteration != NULL;
        at[MODEL_NEW] += new_iteration != NULL;
        if (!json_fields_push(array,
                              pair_object(index, old_iteration, new_iteration))) {
            json_decref(array);
            return NULL;
        }
    }
}

static json_t *filler_object(const struct report_json_run *run)
{
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "old", observation_array(run, MODEL_OLD, true));
    json_fields_take(&fields, "new", observation_array(run, MODEL_NEW, true));
    return json_fields_end(&fields);
}

static json_t *counters_object(const struct model_run *run)
{
    struct json_fields sides = json_fields_begin();
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct json_fields fields = json_fields_begin();
        for (int i = 0; i < MODEL_COUNTERS; i++) {
            json_fields_real(&fields, model_counter_name((enum model_counter)i),
                             run->sides[side].counters[i]);
        }
        json_fields_take(&sides, model_side_name((enum model_side)side),
                         json_fields_end(&fields));
    }
    return json_fields_end(&sides);
}

static json_t *run_object(const struct report_json_run *item, bool paired)
{
    const struct model_run *run = item->run;
    const struct model_run_side *old_side = &run->sides[MODEL_OLD];
    const struct model_run_side *new_side = &run->sides[MODEL_NEW];
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "run", run->index);
    json_fields_uint(&fields, "block", run->block);
    json_fields_string(&fields, "mode", model_mode_name(run->mode));
    json_fields_int(&fields, "started_utc_ms", run->started_utc_ms);
    json_fields_uint(&fields, "started_ns", run->started_ns);
    json_fields_uint(&fields, "ended_ns", run->ended_ns);
    json_fields_int(&fields, "cpu_old", old_side->cpu);
    json_fields_int(&fields, "cpu_new", new_side->cpu);
    json_fields_int(&fields, "position_old", old_side->position);
    json_fields_int(&fields, "position_new", new_side->position);
    json_fields_int(&fields, "exit_status_old", old_side->exit_status);
    json_fields_int(&fields, "exit_status_new", new_side->exit_status);
    json_fields_uint(&fields, "peak_memory_bytes_old", old_side->peak_memory_bytes);
    json_fields_uint(&fields, "peak_memory_bytes_new", new_side->peak_memory_bytes);
    json_fields_uint(&fields, "runner_wakeups", run->runner_wakeups);
    json_fields_real(&fields, "slice_ns", run->slice_ns);
    json_fields_take(&fields, "counters", counters_object(run));
    if (paired) {
        json_fields_take(&fields, "iterations", pair_array(item));
    }
    json_fields_take(&fields, "fillers", filler_object(item));
    return json_fields_end(&fields);
}

static json_t *command_object(const char *command)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "command", command);
    return json_fields_end(&fields);
}

json_t *report_json_experiment(const char *name, enum model_schedule schedule,
                               const char *const commands[MODEL_SIDES])
{
    bool paired = model_schedule_is_paired(schedule);
    struct json_fields typed = json_fields_begin();
    struct json_fields sides = json_fields_begin();
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        const char *key = model_side_name((enum model_side)side);
        json_fields_string(&typed, key, commands[side]);
        json_fields_take(&sides, key,
                         paired ? command_object(commands[side]) : json_array());
    }
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "name", json_fields_text(name));
    json_fields_string(&fields, "schedule", model_schedule_name(schedule));
    json_fields_take(&fields, "commands", json_fields_end(&typed));
    json_fields_take(&fields, "sides", json_fields_end(&sides));
    json_fields_take(&fields, "runs", json_array());
    return json_fields_end(&fields);
}

/* Appends the run's observations of a side to sides.old or sides.new. */
static bool extend_side(json_t *side_array, const struct report_json_run *run,
                        size_t side)
{
    json_t *more = observation_array(run, side, false);
    bool done = more != NULL && json_array_extend(side_array, more) == 0;
    json_decref(more);
    return done;
}

int report_json_experiment_add(json_t *experiment, const struct report_json_run *run)
{
    json_t *sides = json_object_get(experiment, "sides");
    bool paired = !json_is_array(json_object_get(sides, "old"));
    for (size_t side = 0; !paired && side < MODEL_SIDES; side++) {
        const char *key = model_side_name((enum model_side)side);
        if (!extend_side(json_object_get(sides, key), run, side)) {
            return -1;
        }
    }
    json_t *runs = json_object_get(experiment, "runs");
    return json_fields_push(runs, run_object(run, paired)) ? 0 : -1;
}
