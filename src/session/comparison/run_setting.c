#include "session/comparison/run_request.h"

#include "base/field.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/stopping.h"

#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

enum {
    DEFAULT_MIN_RUNS = 16, /* 8 blocks: fewer cannot reach p < 0.01 exactly */
    DEFAULT_MAX_RUNS = 100000
};
/* Of a fixed time and of a fixed number of runs. */
static const uint64_t fixed_budget_ns = UINT64_C(3000000000);

void run_request_init(struct run_request *request)
{
    *request = (struct run_request){
        .plan = {.schedule = MODEL_SCHEDULE_DUET,
                 .choose_schedule = true,
                 .min_runs = DEFAULT_MIN_RUNS,
                 .max_runs = DEFAULT_MAX_RUNS,
                 .budget_ns = fixed_budget_ns,
                 .fill = {MODEL_FILL_OFF, MODEL_FILL_ON},
                 .usage = true,
                 .input = {.kind = MODEL_STREAM_NULL},
                 .output = {.kind = MODEL_STREAM_NULL},
                 .error_output = {.kind = MODEL_STREAM_PIPE}},
        .analysis = analysis_setting_default(),
        .cpus_per_side = 1,
    };
    /* Below 2^63, so that it is a JSON integer. */
    if (getrandom(&request->plan.seed, sizeof request->plan.seed, 0) < 0) {
        request->plan.seed = 1;
    }
    request->plan.seed >>= 1U;
}

/* /dev/null is no file to whose name a side could be appended. */
static enum duet_code parse_stream(const char *name, const char *value,
                                   struct model_stream *stream,
                                   struct duet_error *reterr)
{
    bool output = strcmp(name, "input") != 0;
    if (*value == '\0') {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s has '' for its file: name one, or 'null'", name);
    }
    *stream = (struct model_stream){.kind = MODEL_STREAM_FILE, .path = value};
    if (strcmp(value, "null") == 0 || strcmp(value, "/dev/null") == 0) {
        stream->kind = MODEL_STREAM_NULL;
    } else if (strcmp(value, "inherit") == 0) {
        stream->kind = MODEL_STREAM_INHERIT;
    } else if (output && strcmp(value, "pipe") == 0) {
        stream->kind = MODEL_STREAM_PIPE;
    }
    return DUET_OK;
}

static enum duet_code parse_fill(struct run_request *request, const char *value,
                                 struct duet_error *reterr)
{
    if (value != NULL && strcmp(value, "kill") != 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--fill=%s: expected --fill or "
                         "--fill=kill",
                         value);
    }
    enum model_fill fill = value != NULL ? MODEL_FILL_KILL : MODEL_FILL_ON;
    request->plan.fill[0] = request->plan.fill[1] = fill;
    return DUET_OK;
}

static enum duet_code parse_name(struct run_request *request, const char *value,
                                 struct duet_error *reterr)
{
    int side = request->names[MODEL_OLD] == NULL ? MODEL_OLD : MODEL_NEW;
    if (request->names[side] != NULL) {
        return error_set(reterr, DUET_E_USAGE, "-n is given more than twice");
    }
    request->names[side] = value;
    return DUET_OK;
}

static enum duet_code parse_schedule(struct model_plan *plan, const char *value,
                                     struct duet_error *reterr)
{
    plan->choose_schedule = strcmp(value, "auto") == 0;
    if (plan->choose_schedule) {
        plan->schedule = MODEL_SCHEDULE_DUET;
        return DUET_OK;
    }
    return model_schedule_from_name(value, &plan->schedule)
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_USAGE,
                     "--schedule %s: the schedules are auto, duet, interleaved, sequential, timeslice",
                     value);
}

static enum duet_code parse_design(struct run_request *request, const char *value,
                                   struct duet_error *reterr)
{
    request->paper = strcmp(value, "paper") == 0;
    return request->paper
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "--design %s: the only design with a name is 'paper'",
                           value);
}

#define AT struct run_request
static const struct field fields[] = {
    FIELD_TEXT("--name", AT, name),
    FIELD_TEXT("--setup", AT, setup),
    FIELD_TEXT("--prepare", AT, prepare),
    FIELD_TEXT("--conclude", AT, conclude),
    FIELD_TEXT("--cleanup", AT, cleanup),
    FIELD_TEXT("--cwd-old", AT, folders[MODEL_OLD]),
    FIELD_TEXT("--cwd-new", AT, folders[MODEL_NEW]),
    FIELD_TEXT("--cpus", AT, cpus),
    FIELD_DURATION("--run-time", AT, plan.run_time_ns),
    FIELD_DURATION("--timeout", AT, plan.timeout_ns),
    FIELD_WHOLE("--runs", AT, plan.runs, 1, INT64_MAX),
    FIELD_WHOLE("--iterations", AT, plan.iterations, 1, INT64_MAX),
    FIELD_WHOLE("--min-runs", AT, plan.min_runs, 1, INT64_MAX),
    FIELD_WHOLE("--max-runs", AT, plan.max_runs, 1, INT64_MAX),
    FIELD_WHOLE("--warmup", AT, plan.warmup, 0, INT64_MAX),
    FIELD_WHOLE("--cpus-per-side", AT, cpus_per_side, 1, MODEL_CPUS_MAX),
    FIELD_WHOLE("--seed", AT, plan.seed, 0, INT64_MAX),
    FIELD_NAMED("--layout", AT, plan.layout, model_layout_name, MODEL_LAYOUTS),
    FIELD_FLAG("--ignore-failure", AT, plan.ignore_failure),
    FIELD_FLAG("--confirm", AT, confirm),
    FIELD_FLAG("--control", AT, control),
    FIELD_FLAG("--same-output", AT, same_output),
    FIELD_FLAG("--skip-identical", AT, skip_identical),
    FIELD_TEXT("--identical-if", AT, identical_if),
    FIELD_END};
#undef AT

/* Settings without a value. */
static bool take_flag(struct run_request *request, const char *name)
{
    struct model_plan *plan = &request->plan;
    if (strcmp(name, "no-fill") == 0) {
        plan->fill[0] = plan->fill[1] = MODEL_FILL_OFF;
    } else if (strcmp(name, "no-usage") == 0) {
        plan->usage = false;
    } else if (strcmp(name, "no-shell") == 0) {
        request->shell = NULL;
    } else {
        return false;
    }
    return true;
}

static enum duet_code take_word(struct run_request *request, const char *name,
                                const char *value, struct duet_error *reterr)
{
    struct model_plan *plan = &request->plan;
    if (strcmp(name, "until") == 0) {
        return stopping_parse(value, plan, reterr);
    }
    if (strcmp(name, "schedule") == 0) {
        return parse_schedule(plan, value, reterr);
    }
    if (strcmp(name, "design") == 0) {
        return parse_design(request, value, reterr);
    }
    if (strcmp(name, "fill") == 0) {
        return parse_fill(request, value, reterr);
    }
    if (strcmp(name, "command-name") == 0) {
        return parse_name(request, value, reterr);
    }
    if (strcmp(name, "shell") == 0) {
        request->shell = strcmp(value, "default") == 0 ? "/bin/sh" : value;
    } else if (strcmp(name, "input") == 0) {
        return parse_stream(name, value, &plan->input, reterr);
    } else if (strcmp(name, "output") == 0) {
        return parse_stream(name, value, &plan->output, reterr);
    } else if (strcmp(name, "stderr") == 0) {
        return parse_stream(name, value, &plan->error_output, reterr);
    } else {
        return error_set(reterr, DUET_E_INTERNAL, "there is no setting '%s'", name);
    }
    return DUET_OK;
}

bool run_setting_is_gate(const char *name)
{
    return strcmp(name, "fail-on") == 0 || strcmp(name, "max-slowdown") == 0;
}

static enum duet_code take_setting(struct run_request *request, const char *name,
                                   const char *value, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    request->min_runs_given = request->min_runs_given || strcmp(name, "min-runs") == 0;
    request->max_runs_given = request->max_runs_given || strcmp(name, "max-runs") == 0;
    request->plan.min_runs_held =
        request->plan.min_runs_held || strcmp(name, "min-runs") == 0;
    request->skip_identical =
        request->skip_identical || strcmp(name, "identical-if") == 0;
    request->run_time_given = request->run_time_given || strcmp(name, "run-time") == 0;
    request->gate_given = request->gate_given || run_setting_is_gate(name);
    if (field_take(fields, request, name, value, &code, reterr) ||
        take_flag(request, name) ||
        analysis_setting_take(&request->analysis, name, value, &code, reterr)) {
        return code;
    }
    return take_word(request, name, value, reterr);
}

/* The number of runs has two names, of which only one can be obeyed. */
static enum duet_code take_runs(struct run_request *request, const char *name,
                                const char *value, struct duet_error *reterr)
{
    struct model_plan *plan = &request->plan;
    uint64_t *asked = request->runs_of;
    uint64_t before = plan->runs;
    plan->runs = 0;
    enum duet_code code = take_setting(request, name, value, reterr);
    if (plan->runs == 0) {
        plan->runs = before; /* --until says nothing about it */
    } else {
        asked[strcmp(name, "until") == 0 ? 1 : 0] = plan->runs;
    }
    if (code == DUET_OK && asked[0] != 0 && asked[1] != 0 && asked[0] != asked[1]) {
        return error_set(reterr, DUET_E_USAGE,
                         "--runs %" PRIu64 " and --until runs=%" PRIu64
                         " contradict each other: leave one of them out",
                         asked[0], asked[1]);
    }
    return code;
}

enum duet_code run_setting_take(struct run_request *request, const char *name,
                                const char *value, struct duet_error *reterr)
{
    return strcmp(name, "runs") == 0 || strcmp(name, "until") == 0
               ? take_runs(request, name, value, reterr)
               : take_setting(request, name, value, reterr);
}

void run_request_release(struct run_request *request)
{
    parameter_list_release(&request->parameters);
    parameter_list_release(&request->variables[MODEL_OLD]);
    parameter_list_release(&request->variables[MODEL_NEW]);
}

bool run_request_has_gate(const struct run_request *request)
{
    return request->gate_given || request->acceptance.limit > 0.0;
}

size_t run_request_family(const struct run_request *request)
{
    return request->family != 0 ? request->family
                                : parameter_combinations(&request->parameters);
}
