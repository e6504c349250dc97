/* JSON: experiments[], the observations themselves. A paired schedule keeps its pairs
 * in runs[].iterations[]; an unpaired one keeps each side's observations by
 * themselves, in sides.old[] and sides.new[]. */
#include "report/report.h"
#include "json/json_fields.h"

static const struct {
    uint32_t flag;
    const char *name;
} flag_names[] = {{MODEL_ITERATION_SLEPT, "slept"},
                  {MODEL_ITERATION_SECOND, "second_phase"},
                  {MODEL_ITERATION_PREEMPTED, "preempted"},
                  {MODEL_ITERATION_CPU_CHANGED, "cpu_changed"},
                  {MODEL_ITERATION_STRAYED, "strayed"}};

static void add_flags(struct json_fields *fields, uint32_t flags)
{
    json_t *list = json_fields_list(fields, "flags");
    for (size_t i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++) {
        if ((flags & flag_names[i].flag) != 0) {
            json_fields_add(fields, list, json_string(flag_names[i].name));
        }
    }
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
    json_fields_uint(fields, "operations",
                     iteration->operations == 0 ? 1 : iteration->operations);
    if ((iteration->flags & MODEL_ITERATION_CPU_KNOWN) != 0) {
        json_fields_uint(fields, "cpu_ns", iteration->cpu_ns);
    } else {
        add_usage(fields, "cpu_ns", iteration->cpu_ns, iteration);
    }
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
    add_flags(fields, iteration->flags);
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

/* One experiment on its way into the document. */
struct experiment {
    struct json_writer *writer;
    const struct report_json_source *source;
};

static bool restart_side(const struct experiment *experiment, size_t side)
{
    struct duet_error error;
    return json_writer_check(
        experiment->writer,
        experiment->source->restart_side(experiment->source->context,
                                         (enum model_side)side, &error),
        &error);
}

/* The side's next iteration, of its fillers or of the others; false at the end. */
static bool next_iteration(const struct experiment *experiment, size_t side,
                           bool fillers, struct model_iteration *iteration)
{
    bool more = true;
    while (more) {
        struct duet_error error;
        enum duet_code code = experiment->source->next_iteration(
            experiment->source->context, (enum model_side)side, iteration, &more,
            &error);
        more = json_writer_check(experiment->writer, code, &error) && more;
        if (more && is_filler(iteration) == fillers) {
            return true;
        }
    }
    return false;
}

static void write_observations(const struct experiment *experiment,
                               const struct model_run *run, size_t side, bool fillers)
{
    struct model_iteration iteration;
    bool more = restart_side(experiment, side);
    while (more && next_iteration(experiment, side, fillers, &iteration)) {
        json_writer_value(experiment->writer, NULL,
                          observation_object(run, &iteration));
    }
}

/* Of two that are no pair the later one waits for its turn. */
static void write_pairs(const struct experiment *experiment)
{
    struct model_iteration next[MODEL_SIDES] = {{0}};
    bool waits[MODEL_SIDES] = {false, false};
    bool more[MODEL_SIDES];
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        more[side] = restart_side(experiment, side);
    }
    for (;;) {
        uint64_t index = UINT64_MAX;
        const struct model_iteration *pair[MODEL_SIDES] = {NULL, NULL};
        for (size_t side = 0; side < MODEL_SIDES; side++) {
            if (!waits[side] && more[side]) {
                more[side] = next_iteration(experiment, side, false, &next[side]);
                waits[side] = more[side];
            }
            if (waits[side] && next[side].index < index) {
                index = next[side].index;
            }
        }
        if (!waits[MODEL_OLD] && !waits[MODEL_NEW]) {
            return;
        }
        for (size_t side = 0; side < MODEL_SIDES; side++) {
            if (waits[side] && next[side].index == index) {
                pair[side] = &next[side];
                waits[side] = false;
            }
        }
        json_writer_value(experiment->writer, NULL,
                          pair_object(index, pair[MODEL_OLD], pair[MODEL_NEW]));
    }
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

static json_t *run_object(const struct model_run *run)
{
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
    return json_fields_end(&fields);
}

static json_t *command_object(const char *command)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "command", command);
    return json_fields_end(&fields);
}

static void write_run(const struct experiment *experiment, const struct model_run *run,
                      bool paired)
{
    struct json_writer *writer = experiment->writer;
    json_writer_object(writer, NULL);
    json_writer_members(writer, run_object(run));
    if (paired) {
        json_writer_array(writer, "iterations");
        write_pairs(experiment);
        json_writer_end(writer);
    }
    json_writer_object(writer, "fillers");
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        json_writer_array(writer, model_side_name((enum model_side)side));
        write_observations(experiment, run, side, true);
        json_writer_end(writer);
    }
    json_writer_end(writer);
    json_writer_end(writer);
}

/* Runs, or of each run the observations of a side (not MODEL_SIDES). */
static void write_runs(const struct experiment *experiment, size_t side, bool paired)
{
    const struct report_json_source *source = experiment->source;
    struct model_run run;
    struct duet_error error;
    bool more = json_writer_check(experiment->writer,
                                  source->restart(source->context, &error), &error);
    while (more) {
        enum duet_code code = source->next_run(source->context, &run, &more, &error);
        more = json_writer_check(experiment->writer, code, &error) && more;
        if (more && side < MODEL_SIDES) {
            write_observations(experiment, &run, side, false);
        } else if (more) {
            write_run(experiment, &run, paired);
        }
    }
}

void report_json_experiment(struct json_writer *writer, const char *name,
                            enum model_schedule schedule,
                            const char *const commands[MODEL_SIDES],
                            const struct report_json_source *source)
{
    const struct experiment experiment = {writer, source};
    bool paired = model_schedule_is_paired(schedule);
    struct json_fields typed = json_fields_begin();
    struct json_fields fields = json_fields_begin();
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        json_fields_string(&typed, model_side_name((enum model_side)side),
                           commands[side]);
    }
    json_fields_take(&fields, "name", json_fields_text(name));
    json_fields_string(&fields, "schedule", model_schedule_name(schedule));
    json_fields_take(&fields, "commands", json_fields_end(&typed));
    json_writer_object(writer, NULL);
    json_writer_members(writer, json_fields_end(&fields));
    json_writer_object(writer, "sides");
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        const char *key = model_side_name((enum model_side)side);
        if (paired) {
            json_writer_value(writer, key, command_object(commands[side]));
        } else {
            json_writer_array(writer, key);
            write_runs(&experiment, side, paired);
            json_writer_end(writer);
        }
    }
    json_writer_end(writer);
    json_writer_array(writer, "runs");
    write_runs(&experiment, MODEL_SIDES, paired);
    json_writer_end(writer);
    json_writer_end(writer);
}
