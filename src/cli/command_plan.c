/* duet plan ID: how to spend the time of the next experiments */
#include "analysis/plan/detectable.h"
#include "analysis/plan/plan_runs.h"
#include "base/field.h"
#include "base/file.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/json_file.h"
#include "cli/next_command.h"
#include "cli/options/option.h"
#include "cli/options/plan_like.h"
#include "cli/options/shared_option.h"
#include "report/display.h"
#include "report/spending.h"
#include "session/comparison/answer.h"
#include "session/comparison/pilot_read.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option plan_rows[] = {
    {"effect", 0, "P", CLI_OPTION_FIRST,
     "Plan to see this change, such as 1%. May be given eight times. Default: 0.5, "
     "1, 2 and 5 %."},
    {"power", 0, "P", CLI_OPTION_SETTING,
     "See the change in this share of experiments. Default: 0.9; with --like 0.95."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the intervals, with --like of the test. Default: 0.99; "
     "with --like 0.95."},
    {"like", 0, "DATA", CLI_OPTION_SETTING,
     "Plan instances, trials and iterations from a data set of many instances (a "
     "file, or an import), for each --effect. 'duet study planning' has more "
     "options."},
    SHARED_OPTION_STORE_READ_ROW,
    {"export-json", 0, "FILE", CLI_OPTION_SETTING,
     "Write the plan as JSON to FILE ('-': standard output). With --like as 'duet "
     "study planning' writes it, for one --effect."},
    {"no-color", 0, NULL, CLI_OPTION_SETTING,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

struct plan_request {
    struct model_analysis analysis;
    struct output_options output;
    const char *store;
    const char *like;
    double power;      /* 0: not given */
    double confidence; /* the same */
    double effects[MODEL_PLANNED_MAX];
    size_t count;
    bool asked; /* the effects are not the usual ones */
};

#define AT struct plan_request
static const struct field plan_fields[] = {
    FIELD_DOUBLE("--power", FIELD_IS_SHARE, AT, power),
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, AT, confidence),
    FIELD_TEXT("--like", AT, like),
    FIELD_TEXT("--store", AT, store),
    FIELD_TEXT("--export-json", AT, output.json),
    FIELD_FLAG("--no-color", AT, output.no_color),
    FIELD_END};
#undef AT

static enum duet_code append_next(struct text *text, const struct plan_request *request,
                                  struct store *store, const struct answer *answer,
                                  const struct model_planning *planning,
                                  struct duet_error *reterr)
{
    const struct next_command next = {
        .store = store,
        .store_option = request->store,
        .pilot = &answer->experiment,
        .amount = analysis_planning_next(planning, request->asked)};
    return next_command_append(text, &next, reterr);
}

static enum duet_code show(const struct plan_request *request, struct store *store,
                           const struct answer *answer,
                           const struct model_planning *planning,
                           struct duet_error *reterr)
{
    const struct output_options *output = &request->output;
    if (output->json != NULL) {
        enum duet_code code =
            file_write_json(output->json,
                            report_planning_json(document_context(answer),
                                                 answer->experiment.name, planning),
                            reterr);
        if (code != DUET_OK || output_takes_stdout(output)) {
            return code;
        }
    }
    struct report_style style = output_style(output);
    struct text text = {0};
    text_append_format(&text, "pilot: experiment %" PRId64 ", ", answer->experiment.id);
    display_append_clean(&text, answer->experiment.name, style.unicode);
    text_append(&text, "\n\n");
    report_planning_terminal(&text, planning, &style);
    enum duet_code code = append_next(&text, request, store, answer, planning, reterr);
    if (code != DUET_OK) {
        text_release(&text);
        return code;
    }
    return file_write_text("-", &text, reterr);
}

static enum duet_code plan(const struct plan_request *request, struct store *store,
                           const char *which, struct duet_error *reterr)
{
    struct answer answer = {0};
    struct model_pilot pilot = {0};
    struct model_planning planning = {0};
    enum duet_code code =
        store_experiment_find(store, which, &answer.experiment, reterr);
    if (code == DUET_OK) {
        code = pilot_read(store, &answer.experiment, &pilot, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_planning(&pilot, &request->analysis, request->power,
                                 request->effects, request->count, &planning, reterr);
    }
    if (code == DUET_OK) {
        code = show(request, store, &answer, &planning, reterr);
    }
    model_pilot_release(&pilot);
    answer_release(&answer);
    return code;
}

static enum duet_code take_effect(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct plan_request *request = context;
    const char *value = parsed->value;
    (void)id;
    if (request->count == MODEL_PLANNED_MAX) {
        return error_set(reterr, DUET_E_USAGE, "--effect is given more than %d times",
                         MODEL_PLANNED_MAX);
    }
    double effect = 0.0;
    enum duet_code code = parse_change(value, "--effect", &effect, reterr);
    if (code == DUET_OK && !(effect > 0.0)) {
        code =
            error_set(reterr, DUET_E_USAGE, "--effect %s: it must be above 0", value);
    }
    if (code == DUET_OK) {
        request->effects[request->count++] = effect;
    }
    return code;
}

/* which: an experiment that is named as well; NULL: none. */
static int like(const struct cli_command *command, const struct plan_request *request,
                const char *which)
{
    const struct plan_like planned = {.word = request->like,
                                      .store = request->store,
                                      .json = request->output.json,
                                      .effects = request->effects,
                                      .count = request->count,
                                      .found_least = request->power,
                                      .confidence = request->confidence};
    if (which != NULL) {
        return cli_usage(
            command, "unexpected argument '%s': --like plans from its data set", which);
    }
    if (planned.json != NULL && planned.count != 1) {
        return cli_usage(
            command, "--like with --export-json writes one plan: give one --effect");
    }
    return plan_like(&planned);
}

static int plan_main(const struct cli_command *command, int argc, char **argv)
{
    static const double usual[] = {0.005, 0.01, 0.02, 0.05};
    struct plan_request request = {.analysis = model_analysis_default(),
                                   .output = {.verbosity = 1}};
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take_effect, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        return cli_usage(command, "unexpected argument '%s'", operands[1]);
    }
    request.asked = request.count > 0;
    if (!request.asked) {
        memcpy(request.effects, usual, sizeof usual);
        request.count = sizeof usual / sizeof usual[0];
    }
    if (request.like != NULL) {
        return like(command, &request, count > 0 ? operands[0] : NULL);
    }
    request.power = request.power > 0.0 ? request.power : ANALYSIS_POWER;
    if (request.confidence > 0.0) {
        request.analysis.confidence = request.confidence;
    }
    struct store *store = NULL;
    struct duet_error error;
    enum duet_code code =
        output_check_files(&request.output.json, 1, request.store, &error);
    if (code == DUET_OK) {
        code = storage_open(request.store, false, &store, &error);
    }
    if (code == DUET_OK) {
        code = plan(&request, store, count > 0 ? operands[0] : "last", &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_plan = {
    .name = "plan",
    .synopsis = "[OPTIONS] [ID]",
    .summary = "find the iterations and runs that show a change soonest",
    .description =
        "Takes a stored experiment as pilot: ID as in 'duet show', by default the "
        "last. 'duet aa COMMAND' makes one. Splits the spread of its ratios into "
        "the spread between the iterations of a run and the spread between runs. "
        "Finds the cheapest number of iterations a run, and for each --effect how "
        "many runs see it and how long they take (Kalibera and Jones 2013).\n\n"
        "The pilot's times are taken as measured. Programs that ran beside it make "
        "the plan longer; the table of 'duet aa' subtracts the CPU time that they "
        "took.\n\n"
        "The last line is the 'duet run' to paste, for the first --effect, or for 1 "
        "%.",
    .options = plan_rows,
    .examples = CLI_EXAMPLES(
        {"Plan from the last experiment how to see changes of 1 and 2 %:",
         "duet plan --effect 1% --effect 2%"},
        {"Plan instances, trials and iterations from measurements of many machines:",
         "duet plan --like aws.csv --effect 5%"}),
    .operand = "last",
    .fields = plan_fields,
    .main = plan_main,
};
