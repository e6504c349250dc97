/* duet study coverage: how often each interval holds the truth */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/study/study_sharing.h"
#include "figures/study_table.h"
#include "study/lab/study_split.h"
#include "study/study_data.h"

#include <stdlib.h>

static const struct cli_option coverage_rows[] = {
    {"data", 0, "normal|lognormal|pareto|bimodal|ar1|twolevel", CLI_OPTION_SETTING,
     "Simulate only this data. Default: all."},
    {"samples", 0, "N", CLI_OPTION_SETTING,
     "Simulate N experiments for each cell. Default: 2000."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates. "
     "Default: 1000."},
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_OPTION_ROWS,
    STUDY_OPTION_JSON_ROW,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct coverage_request {
    struct study_coverage_plan plan;
    struct study_sharing sharing;
};

#define AT struct coverage_request
static const struct field coverage_fields[] = {
    FIELD_WHOLE("--samples", AT, plan.samples, 1, 100000000),
    FIELD_WHOLE("--replicates", AT, plan.replicates, 100, 10000000),
    STUDY_FIELDS(AT, plan, plan.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing), FIELD_END};
#undef AT

static enum duet_code coverage(void *context, struct study_session *session,
                               struct duet_error *reterr)
{
    struct study_coverage_plan *plan = context;
    size_t count = study_coverage_cells();
    struct study_coverage_cell *cells = alloc_array(count, sizeof *cells);
    if (cells == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = study_split_coverage(plan, session, cells, reterr);
    if (study_session_shows(session, code)) {
        study_table_append(&session->table, cells, count, plan);
        study_table_append_records(&session->csv, &session->json, cells, count, plan);
    }
    free(cells);
    return code;
}

static enum duet_code take_data(void *context, struct cli_options *parsed, int id,
                                struct duet_error *reterr)
{
    struct coverage_request *request = context;
    int model = STUDY_MODELS;
    enum duet_code code = DUET_OK;
    if (study_share_take(&request->sharing, id, parsed->value, &code, reterr)) {
        return code;
    }
    code = study_data_find(parsed->value, STUDY_MODELS, &model, reterr);
    request->plan.model = (enum study_model)model;
    return code;
}

static int coverage_main(const struct cli_command *command, int argc, char **argv)
{
    struct coverage_request request = {.plan = {.model = STUDY_MODELS,
                                                .samples = 2000,
                                                .replicates = 1000,
                                                .confidence = 0.99,
                                                .seed = 1},
                                       .sharing = STUDY_SHARING_DEFAULT};
    int status = cli_options_parse_all(command, argc, argv, take_data, &request);
    if (status < 0) {
        status = study_share_run(command, argc, argv, &request.sharing, "coverage",
                                 coverage, &request.plan);
    }
    study_sharing_release(&request.sharing);
    return status;
}

const struct cli_command command_study_coverage = {
    .name = "study coverage",
    .synopsis = "[OPTIONS]",
    .summary = "count how often each interval contains the truth",
    .description =
        "Asks how often each interval contains the truth, with 3, 5, 10, 20 and 30 "
        "independent values. Simulates normal, log-normal, Pareto-tailed, bimodal, "
        "autocorrelated and two-level data, and analyses it like measured data.\n\n"
        "Interrupted, it prints what is done; --resume goes on. The table of the documentation comes "
        "from this command (docs/method.md).",
    .options = coverage_rows,
    .examples = CLI_EXAMPLES(
        {"Ask how often each interval of normal data is right:",
         "duet study coverage --data normal --samples 50"},
        {"Ask about data with a heavy tail, and keep the table:",
         "duet study coverage --data pareto --samples 50 --export-csv coverage.csv"}),
    .fields = coverage_fields,
    .main = coverage_main,
};
