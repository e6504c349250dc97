/* duet study prediction: what careful tests are worth to those who predict */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/study/series_option.h"
#include "cli/study/study_sharing.h"
#include "figures/prediction_table.h"
#include "session/stop_option.h"
#include "study/lab/study_split.h"
#include "study/study_surface.h"

#include <stdlib.h>
#include <string.h>

enum prediction_option { OPTION_PREDICT = CLI_OPTION_FIRST, OPTION_RULES, OPTION_EACH };

static const struct cli_option prediction_rows[] = {
    {"predict", 0, "NAME", OPTION_PREDICT,
     "Predict only this configuration, or 'all'. Default: all of a table; without a "
     "table 2-xlarge, as in the paper."},
    {"points", 0, "N", CLI_OPTION_SETTING,
     "Use N measurements for a training value without a rule. Default: 6."},
    {"rules", 0, "LIST", OPTION_RULES,
     "Use these stop rules: metior, metior-artifact, basicbt, cov, pt4cloud, "
     "steady. Default: metior,steady."},
    {"error", 0, "P", CLI_OPTION_SETTING,
     "Let the rules allow this error. Default: "
     "3%."},
    {"tests", 0, "N", CLI_OPTION_SETTING,
     "Run N tests of each configuration, from random places of its series. A "
     "prediction draws one of each. Default: 500."},
    {"predictions", 0, "N", CLI_OPTION_SETTING,
     "Predict each configuration N times by each kind of training. Default: 10000."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates in the rules. Default: 1000."},
    {"each-length", 0, NULL, OPTION_EACH,
     "Give each feature its own length in the covariance. Default: one length for "
     "all, relative to their ranges."},
    {"benchmarks", 0, "N", CLI_OPTION_SETTING,
     "Without a table: make up N. Default: 6."},
    {"cores", 0, "N", CLI_OPTION_SETTING,
     "Without a table: make up configurations of at most N cores, 4 to 64. Default: "
     "8, which makes the paper's six."},
    SERIES_SLICING_ROWS("the table's test_points"),
    {"export-svg", 0, "DIR", CLI_OPTION_SETTING,
     "Draw prediction.svg into this folder."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the rules. Default: 0.95."},
    STUDY_OPTION_ROWS,
    STUDY_OPTION_JSON_ROW,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct prediction_request {
    struct study_prediction_plan plan;
    struct study_sharing sharing;
    const char *table; /* NULL: made-up machines */
    struct study_surface_plan surface;
    struct series_slicing slicing;
    bool all; /* predict each configuration */
};

#define AT struct prediction_request
static const struct field prediction_fields[] = {
    FIELD_SIZE("--points", AT, plan.training.points, 1, 1000000),
    FIELD_DOUBLE("--error", FIELD_IS_SHARE, AT, plan.training.error),
    FIELD_SIZE("--tests", AT, plan.training.tests, 1, 1000000),
    FIELD_WHOLE("--predictions", AT, plan.predictions, 2, 100000000),
    FIELD_SIZE("--replicates", AT, plan.training.replicates, 100, 1000000),
    FIELD_SIZE("--benchmarks", AT, surface.benchmarks, 1, 1000),
    FIELD_SIZE("--cores", AT, surface.cores, 4, 64),
    FIELD_TEXT("--export-svg", AT, sharing.common.pictures),
    SERIES_SLICING_FIELDS(AT, slicing),
    STUDY_FIELDS(AT, plan.training, plan.training.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
    FIELD_END};
#undef AT

static enum duet_code study(struct prediction_request *request,
                            struct prediction_table *table,
                            struct study_session *session, struct duet_error *reterr)
{
    struct study_prediction_cell *cells =
        alloc_array(table->count * STUDY_TRAININGS, sizeof *cells);
    if (cells == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = study_split_prediction(&request->plan, table->configurations,
                                                 table->count, session, cells, reterr);
    table->cells = cells;
    bool shows = study_session_shows(session, code);
    if (shows) {
        prediction_table_append(&session->table, table);
        prediction_table_append_records(&session->csv, &session->json, table);
    }
    const char *pictures = request->sharing.common.pictures;
    if (shows && code == DUET_OK && pictures != NULL) {
        code = prediction_picture_write(pictures, table, reterr);
    }
    table->cells = NULL;
    free(cells);
    return code;
}

static enum duet_code study_made_up(struct prediction_request *request,
                                    struct study_session *session,
                                    struct duet_error *reterr)
{
    struct study_surface surface = {.count = 0};
    enum duet_code code = study_surface_make(&request->surface, &surface, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (request->plan.target == NULL && !request->all) {
        request->plan.target = "2-xlarge";
    }
    request->plan.features = STUDY_SURFACE_FEATURES;
    struct prediction_table table = {.plan = &request->plan,
                                     .configurations = surface.configurations,
                                     .count = surface.count};
    code = study(request, &table, session, reterr);
    study_surface_release(&surface);
    return code;
}

static enum duet_code study_table(struct prediction_request *request,
                                  struct study_session *session,
                                  struct duet_error *reterr)
{
    struct formats_configuration_table read = {.count = 0};
    struct study_configuration *configurations = NULL;
    enum duet_code code =
        formats_configuration_table_read(request->table, &read, reterr);
    if (code == DUET_OK) {
        code = series_slice_table(&request->slicing, &read, &configurations, reterr);
    }
    if (code == DUET_OK) {
        struct prediction_table table = {.plan = &request->plan,
                                         .configurations = configurations,
                                         .count = read.count};
        request->plan.features = read.features;
        code = study(request, &table, session, reterr);
    }
    free(configurations);
    formats_configuration_table_release(&read);
    return code;
}

static enum duet_code prediction(void *context, struct study_session *session,
                                 struct duet_error *reterr)
{
    struct prediction_request *request = context;
    return request->table == NULL ? study_made_up(request, session, reterr)
                                  : study_table(request, session, reterr);
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct prediction_request *request = context;
    enum duet_code code = DUET_OK;
    if (study_share_take(&request->sharing, id, parsed->value, &code, reterr)) {
        return code;
    }
    if (id == OPTION_RULES) {
        return stop_option_rules(parsed->value, request->plan.training.rules, reterr);
    }
    if (id == OPTION_PREDICT) {
        request->all = strcmp(parsed->value, "all") == 0;
        request->plan.target = request->all ? NULL : parsed->value;
    } else {
        request->plan.one_length = false;
    }
    return DUET_OK;
}

/* What only a table has, or only made-up machines; -1: all fits. What was not given
 * gets its default. */
static int check_table(const struct cli_command *command,
                       struct prediction_request *request, bool table)
{
    struct study_surface_plan *surface = &request->surface;
    struct series_slicing *slicing = &request->slicing;
    if (table && (surface->benchmarks != 0 || surface->cores != 0)) {
        return cli_usage(command, "--benchmarks and --cores make machines up, and "
                                  "TABLE.csv has its own: leave them out");
    }
    if (!table && (slicing->intervals != 0 || slicing->points > 0.0)) {
        return cli_usage(command,
                         "--points-per-interval and --test-intervals are for "
                         "the series of TABLE.csv: name it, or leave them out");
    }
    surface->benchmarks = surface->benchmarks == 0 ? 6 : surface->benchmarks;
    surface->cores = surface->cores == 0 ? 8 : surface->cores;
    slicing->intervals = slicing->intervals == 0 ? 21 : slicing->intervals;
    return -1;
}

static int prediction_main(const struct cli_command *command, int argc, char **argv)
{
    struct prediction_request request = {.plan = {.training = {.points = 6,
                                                               .error = 0.03,
                                                               .replicates = 1000,
                                                               .tests = 500,
                                                               .confidence = 0.95,
                                                               .seed = 1},
                                                  .predictions = 10000,
                                                  .one_length = true},
                                         .sharing = STUDY_SHARING_DEFAULT};
    char **operands = NULL;
    int count = 0;
    request.plan.training.rules[ANALYSIS_STOP_METIOR] = true;
    request.plan.training.rules[ANALYSIS_STOP_STEADY] = true;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status < 0 && count > 1) {
        status = cli_usage(command, "expected one TABLE.csv or none");
    }
    status = status < 0 ? check_table(command, &request, count == 1) : status;
    if (status >= 0) {
        study_sharing_release(&request.sharing);
        return status;
    }
    request.table = count == 1 ? operands[0] : NULL;
    request.surface.seed = request.plan.training.seed;
    status = study_share_run(command, argc, argv, &request.sharing, "prediction",
                             prediction, &request);
    study_sharing_release(&request.sharing);
    return status;
}

const struct cli_command command_study_prediction = {
    .name = "study prediction",
    .synopsis = "[TABLE.csv] [OPTIONS]",
    .summary = "measure how much careful tests improve predictions",
    .description =
        "A Gaussian process learns how fast programs are on some machines and "
        "predicts another, as CherryPick does to find the best one. Measures how "
        "far off it is when it learns from a few measurements of each machine, and "
        "when a stop rule decides how many each needs. Without a table, uses "
        "made-up machines of known performance.\n\n"
        "TABLE.csv has a row for each configuration. The column 'configuration' is "
        "its name, and 'series' is a file with a measurement a line, or 'values' "
        "has numbers between blanks. Each further column is a number that describes "
        "it. Three columns are optional: 'benchmark', 'test_points' and 'truth'. "
        "Tests use the first 'test_points' measurements, and the mean of the others "
        "is the truth, unless 'truth' gives a known mean.\n\n"
        "Interrupted, it prints the configurations that are done; --resume goes on. What is computed "
        "and what was measured: docs/stopping.md.",
    .options = prediction_rows,
    .examples = CLI_EXAMPLES(
        {"Try it on made-up machines:",
         "duet study prediction --tests 20 --predictions 200 --replicates 100"},
        {"Predict machines of your own, and draw the answer:",
         "duet study prediction --export-svg pictures machines.csv"}),
    .operand = "FILE",
    .fields = prediction_fields,
    .main = prediction_main,
};
