#include "cli/run_options.h"

#include "base/parse.h"
#include "cli/command_option_rows.h"
#include "cli/option.h"
#include "cli/shared_option.h"
#include "cli/stopping.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>

const struct cli_option run_option_rows[] = {
    RUN_OPTION_AMOUNT_ROWS, RUN_OPTION_MANNER_ROWS, RUN_OPTION_COMMAND_ROWS,
    RUN_OPTION_ANSWER_ROWS, CLI_OPTION_HELP_ROW,    CLI_OPTION_LAST_ROW};

enum {
    DEFAULT_MIN_RUNS = 16, /* 8 blocks: fewer cannot reach p < 0.01 exactly */
    DEFAULT_MAX_RUNS = 100000,
    /* Of benchmark programs within a fixed time: twice the minimum, since on a busy
     * machine a run takes twice as long as its iterations. */
    FIXED_RUNS_WANTED = 32
};
static const uint64_t default_budget_ns = UINT64_C(10000000000);
static const uint64_t fixed_budget_ns = UINT64_C(3000000000);
/* Where the data decide when to stop, docs/decisions/0009-looking-after-every-block.md.
 */
static const uint64_t adaptive_budget_ns = UINT64_C(60000000000);
static const uint64_t adaptive_run_ns = UINT64_C(25000000);
static const uint64_t self_budget_ns = UINT64_C(20000000000);
/* What a user need not care about unless told otherwise. */
static const double default_same_within = 0.01;
/* Bulej 2020 s.4.1 */
enum { PAPER_RUNS = 10, PAPER_ITERATIONS = 100 };
static const uint64_t paper_run_ns = UINT64_C(600000000000);

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

/* --until decided and precision: many short runs, and intervals that may be looked at
 * after every block. */
static enum duet_code settle_adaptive(struct run_options *options,
                                      struct duet_error *reterr)
{
    struct model_plan *plan = &options->plan;
    struct model_analysis *analysis = &options->analysis;
    if (!model_schedule_is_paired(plan->schedule)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--until %s looks at pairs after every block: take --schedule "
                         "duet or timeslice",
                         model_until_name(plan->until));
    }
    if (analysis->statistic.kind != MODEL_STATISTIC_NONE ||
        (analysis->interval_asked && analysis->interval != MODEL_INTERVAL_ANYTIME)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--until %s looks after every block, and only --interval "
                         "anytime holds then; take another one for a fixed number of "
                         "runs",
                         model_until_name(plan->until));
    }
    analysis_options_adapt(analysis);
    if (plan->runs != 0) {
        plan->max_runs = plan->runs;
        plan->runs = 0;
    }
    if (!plan->budget_given) {
        plan->budget_ns =
            options->decides_by_default ? default_budget_ns : adaptive_budget_ns;
    }
    if (!options->run_time_given && plan->iterations == 0) {
        plan->run_time_ns = adaptive_run_ns;
        plan->adapt_run_time = true;
        options->run_time_given = true;
    }
    if (analysis->multiplicity != MODEL_MULTIPLICITY_NONE) {
        analysis->multiplicity = MODEL_MULTIPLICITY_BONFERRONI;
    }
    return DUET_OK;
}

/* Against itself: many short runs, of which many short experiments can be made. */
static enum duet_code settle_self(struct run_options *options,
                                  struct duet_error *reterr)
{
    struct model_plan *plan = &options->plan;
    if (plan->until != MODEL_UNTIL_FIXED) {
        return error_set(reterr, DUET_E_USAGE,
                         "--until %s stops at the first alarm; take time=T or runs=N",
                         model_until_name(plan->until));
    }
    if (!model_schedule_is_paired(plan->schedule)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--schedule %s has no pairs: take duet or timeslice",
                         model_schedule_name(plan->schedule));
    }
    if (options->parameters.count > 0 || options->scan[0] != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "one command at a time: leave the parameters (-L, -P) out");
    }
    options->analysis.same_within = (double)NAN;
    if (!plan->budget_given) {
        plan->budget_ns = self_budget_ns;
    }
    if (!options->run_time_given && plan->iterations == 0) {
        plan->run_time_ns = adaptive_run_ns;
        options->run_time_given = true;
    }
    return DUET_OK;
}

/* All that the paper says, but for what was asked for. */
static void settle_paper(struct run_options *options)
{
    struct model_plan *plan = &options->plan;
    struct model_analysis *analysis = &options->analysis;
    if (plan->runs == 0) {
        plan->runs = PAPER_RUNS;
    }
    if (plan->iterations == 0) {
        plan->iterations = PAPER_ITERATIONS;
    }
    if (!options->run_time_given) {
        plan->run_time_ns = paper_run_ns;
        options->run_time_given = true;
    }
    if (!analysis->interval_asked && model_schedule_is_paired(plan->schedule)) {
        analysis->interval = MODEL_INTERVAL_PERCENTILE;
        analysis->interval_asked = true;
    }
    analysis->estimator_asked = true; /* the geometric mean, unless another one was */
    analysis->losses = MODEL_LOST_KEEP;
    if (!analysis->same_within_asked) {
        analysis->same_within = (double)NAN;
    }
}

/* Where nobody says how much to measure or how to answer, the verdict decides. */
static void settle_amount(struct run_options *options)
{
    struct model_plan *plan = &options->plan;
    const struct model_analysis *analysis = &options->analysis;
    bool plain = !analysis->interval_asked && analysis->sample_runs == 0 &&
                 analysis->statistic.kind == MODEL_STATISTIC_NONE;
    if (plan->until == MODEL_UNTIL_FIXED && plan->runs == 0 && !plan->budget_given &&
        plain && model_schedule_is_paired(plan->schedule)) {
        plan->until = MODEL_UNTIL_DECIDED;
        options->decides_by_default = true;
    }
}

/* Taking turns on one CPU is tried where the data decide when to stop, and where it can
 * be known whether CPU time says what elapsed time does. */
static void settle_schedule(struct run_options *options)
{
    struct model_plan *plan = &options->plan;
    plan->choose_schedule = plan->choose_schedule && plan->until != MODEL_UNTIL_FIXED &&
                            plan->usage && options->cpus_per_side == 1 &&
                            !options->analysis.cleaning.drop_magnitude;
}

/* What can only be judged when all options are known. */
enum duet_code run_options_settle(struct run_options *options,
                                  struct duet_error *reterr)
{
    struct model_plan *plan = &options->plan;
    options->analysis.seed = plan->seed;
    if (options->self) {
        enum duet_code settled = settle_self(options, reterr);
        if (settled != DUET_OK) {
            return settled;
        }
    }
    if (options->paper) {
        settle_paper(options);
    } else if (!options->self) {
        settle_amount(options);
    }
    analysis_options_settle_estimator(&options->analysis,
                                      model_schedule_is_paired(plan->schedule));
    if (plan->until != MODEL_UNTIL_FIXED) {
        enum duet_code adapted = settle_adaptive(options, reterr);
        if (adapted != DUET_OK) {
            return adapted;
        }
    }
    settle_schedule(options);
    if (plan->budget_given && !options->min_runs_given) {
        plan->min_runs = 2; /* a block: the user's time is not to be overrun */
    }
    if (plan->max_runs < plan->min_runs && !options->min_runs_given) {
        plan->min_runs = plan->max_runs;
    }
    if (plan->min_runs > plan->max_runs) {
        return error_set(reterr, DUET_E_USAGE,
                         "--min-runs is larger than --max-runs; leave one of them out");
    }
    if (plan->schedule == MODEL_SCHEDULE_SEQUENTIAL && plan->runs == 0) {
        plan->runs = plan->min_runs; /* all of old comes first: it must be known */
    }
    if (!options->run_time_given && plan->iterations == 0 && plan->runs == 0) {
        plan->run_time_ns = plan->budget_ns / FIXED_RUNS_WANTED;
    }
    if (plan->schedule == MODEL_SCHEDULE_TIMESLICE && !plan->usage) {
        return error_set(reterr, DUET_E_USAGE,
                         "--schedule timeslice compares CPU times; leave --no-usage "
                         "out");
    }
    enum duet_code code = analysis_options_check(
        &options->analysis, model_schedule_is_paired(plan->schedule), reterr);
    if (code == DUET_OK && options->scan[0] != NULL) {
        return parameter_add_scan(&options->parameters, options->scan[0],
                                  options->scan[1], options->scan[2], options->step,
                                  reterr);
    }
    return code;
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
