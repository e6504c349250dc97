#include "cli/run_options.h"

#include "base/parse.h"
#include "cli/command_option_rows.h"
#include "cli/option.h"
#include "cli/shared_option.h"
#include "session/comparison/stopping.h"

#include <string.h>
#include <sys/random.h>

const struct cli_option run_option_rows[] = {
    RUN_OPTION_AMOUNT_ROWS, RUN_OPTION_MANNER_ROWS, RUN_OPTION_COMMAND_ROWS,
    RUN_OPTION_ANSWER_ROWS, CLI_OPTION_HELP_ROW,    CLI_OPTION_LAST_ROW};

enum {
    DEFAULT_MIN_RUNS = 16, /* 8 blocks: fewer cannot reach p < 0.01 exactly */
    DEFAULT_MAX_RUNS = 100000
};
/* Of a fixed time and of a fixed number of runs. */
static const uint64_t fixed_budget_ns = UINT64_C(3000000000);
/* What a user need not care about unless told otherwise. */
static const double default_same_within = 0.01;

void run_options_init(struct run_options *options)
{
    *options = (struct run_options){
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
        .analysis = model_analysis_default(),
        .output = {.verbosity = 1},
        .cpus_per_side = 1,
    };
    options->analysis.same_within = default_same_within;
    /* Below 2^63, so that it is a JSON integer. */
    if (getrandom(&options->plan.seed, sizeof options->plan.seed, 0) < 0) {
        options->plan.seed = 1;
    }
    options->plan.seed >>= 1U;
}

static void parse_stream(const char *value, bool output, struct model_stream *stream)
{
    *stream = (struct model_stream){.kind = MODEL_STREAM_FILE, .path = value};
    if (strcmp(value, "null") == 0) {
        stream->kind = MODEL_STREAM_NULL;
    } else if (strcmp(value, "inherit") == 0) {
        stream->kind = MODEL_STREAM_INHERIT;
    } else if (output && strcmp(value, "pipe") == 0) {
        stream->kind = MODEL_STREAM_PIPE;
    }
}

static enum duet_code parse_fill(struct run_options *options, const char *value,
                                 struct duet_error *reterr)
{
    if (value != NULL && strcmp(value, "kill") != 0) {
        return error_set(reterr, DUET_E_USAGE, "--fill=%s: only 'kill' is known",
                         value);
    }
    enum model_fill fill = value != NULL ? MODEL_FILL_KILL : MODEL_FILL_ON;
    options->plan.fill[0] = options->plan.fill[1] = fill;
    return DUET_OK;
}

static enum duet_code parse_layout(struct model_plan *plan, const char *value,
                                   struct duet_error *reterr)
{
    for (int layout = 0; layout < MODEL_LAYOUTS; layout++) {
        if (strcmp(value, model_layout_name((enum model_layout)layout)) == 0) {
            plan->layout = (enum model_layout)layout;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--layout %s: it is one of same, independent, fixed", value);
}

static enum duet_code parse_name(struct run_options *options, const char *value,
                                 struct duet_error *reterr)
{
    int side = options->names[MODEL_OLD] == NULL ? MODEL_OLD : MODEL_NEW;
    if (options->names[side] != NULL) {
        return error_set(reterr, DUET_E_USAGE, "-n is given more than twice");
    }
    options->names[side] = value;
    return DUET_OK;
}

/* How much to measure. Returns false when the option is another kind's. */
static bool take_amount(struct run_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr)
{
    struct model_plan *plan = &options->plan;
    switch (id) {
    case RUN_OPTION_RUNS:
        *ret_code = parse_whole(value, "--runs", 1, INT64_MAX, &plan->runs, reterr);
        return true;
    case RUN_OPTION_ITERATIONS:
        *ret_code =
            parse_whole(value, "--iterations", 1, INT64_MAX, &plan->iterations, reterr);
        return true;
    case RUN_OPTION_UNTIL:
        *ret_code = stopping_parse(value, plan, reterr);
        return true;
    case RUN_OPTION_MIN_RUNS:
        options->min_runs_given = true;
        *ret_code =
            parse_whole(value, "--min-runs", 1, INT64_MAX, &plan->min_runs, reterr);
        return true;
    case RUN_OPTION_MAX_RUNS:
        *ret_code =
            parse_whole(value, "--max-runs", 1, INT64_MAX, &plan->max_runs, reterr);
        return true;
    case RUN_OPTION_RUN_TIME:
        options->run_time_given = true;
        *ret_code = parse_duration_ns(value, "--run-time", &plan->run_time_ns, reterr);
        return true;
    case RUN_OPTION_WARMUP:
        *ret_code = parse_whole(value, "--warmup", 0, INT64_MAX, &plan->warmup, reterr);
        return true;
    case RUN_OPTION_TIMEOUT:
        *ret_code = parse_duration_ns(value, "--timeout", &plan->timeout_ns, reterr);
        return true;
    default:
        return false;
    }
}

/* How to measure. */
static bool take_manner(struct run_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr)
{
    struct model_plan *plan = &options->plan;
    *ret_code = DUET_OK;
    switch (id) {
    case RUN_OPTION_SCHEDULE:
        plan->choose_schedule = strcmp(value, "auto") == 0;
        if (plan->choose_schedule) {
            plan->schedule = MODEL_SCHEDULE_DUET;
        } else if (!model_schedule_from_name(value, &plan->schedule)) {
            *ret_code = error_set(reterr, DUET_E_USAGE,
                                  "--schedule %s: the schedules are auto, duet, "
                                  "interleaved, sequential, timeslice",
                                  value);
        }
        return true;
    case RUN_OPTION_DESIGN:
        options->paper = strcmp(value, "paper") == 0;
        if (!options->paper) {
            *ret_code =
                error_set(reterr, DUET_E_USAGE,
                          "--design %s: the only design with a name is 'paper'", value);
        }
        return true;
    case RUN_OPTION_CPUS:
        options->cpus = value;
        return true;
    case RUN_OPTION_CPUS_PER_SIDE:
        *ret_code = parse_whole(value, "--cpus-per-side", 1, MODEL_CPUS_MAX,
                                &options->cpus_per_side, reterr);
        return true;
    case RUN_OPTION_FILL:
        *ret_code = parse_fill(options, value, reterr);
        return true;
    case RUN_OPTION_NO_FILL:
        plan->fill[0] = plan->fill[1] = MODEL_FILL_OFF;
        return true;
    case RUN_OPTION_LAYOUT:
        *ret_code = parse_layout(plan, value, reterr);
        return true;
    case RUN_OPTION_NO_USAGE:
        plan->usage = false;
        return true;
    case RUN_OPTION_IGNORE_FAILURE:
        plan->ignore_failure = true;
        return true;
    case RUN_OPTION_SHELL:
        options->shell = strcmp(value, "default") == 0 ? "/bin/sh" : value;
        return true;
    case RUN_OPTION_NO_SHELL:
        options->shell = NULL;
        return true;
    case RUN_OPTION_INPUT:
        parse_stream(value, false, &plan->input);
        return true;
    case RUN_OPTION_OUTPUT:
        parse_stream(value, true, &plan->output);
        return true;
    case RUN_OPTION_STDERR:
        parse_stream(value, true, &plan->error_output);
        return true;
    default:
        return false;
    }
}

/* Names, hooks, parameters, and what the answer leads to. */
static enum duet_code take_rest(struct run_options *options, struct cli_options *parsed,
                                int id, struct duet_error *reterr)
{
    const char *value = parsed->value;
    switch (id) {
    case RUN_OPTION_COMMAND_NAME:
        return parse_name(options, value, reterr);
    case RUN_OPTION_NAME:
        options->name = value;
        return DUET_OK;
    case RUN_OPTION_SETUP:
        options->setup = value;
        return DUET_OK;
    case RUN_OPTION_PREPARE:
        options->prepare = value;
        return DUET_OK;
    case RUN_OPTION_CONCLUDE:
        options->conclude = value;
        return DUET_OK;
    case RUN_OPTION_CLEANUP:
        options->cleanup = value;
        return DUET_OK;
    case RUN_OPTION_STEP:
        options->step = value;
        return DUET_OK;
    case RUN_OPTION_PARAMETER_LIST: {
        const char *values = cli_options_word(parsed);
        return values == NULL
                   ? DUET_E_USAGE
                   : parameter_add_list(&options->parameters, value, values, reterr);
    }
    case RUN_OPTION_PARAMETER_SCAN: {
        const char *low = cli_options_word(parsed);
        const char *high = low != NULL ? cli_options_word(parsed) : NULL;
        options->scan[0] = value;
        options->scan[1] = low;
        options->scan[2] = high;
        return high == NULL ? DUET_E_USAGE : DUET_OK;
    }
    default:
        return error_set(reterr, DUET_E_INTERNAL, "option %d is in no table", id);
    }
}

enum duet_code run_options_take(struct run_options *options, struct cli_options *parsed,
                                int id, struct duet_error *reterr)
{
    const struct shared_options shared = {.analysis = &options->analysis,
                                          .output = &options->output,
                                          .store = &options->store,
                                          .seed = &options->plan.seed};
    enum duet_code code = DUET_OK;
    if (shared_option_take(&shared, id, parsed->value, &code, reterr) ||
        take_amount(options, id, parsed->value, &code, reterr) ||
        take_manner(options, id, parsed->value, &code, reterr)) {
        return code;
    }
    return take_rest(options, parsed, id, reterr);
}

/* What was given instead of two commands. */
static int refuse_operands(const struct cli_command *command, char **operands,
                           int count)
{
    if (count == 1) {
        return cli_usage(
            command,
            "two commands are needed, OLD and NEW; got only '%s', which is "
            "no command of duet either",
            operands[0]);
    }
    return cli_usage(command,
                     count < MODEL_SIDES
                         ? "two commands are needed, OLD and NEW; got %d"
                         : "only two commands can be compared, got %d; quote each of "
                           "them: duet 'old --option' 'new --option'",
                     count);
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    return run_options_take(context, parsed, id, reterr);
}

int run_options_parse(const struct cli_command *command, int argc, char **argv,
                      struct run_options *options)
{
    char **operands = NULL;
    int count = 0;
    run_options_init(options);
    int status =
        cli_options_parse(command, argc, argv, take_option, options, &operands, &count);
    if (status >= 0) {
        return status;
    }
    struct duet_error error;
    if (run_options_settle(options, &error) != DUET_OK) {
        return cli_usage(command, "%s", error.message);
    }
    if (count != MODEL_SIDES) {
        return refuse_operands(command, operands, count);
    }
    options->commands[MODEL_OLD] = operands[0];
    options->commands[MODEL_NEW] = operands[1];
    return -1;
}

void run_options_release(struct run_options *options)
{
    parameter_list_release(&options->parameters);
    parameter_list_release(&options->variables[MODEL_OLD]);
    parameter_list_release(&options->variables[MODEL_NEW]);
}

size_t run_options_family(const struct run_options *options)
{
    return options->family != 0 ? options->family
                                : parameter_combinations(&options->parameters);
}
