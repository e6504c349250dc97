/* duet study variability: how much measurements vary, and between what */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/study/dataset_option.h"
#include "cli/study/study_sharing.h"
#include "cli/terminal.h"
#include "figures/variability_picture.h"
#include "figures/variability_table.h"
#include "study/lab/study_split.h"

#include <stdlib.h>

static const struct cli_option variability_rows[] = {
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates; 0: no interval. Default: 1000."},
    {"independent", 0, NULL, CLI_OPTION_SETTING,
     "Resample all values alike, instead of instances, trials and iterations."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the intervals. Default: 0.95."},
    {"export-svg", 0, "FILE", CLI_OPTION_SETTING,
     "Write a picture of the answer to FILE, as SVG."},
    DATASET_OPTION_ROWS,
    STUDY_OPTION_ROWS,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct variability_request {
    struct study_variability_plan plan;
    struct study_sharing sharing;
    struct dataset_options options;
    char **words;
    int count;
};

#define AT struct variability_request
static const struct field variability_fields[] = {
    FIELD_SIZE("--replicates", AT, plan.replicates, 0, 10000000),
    FIELD_FLAG("--independent", AT, plan.independent),
    FIELD_TEXT("--export-svg", AT, sharing.common.svg),
    STUDY_FIELDS(AT, plan, plan.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
    FIELD_END};
#undef AT

static enum duet_code variability(void *context, struct study_session *session,
                                  struct duet_error *reterr)
{
    struct variability_request *request = context;
    struct dataset_loaded loaded = {.cleaned = NULL};
    enum duet_code code = dataset_load(&request->options, request->words,
                                       request->count, &loaded, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct study_variability_row *rows =
        alloc_array(loaded.dataset.configuration_count, sizeof *rows);
    code = rows == NULL ? error_no_memory(reterr)
                        : study_split_variability(&loaded.dataset, &request->plan,
                                                  session, rows, reterr);
    bool shows = study_session_shows(session, code);
    if (shows) {
        dataset_describe(&session->table, &loaded, &request->options);
        variability_table_append(&session->table, &loaded.dataset, rows, &request->plan,
                                 terminal_is_utf8());
        variability_table_append_records(&session->csv, &session->json, &loaded.dataset,
                                         loaded.cleaned, rows, &request->plan);
    }
    struct duet_error error = {0};
    enum duet_code drawn = DUET_OK;
    const char *svg = request->sharing.common.svg;
    if (shows && svg != NULL) {
        drawn = variability_picture_write(svg, &loaded.dataset, rows, &error);
    }
    if (drawn != DUET_OK) {
        code = error_set(reterr, drawn, "%s", error.message);
    }
    free(rows);
    dataset_loaded_release(&loaded);
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct variability_request *request = context;
    enum duet_code code = DUET_OK;
    if (study_share_take(&request->sharing, id, parsed->value, &code, reterr)) {
        return code;
    }
    (void)dataset_option_take(&request->options, id, parsed->value, &code, reterr);
    return code;
}

static int variability_main(const struct cli_command *command, int argc, char **argv)
{
    struct variability_request request = {
        .plan = {.replicates = 1000, .confidence = 0.95, .seed = 1},
        .sharing = STUDY_SHARING_DEFAULT,
        .options = dataset_options_default(),
    };
    int status = cli_options_parse(command, argc, argv, take, &request, &request.words,
                                   &request.count);
    if (status < 0 && request.count == 0) {
        status = cli_usage(command, "expected at least one DATA file");
    } else if (status < 0) {
        request.sharing.common.store = request.options.store;
        status = study_share_run(command, argc, argv, &request.sharing, "variability",
                                 variability, &request);
    }
    study_sharing_release(&request.sharing);
    dataset_options_release(&request.options);
    return status;
}

const struct cli_command command_study_variability = {
    .name = "study variability",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "find where the variation of measurements comes from",
    .description =
        "Shows how much the measurements of each benchmark vary in each "
        "environment, and where that comes from: the benchmark itself (iterations "
        "of a trial), trials on an instance, or instances. Prints the coefficients "
        "of variation with the width of their intervals, the three sources, and how "
        "to measure where each source is the largest (docs/variability.md).\n\n"
        "DATA is files: CSV, the output of pa, JMH's JSON or that of go test "
        "-bench. Where nothing names the instance, each file is one. Or DATA is in "
        "the store: data sets ('duet import') and experiments, by number or name. "
        "All of a suite's newest run are suite:NAME, and all of its runs "
        "suites:NAME. STORE.db:WHAT reads from another store, such as another "
        "machine's.",
    .options = variability_rows,
    .examples = CLI_EXAMPLES(
        {"Find out what varies on two clouds: iterations, trials or machines:",
         "duet study variability AWS=aws.csv GCE=gce.csv"},
        {"Draw the answer, for five benchmarks from stable to variable:",
         "duet study variability --rank all --export-svg clouds.svg aws.csv"}),
    .operand = "FILE",
    .fields = variability_fields,
    .main = variability_main,
};
