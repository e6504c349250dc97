/* duet study sequential: how often a verdict that is checked after every block is
 * wrong
 */
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/study/study_sharing.h"
#include "figures/sequential_table.h"
#include "study/lab/study_split.h"
#include "study/study_data.h"

#include <math.h>
#include <string.h>

static const struct cli_option sequential_rows[] = {
    {"data", 0,
     "normal|lognormal|pareto|bimodal|ar1|twolevel|drift|steal|noisier|onesided",
     CLI_OPTION_SETTING, "Simulate only this data. Default: all."},
    {"samples", 0, "N", CLI_OPTION_SETTING,
     "Simulate N experiments for each row. Default: 10000."},
    {"blocks", 0, "N", CLI_OPTION_SETTING,
     "Stop after N blocks of two runs, with a check after each coin. Default: 60."},
    {"coin", 0, "block|run", CLI_OPTION_SETTING,
     "Toss a coin for each block of two runs, or also for single runs, as duet run does. Default: run."},
    {"iterations", 0, "N", CLI_OPTION_SETTING,
     "Do N iterations per run, up to 20. Default: 5."},
    {"effect", 0, "P", CLI_OPTION_SETTING,
     "Make the new side take this much longer (such as 1%). Default: 0."},
    {"noise", 0, "P", CLI_OPTION_SETTING,
     "Set the standard deviation of an iteration's time. That of a run is half as "
     "large. Default: 1%."},
    {"new-noise", 0, "P", CLI_OPTION_SETTING,
     "With --data noisier: set the noise of the new side. Default: 10%."},
    {"estimator", 0, "geomean|trimmed|median", CLI_OPTION_SETTING,
     "Reduce the ratios of a run by this estimator. Default: median."},
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_OPTION_ROWS,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct sequential_request {
    struct study_sequential_plan plan;
    struct study_sharing sharing;
};

/* As enum stats_location has them. */
static const char *const estimators[] = {"geomean", "trimmed", "median", NULL};

#define AT struct sequential_request
static const struct field sequential_fields[] = {
    FIELD_WHOLE("--samples", AT, plan.samples, 1, 100000000),
    FIELD_SIZE("--blocks", AT, plan.blocks, 1, STUDY_SEQUENTIAL_BLOCKS_MAX),
    FIELD_SIZE("--iterations", AT, plan.iterations, 1, STUDY_SEQUENTIAL_ITERATIONS_MAX),
    FIELD_DOUBLE("--effect", FIELD_IS_CHANGE, AT, plan.effect),
    FIELD_DOUBLE("--noise", FIELD_IS_CHANGE, AT, plan.noise),
    FIELD_DOUBLE("--new-noise", FIELD_IS_CHANGE, AT, plan.new_noise),
    FIELD_WORD("--estimator", AT, plan.location, estimators),
    STUDY_FIELDS(AT, plan, plan.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
    FIELD_END};
#undef AT

static enum duet_code sequential(void *context, struct study_session *session,
                                 struct duet_error *reterr)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS] = {0};
    struct study_sequential_plan *plan = context;
    enum duet_code code = study_split_sequential(plan, session, cells, reterr);
    if (study_session_shows(session, code)) {
        sequential_table_append(&session->table, cells, plan);
        sequential_table_append_csv(&session->csv, cells, plan);
    }
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    static const char *const coins[] = {"block", "run", NULL};
    struct sequential_request *request = context;
    size_t coin = 0;
    enum duet_code code = DUET_OK;
    if (study_share_take(&request->sharing, id, parsed->value, &code, reterr)) {
        return code;
    }
    if (strcmp(parsed->name, "data") == 0) {
        return study_data_find(parsed->value, STUDY_SEQUENTIAL_MODELS,
                               &request->plan.model, reterr);
    }
    code = parse_word(parsed->value, "--coin", coins, &coin, reterr);
    request->plan.coin_per_run = coin == 1;
    return code;
}

static int sequential_main(const struct cli_command *command, int argc, char **argv)
{
    struct sequential_request request = {.plan = {.model = STUDY_SEQUENTIAL_MODELS,
                                                  .samples = 10000,
                                                  .noise = 0.01,
                                                  .new_noise = (double)NAN,
                                                  .location = STATS_LOCATION_MEDIAN,
                                                  .iterations = 5,
                                                  .blocks = 60,
                                                  .coin_per_run = true,
                                                  .confidence = 0.99,
                                                  .seed = 1},
                                         .sharing = STUDY_SHARING_DEFAULT};
    int status = cli_options_parse_all(command, argc, argv, take, &request);
    struct study_sequential_plan *plan = &request.plan;
    bool noisier = plan->model == STUDY_SEQUENTIAL_MODELS ||
                   plan->model == STUDY_SEQUENTIAL_NOISIER;
    if (status < 0 && !isnan(plan->new_noise) && !noisier) {
        status = cli_usage(
            command, "--new-noise goes with --data noisier: leave one of them out");
    }
    plan->new_noise = isnan(plan->new_noise) ? 0.1 : plan->new_noise;
    if (status < 0) {
        status = study_share_run(command, argc, argv, &request.sharing, "sequential",
                                 sequential, &request.plan);
    }
    study_sharing_release(&request.sharing);
    return status;
}

const struct cli_command command_study_sequential = {
    .name = "study sequential",
    .synopsis = "[OPTIONS]",
    .summary = "count wrong verdicts when every block is checked",
    .description =
        "Asks how often a verdict is wrong when it is checked after every block, "
        "and how soon it comes. Simulates the times of two positions, assigns the "
        "sides to them by a coin, and checks up to --blocks times. The column "
        "'wrong' counts verdicts that contradict the truth. The column 'missed' "
        "counts experiments whose interval excluded the truth at any check. Both "
        "may be at most 1 - P.\n\n"
        "Interrupted, it prints what is done; --resume goes on. The tables of the documentation come "
        "from this command (docs/method.md).",
    .options = sequential_rows,
    .examples =
        CLI_EXAMPLES({"Count wrong verdicts on equal programs with normal noise:",
                      "duet study sequential --data normal --samples 200"},
                     {"Count them where new takes 1 % longer:",
                      "duet study sequential --data normal --samples 200 --effect 1%"}),
    .fields = sequential_fields,
    .main = sequential_main,
};
