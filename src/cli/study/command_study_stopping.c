/* duet study stopping: which rule stops a performance test at the right time */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/study/series_option.h"
#include "cli/study/study_sharing.h"
#include "figures/resampling_table.h"
#include "figures/stop_picture.h"
#include "figures/stop_table.h"
#include "session/stop_option.h"
#include "study/lab/study_split.h"

#include <stdlib.h>

enum stopping_option {
    OPTION_RULES = CLI_OPTION_FIRST,
    OPTION_STATISTICS,
    OPTION_ERRORS
};

static const struct cli_option stopping_rows[] = {
    {"rules", 0, "LIST", OPTION_RULES,
     "Replay these rules: metior, metior-artifact, basicbt, cov, pt4cloud, steady. "
     "Default: all."},
    {"statistics", 0, "LIST", OPTION_STATISTICS,
     "Measure these results: mean, p50, p99.9 ... Default: mean,p90."},
    {"errors", 0, "LIST", OPTION_ERRORS, "Allow these errors. Default: 3%,5%,10%."},
    {"starts", 0, "all|third", CLI_OPTION_SETTING,
     "Begin a test at every test point (all), or at those of the first third. With "
     "all, a test that comes to the last point goes on at the first. Default: all."},
    {"every", 0, "N", CLI_OPTION_SETTING,
     "Begin a test only at every N-th of "
     "these. Default: 1."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates. "
     "Default: 1000."},
    SERIES_SLICING_ROWS("slices.csv"),
    {"price-per-hour", 0, "X", CLI_OPTION_SETTING,
     "Show the price of a test whose machine is rented throughout."},
    {"interval-hours", 0, "X", CLI_OPTION_SETTING,
     "Set the hours of an interval. Default: 24."},
    {"bootstraps", 0, NULL, CLI_OPTION_SETTING,
     "Show how the basic bootstrap and one of blocks of 24 resample the series, "
     "instead of tests."},
    {"export-svg", 0, "DIR", CLI_OPTION_SETTING,
     "Draw accuracy.svg and points.svg (each series), summary.svg, executions.svg "
     "and prices.svg (each group) into this folder. With --bootstraps draw "
     "traces.svg, autocorrelations.svg, distributions.svg and accurate.svg."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the intervals. Default: 0.95."},
    STUDY_OPTION_ROWS,
    STUDY_OPTION_JSON_ROW,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct stopping_request {
    struct study_stopping_plan plan;
    struct study_sharing sharing;
    const char *path;
    struct series_slicing slicing;
    double price_per_hour;
    double interval_hours;
    bool bootstraps;
};

static const char *const starts[] = {"all", "third", NULL};

#define AT struct stopping_request
static const struct field stopping_fields[] = {
    FIELD_WORD("--starts", AT, plan.starts, starts),
    FIELD_SIZE("--every", AT, plan.every, 1, 1000000),
    FIELD_SIZE("--replicates", AT, plan.replicates, 100, 1000000),
    FIELD_DOUBLE("--price-per-hour", FIELD_IS_POSITIVE, AT, price_per_hour),
    FIELD_DOUBLE("--interval-hours", FIELD_IS_POSITIVE, AT, interval_hours),
    FIELD_FLAG("--bootstraps", AT, bootstraps),
    FIELD_TEXT("--export-svg", AT, sharing.common.pictures),
    SERIES_SLICING_FIELDS(AT, slicing),
    STUDY_FIELDS(AT, plan, plan.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
    FIELD_END};
#undef AT

static enum duet_code study_rules(struct stopping_request *request,
                                  struct stopping_answer *answer,
                                  struct study_session *session,
                                  struct duet_error *reterr)
{
    struct study_stopping_cell *cells = alloc_array(
        study_stopping_cells(answer->plan, answer->series_count), sizeof *cells);
    if (cells == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = study_split_stopping(
        &request->plan, answer->series, answer->series_count, session, cells, reterr);
    answer->cells = cells;
    bool shows = study_session_shows(session, code);
    if (shows) {
        stop_table_append(&session->table, answer);
        stop_table_append_records(&session->csv, &session->json, answer);
    }
    const char *pictures = request->sharing.common.pictures;
    if (shows && code == DUET_OK && pictures != NULL) {
        code = stop_pictures_write(pictures, answer, reterr);
    }
    answer->cells = NULL;
    free(cells);
    return code;
}

static enum duet_code study_bootstraps(struct stopping_request *request,
                                       struct stopping_answer *answer,
                                       struct study_session *session,
                                       struct duet_error *reterr)
{
    struct study_resampling_row *rows = alloc_array(answer->series_count, sizeof *rows);
    struct study_resampling_trace *traces =
        alloc_array(answer->series_count, sizeof *traces);
    if (rows == NULL || traces == NULL) {
        free(rows);
        free(traces);
        return error_no_memory(reterr);
    }
    const char *svg = request->sharing.common.pictures;
    enum duet_code code =
        study_split_resampling(&request->plan, answer->series, answer->series_count,
                               session, rows, svg == NULL ? NULL : traces, reterr);
    bool shows = study_session_shows(session, code);
    if (shows) {
        resampling_table_append(&session->table, answer, rows);
        resampling_table_append_records(&session->csv, &session->json, answer, rows);
    }
    if (shows && code == DUET_OK && svg != NULL) {
        code = resampling_pictures_write(svg, answer, rows, traces, reterr);
    }
    for (size_t i = 0; i < answer->series_count; i++) {
        study_resampling_trace_release(&traces[i]);
    }
    free(traces);
    free(rows);
    return code;
}

static enum duet_code stopping(void *context, struct study_session *session,
                               struct duet_error *reterr)
{
    struct stopping_request *request = context;
    struct formats_series_folder folder = {0};
    struct study_series *series = NULL;
    enum duet_code code = formats_series_folder_read(request->path, &folder, reterr);
    if (code == DUET_OK) {
        code = series_slice_folder(&request->slicing, &folder, &series, reterr);
    }
    if (code == DUET_OK) {
        struct stopping_answer answer = {.plan = &request->plan,
                                         .series = series,
                                         .series_count = folder.count,
                                         .price_per_hour = request->price_per_hour,
                                         .interval_hours = request->interval_hours};
        code = request->bootstraps ? study_bootstraps(request, &answer, session, reterr)
                                   : study_rules(request, &answer, session, reterr);
    }
    free(series);
    formats_series_folder_release(&folder);
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct stopping_request *request = context;
    struct study_stopping_plan *plan = &request->plan;
    enum duet_code code = DUET_OK;
    if (study_share_take(&request->sharing, id, parsed->value, &code, reterr)) {
        return code;
    }
    if (id == OPTION_RULES) {
        return stop_option_rules(parsed->value, plan->rules, reterr);
    }
    return id == OPTION_STATISTICS
               ? stop_option_statistics(parsed->value, plan->statistics,
                                        STUDY_STATISTICS_MAX, &plan->statistic_count,
                                        reterr)
               : stop_option_errors(parsed->value, plan->errors, &plan->error_count,
                                    reterr);
}

static int stopping_main(const struct cli_command *command, int argc, char **argv)
{
    struct stopping_request request = {
        .plan = {.statistics = {{STATS_STATISTIC_MEAN, 0.0},
                                {STATS_STATISTIC_QUANTILE, 0.9}},
                 .statistic_count = 2,
                 .errors = {0.03, 0.05, 0.10},
                 .error_count = 3,
                 .replicates = 1000,
                 .every = 1,
                 .confidence = 0.95,
                 .seed = 1},
        .slicing = {.intervals = 21},
        .interval_hours = 24.0,
        .sharing = STUDY_SHARING_DEFAULT};
    char **operands = NULL;
    int count = 0;
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        request.plan.rules[r] = true;
    }
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status < 0 && count != 1) {
        status = cli_usage(command, "expected one folder of series, or one file");
    } else if (status < 0) {
        request.path = operands[0];
        status = study_share_run(command, argc, argv, &request.sharing, "stopping",
                                 stopping, &request);
    }
    study_sharing_release(&request.sharing);
    return status;
}

const struct cli_command command_study_stopping = {
    .name = "study stopping",
    .synopsis = "DATA [OPTIONS]",
    .summary = "find the rule that stops a performance test at the right time",
    .description =
        "Replays performance tests on measured series. Each begins somewhere in the "
        "first intervals and ends where a stop rule ends it. Its result is compared "
        "with the measurements after those intervals. DATA is a folder with a file "
        "a series (a number a line, or CSV with a column 'value'), or one such "
        "file. The file slices.csv in the folder, with the columns file and "
        "test_points, says how many measurements of a series are for tests.\n\n"
        "Interrupted, it prints the series that are done; --resume goes on. The rules and their "
        "tables: docs/stopping.md.",
    .options = stopping_rows,
    .examples = CLI_EXAMPLES(
        {"Try two rules on a series of four measurements an hour:",
         "duet study stopping --rules metior,steady --points-per-interval 96 times.txt"},
        {"Replay every test on a folder of series, and draw the answer:",
         "duet study stopping --export-svg pictures series"}),
    .operand = "FILE",
    .fields = stopping_fields,
    .main = stopping_main,
};
