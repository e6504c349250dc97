/* duet study sequential: how often a verdict that is looked for all the time is wrong
 */
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/study/study_run.h"
#include "figures/sequential_table.h"
#include "study/study_data.h"
#include "study/study_sequential.h"

#include <string.h>

enum sequential_option {
    OPTION_DATA = CLI_OPTION_FIRST,
    OPTION_SAMPLES,
    OPTION_BLOCKS,
    OPTION_COIN,
    OPTION_ITERATIONS,
    OPTION_EFFECT,
    OPTION_NOISE,
    OPTION_NEW_NOISE,
    OPTION_ESTIMATOR
};

static const struct cli_option sequential_rows[] = {
    {"data", 0,
     "normal|lognormal|pareto|bimodal|ar1|twolevel|drift|steal|noisier|onesided",
     OPTION_DATA, "Only this data. Default: all."},
    {"samples", 0, "N", OPTION_SAMPLES,
     "Simulated experiments of a row. Default: 10000."},
    {"blocks", 0, "N", OPTION_BLOCKS,
     "Blocks of two runs, with a look after each coin. Default: 60."},
    {"coin", 0, "block|run", OPTION_COIN,
     "Toss a coin for each block of two runs, or also for single runs, as duet run does. Default: run."},
    {"iterations", 0, "N", OPTION_ITERATIONS,
     "Iterations of a run, up to 20. Default: 5."},
    {"effect", 0, "P", OPTION_EFFECT,
     "The new side takes so much longer (such as 1%). Default: 0."},
    {"noise", 0, "P", OPTION_NOISE,
     "Standard deviation of an iteration's time; that of a run's is half as large. Default: 1%."},
    {"new-noise", 0, "P", OPTION_NEW_NOISE,
     "Of --data noisier: the noise of the new side. Default: 10%."},
    {"estimator", 0, "geomean|trimmed|median", OPTION_ESTIMATOR,
     "Of the ratios inside a run. Default: median."},
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_OPTION_ROWS,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct sequential_request {
    struct study_sequential_plan plan;
    struct study_common common;
};

static enum duet_code sequential(void *context, struct study_session *session,
                                 struct duet_error *reterr)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS] = {0};
    const struct study_sequential_plan *plan = context;
    enum duet_code code =
        study_sequential_run(plan, study_session_go_on, session, cells, reterr);
    sequential_table_append(&session->table, cells, plan);
    sequential_table_append_csv(&session->csv, cells, plan);
    return code;
}

static enum duet_code take_estimator(struct study_sequential_plan *plan,
                                     const char *value, struct duet_error *reterr)
{
    if (strcmp(value, "geomean") == 0) {
        plan->location = STATS_LOCATION_MEAN;
    } else if (strcmp(value, "trimmed") == 0) {
        plan->location = STATS_LOCATION_TRIMMED;
    } else if (strcmp(value, "median") == 0) {
        plan->location = STATS_LOCATION_MEDIAN;
    } else {
        return error_set(reterr, DUET_E_USAGE,
                         "--estimator %s: it is one of geomean, trimmed, median",
                         value);
    }
    return DUET_OK;
}

static enum duet_code take_coin(struct study_sequential_plan *plan, const char *value,
                                struct duet_error *reterr)
{
    plan->coin_per_run = strcmp(value, "run") == 0;
    if (!plan->coin_per_run && strcmp(value, "block") != 0) {
        return error_set(reterr, DUET_E_USAGE, "--coin %s: it is one of block, run",
                         value);
    }
    return DUET_OK;
}

static enum duet_code take_whole(const char *value, const char *option, uint64_t most,
                                 size_t *ret_number, struct duet_error *reterr)
{
    uint64_t number = 0;
    enum duet_code code = parse_whole(value, option, 1, most, &number, reterr);
    if (code == DUET_OK) {
        *ret_number = (size_t)number;
    }
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct sequential_request *request = context;
    struct study_sequential_plan *plan = &request->plan;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_DATA:
        return study_data_find(value, STUDY_SEQUENTIAL_MODELS, &plan->model, reterr);
    case OPTION_SAMPLES:
        return parse_whole(value, "--samples", 1, 100000000, &plan->samples, reterr);
    case OPTION_BLOCKS:
        return take_whole(value, "--blocks", STUDY_SEQUENTIAL_BLOCKS_MAX, &plan->blocks,
                          reterr);
    case OPTION_COIN:
        return take_coin(plan, value, reterr);
    case OPTION_ITERATIONS:
        return take_whole(value, "--iterations", STUDY_SEQUENTIAL_ITERATIONS_MAX,
                          &plan->iterations, reterr);
    case OPTION_EFFECT:
        return parse_change(value, "--effect", &plan->effect, reterr);
    case OPTION_NOISE:
        return parse_change(value, "--noise", &plan->noise, reterr);
    case OPTION_NEW_NOISE:
        return parse_change(value, "--new-noise", &plan->new_noise, reterr);
    case OPTION_ESTIMATOR:
        return take_estimator(plan, value, reterr);
    default:
        (void)study_option_take(&request->common, id, value, &code, reterr);
        return code;
    }
}

static int sequential_main(const struct cli_command *command, int argc, char **argv)
{
    struct sequential_request request = {.plan = {.model = STUDY_SEQUENTIAL_MODELS,
                                                  .samples = 10000,
                                                  .noise = 0.01,
                                                  .new_noise = 0.1,
                                                  .location = STATS_LOCATION_MEDIAN,
                                                  .iterations = 5,
                                                  .blocks = 60,
                                                  .coin_per_run = true},
                                         .common = {.confidence = 0.99, .seed = 1}};
    int status = cli_options_parse_all(command, argc, argv, take, &request);
    if (status >= 0) {
        return status;
    }
    request.plan.confidence = request.common.confidence;
    request.plan.seed = request.common.seed;
    request.plan.threads = request.common.threads;
    return study_run(&request.common, "sequential", sequential, &request.plan);
}

const struct cli_command command_study_sequential = {
    .name = "study sequential",
    .synopsis = "[OPTIONS]",
    .summary = "how often a verdict looked for all the time is wrong",
    .description =
        "How often is a verdict wrong that is looked for after every block, and how soon is it there? "
        "Simulates the times of two positions, lets a coin assign the sides to them, "
        "and looks up to --blocks times. 'wrong' counts verdicts against the truth, "
        "'missed' experiments whose interval ever lost it; both may be at most 1 - P.\n"
        "\n"
        "Interrupted, it prints what is done. The tables of the documentation come from this command "
        "(docs/method.md).",
    .options = sequential_rows,
    .main = sequential_main,
};
