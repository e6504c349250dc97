/* duet study prediction: what careful tests are worth to those who predict */
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/study/series_slice.h"
#include "cli/study/study_run.h"
#include "figures/prediction_table.h"
#include "formats/configuration_table.h"
#include "session/stop_option.h"
#include "study/study_surface.h"
#include "study/study_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum prediction_option {
    OPTION_PREDICT = CLI_OPTION_FIRST,
    OPTION_POINTS,
    OPTION_RULES,
    OPTION_ERROR,
    OPTION_TESTS,
    OPTION_PREDICTIONS,
    OPTION_REPLICATES,
    OPTION_EACH,
    OPTION_BENCHMARKS,
    OPTION_CORES,
    OPTION_SVG
};

static const struct cli_option prediction_rows[] = {
    {"predict", 0, "NAME", OPTION_PREDICT,
     "Only this configuration, or 'all'. Default: of a table all; without one 2-xlarge, as in the paper."},
    {"points", 0, "N", OPTION_POINTS,
     "Measurements of a training value without a rule. Default: 6."},
    {"rules", 0, "LIST", OPTION_RULES,
     "Stop rules: metior, metior-artifact, basicbt, cov, pt4cloud, steady. Default: metior,steady."},
    {"error", 0, "P", OPTION_ERROR, "Error that the rules allow. Default: 3%."},
    {"tests", 0, "N", OPTION_TESTS,
     "Tests of each configuration, from random places of its series; a prediction draws one of each. "
     "Default: 500."},
    {"predictions", 0, "N", OPTION_PREDICTIONS,
     "Predictions of a configuration by each kind of training. Default: 10000."},
    {"replicates", 0, "N", OPTION_REPLICATES,
     "Bootstrap replicates of the rules. Default: 1000."},
    {"each-length", 0, NULL, OPTION_EACH,
     "Each feature has a length of its own in the process's covariance; "
     "otherwise all have the same, in their ranges."},
    {"benchmarks", 0, "N", OPTION_BENCHMARKS, "Without a table: how many. Default: 6."},
    {"cores", 0, "N", OPTION_CORES,
     "Without a table: the most cores of a configuration, 4 to 64. Default: "
     "8, which makes the paper's six."},
    SERIES_SLICING_ROWS("the table's test_points"),
    {"export-svg", 0, "DIR", OPTION_SVG, "Draw prediction.svg into this folder."},
    {"confidence", 0, "P", STUDY_OPTION_CONFIDENCE,
     "Confidence of the rules. Default: 0.95."},
    STUDY_OPTION_ROWS,
    STUDY_OPTION_JSON_ROW,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct prediction_request {
    struct study_prediction_plan plan;
    struct study_common common;
    const char *table; /* NULL: made-up machines */
    struct study_surface_plan surface;
    struct series_slicing slicing;
    bool all;        /* predict each configuration */
    const char *svg; /* folder; NULL: none */
};

static enum duet_code study(const struct prediction_request *request,
                            struct prediction_table *table,
                            struct study_session *session, struct duet_error *reterr)
{
    struct study_prediction_cell *cells =
        alloc_array(table->count * STUDY_TRAININGS, sizeof *cells);
    if (cells == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code =
        study_prediction_run(table->plan, table->configurations, table->count,
                             study_session_go_on, session, cells, reterr);
    table->cells = cells;
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        prediction_table_append(&session->table, table);
        prediction_table_append_records(&session->csv, &session->json, table);
    }
    if (code == DUET_OK && request->svg != NULL) {
        code = prediction_picture_write(request->svg, table, reterr);
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

/* A row of a table: tests read its first values, the others are the truth, unless the
 * table tells it. */
static enum duet_code take_row(const struct prediction_request *request,
                               const struct formats_configuration *row,
                               struct study_configuration *ret_configuration,
                               struct duet_error *reterr)
{
    static const struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    struct study_series series = {.name = row->name,
                                  .values = row->values,
                                  .count = row->count,
                                  .test_points = row->test_points};
    struct study_configuration made = {.benchmark = row->benchmark,
                                       .name = row->name,
                                       .features = row->features,
                                       .values = row->values,
                                       .truth = row->truth};
    bool known = isfinite(row->truth);
    if (known && row->test_points == 0) {
        series.test_points = row->count;
    }
    enum duet_code code = series_slice(&request->slicing, &series, reterr);
    if (code == DUET_OK &&
        (series.test_points > series.count ||
         (!known && series.test_points == series.count) ||
         !(series.interval >= 1.0 && series.interval <= (double)series.test_points))) {
        code = error_set(
            reterr, DUET_E_DOMAIN,
            "%s on %s has %zu measurements, the first %zu of which are for tests, %g an interval; "
            "it needs at least an interval of them, and more behind them, or a column that tells the truth",
            row->benchmark, row->name, series.count, series.test_points,
            series.interval);
    }
    if (code == DUET_OK && !known) {
        code = study_truth_of(&series, &mean, &made.truth, reterr);
    }
    made.count = series.test_points;
    made.interval = series.interval;
    if (code == DUET_OK) {
        *ret_configuration = made;
    }
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
        configurations = alloc_array(read.count, sizeof *configurations);
        code = configurations == NULL ? error_set(reterr, DUET_E_NOMEM, "out of memory")
                                      : DUET_OK;
    }
    for (size_t i = 0; i < read.count && code == DUET_OK; i++) {
        code = take_row(request, &read.rows[i], &configurations[i], reterr);
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

static enum duet_code take_error(const char *value, double *ret_error,
                                 struct duet_error *reterr)
{
    double error = 0.0;
    enum duet_code code = parse_fraction(value, "--error", &error, reterr);
    if (code == DUET_OK && !(error > 0.0 && error < 1.0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--error %s: it lies between 0 and 100%%", value);
    }
    if (code == DUET_OK) {
        *ret_error = error;
    }
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct prediction_request *request = context;
    struct study_training_plan *training = &request->plan.training;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_PREDICT:
        request->all = strcmp(value, "all") == 0;
        request->plan.target = request->all ? NULL : value;
        return DUET_OK;
    case OPTION_POINTS:
        return parse_size(value, "--points", 1, 1000000, &training->points, reterr);
    case OPTION_RULES:
        return stop_option_rules(value, training->rules, reterr);
    case OPTION_ERROR:
        return take_error(value, &training->error, reterr);
    case OPTION_TESTS:
        return parse_size(value, "--tests", 1, 1000000, &training->tests, reterr);
    case OPTION_PREDICTIONS:
        return parse_whole(value, "--predictions", 2, 100000000,
                           &request->plan.predictions, reterr);
    case OPTION_REPLICATES:
        return parse_size(value, "--replicates", 100, 1000000, &training->replicates,
                          reterr);
    case OPTION_EACH:
        request->plan.one_length = false;
        return DUET_OK;
    case OPTION_BENCHMARKS:
        return parse_size(value, "--benchmarks", 1, 1000, &request->surface.benchmarks,
                          reterr);
    case OPTION_CORES:
        return parse_size(value, "--cores", 4, 64, &request->surface.cores, reterr);
    case OPTION_SVG:
        request->svg = value;
        return DUET_OK;
    default:
        if (!series_slicing_take(&request->slicing, id, value, &code, reterr)) {
            (void)study_option_take(&request->common, id, value, &code, reterr);
        }
        return code;
    }
}

static int prediction_main(const struct cli_command *command, int argc, char **argv)
{
    struct prediction_request request = {.plan = {.training = {.points = 6,
                                                               .error = 0.03,
                                                               .replicates = 1000,
                                                               .tests = 500},
                                                  .predictions = 10000,
                                                  .one_length = true},
                                         .common = {.confidence = 0.95, .seed = 1},
                                         .surface = {.benchmarks = 6, .cores = 8},
                                         .slicing = {.intervals = 21}};
    char **operands = NULL;
    int count = 0;
    request.plan.training.rules[ANALYSIS_STOP_METIOR] = true;
    request.plan.training.rules[ANALYSIS_STOP_STEADY] = true;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        return cli_usage(command, "give one table of configurations, or none");
    }
    request.table = count == 1 ? operands[0] : NULL;
    request.plan.training.confidence = request.common.confidence;
    request.plan.training.seed = request.common.seed;
    request.plan.training.threads = request.common.threads;
    request.surface.seed = request.common.seed;
    return study_run(&request.common, "prediction", prediction, &request);
}

const struct cli_command command_study_prediction = {
    .name = "study prediction",
    .synopsis = "[TABLE.csv] [OPTIONS]",
    .summary = "what careful tests are worth to those who predict",
    .description =
        "A Gaussian process learns how fast programs are on some machines and predicts another, "
        "as CherryPick does to find the best one. How far off is it when it learns from a handful of "
        "measurements of each machine, and when a stop rule says how many each needs? "
        "Without a table on made-up machines whose performance is known.\n"
        "\n"
        "TABLE.csv has a row a configuration: 'configuration' (a name), 'series' (a file, "
        "a measurement a line) or 'values' (numbers between blanks), "
        "and a column for each number that describes it; "
        "also, where wanted, 'benchmark', 'test_points' (the first measurements, which tests use; "
        "the mean of the others is the truth) and 'truth' (a mean that is known).\n"
        "\n"
        "Interrupted, it prints the configurations that are done. What is computed and what was measured: "
        "docs/stopping.md.",
    .options = prediction_rows,
    .main = prediction_main,
};
