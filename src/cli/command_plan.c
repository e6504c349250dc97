/* duet plan ID: how to spend the time of the next experiments */
#include "analysis/plan/plan_runs.h"
#include "base/file.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/json_file.h"
#include "cli/option.h"
#include "cli/plan_like.h"
#include "cli/shared_option.h"
#include "report/spending.h"
#include "session/comparison/answer.h"
#include "session/comparison/pilot_read.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum plan_option {
    OPTION_EFFECT = CLI_OPTION_FIRST,
    OPTION_POWER,
    OPTION_CONFIDENCE,
    OPTION_LIKE,
    OPTION_JSON,
    OPTION_NO_COLOR
};

static const struct cli_option plan_rows[] = {
    {"effect", 0, "P", OPTION_EFFECT,
     "A change to be seen, such as 1%; up to eight times. Default: 0.5, 1, 2 and 5 %."},
    {"power", 0, "P", OPTION_POWER,
     "In which share of experiments it is to be seen. Default: 0.9."},
    {"confidence", 0, "P", OPTION_CONFIDENCE,
     "Confidence of those experiments' intervals. Default: 0.99."},
    {"like", 0, "DATA", OPTION_LIKE,
     "Plan instances, trials and iterations from a data set of many instances (a file, "
     "or an import) instead: 'duet study planning' (which has more options), once for each --effect."},
    SHARED_OPTION_STORE_READ_ROW,
    {"export-json", 0, "FILE", OPTION_JSON,
     "Write the plan as JSON to FILE ('-': standard output)."},
    {"no-color", 0, NULL, OPTION_NO_COLOR,
     "No colours (so does the variable NO_COLOR). Default: on a terminal."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct plan_request {
    struct model_analysis analysis;
    struct output_options output;
    const char *store;
    const char *like;
    double power;
    double effects[MODEL_PLANNED_MAX];
    size_t count;
};

static enum duet_code show(const struct plan_request *request,
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
    text_append_format(&text, "pilot: experiment %" PRId64 ", %s\n\n",
                       answer->experiment.id, answer->experiment.name);
    report_planning_terminal(&text, planning, &style);
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
        code = show(request, &answer, &planning, reterr);
    }
    model_pilot_release(&pilot);
    answer_release(&answer);
    return code;
}

/* A fraction in (0, 1). */
static enum duet_code take_share(const char *value, const char *option, double *ret,
                                 struct duet_error *reterr)
{
    double share = 0.0;
    enum duet_code code = parse_fraction(value, option, &share, reterr);
    if (code == DUET_OK && !(share > 0.0 && share < 1.0)) {
        code = error_set(reterr, DUET_E_USAGE, "%s %s: it must lie between 0 and 1",
                         option, value);
    }
    *ret = code == DUET_OK ? share : *ret;
    return code;
}

static enum duet_code take_effect(struct plan_request *request, const char *value,
                                  struct duet_error *reterr)
{
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

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct plan_request *request = context;
    const struct shared_options shared = {.store = &request->store};
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_EFFECT:
        return take_effect(request, value, reterr);
    case OPTION_POWER:
        return take_share(value, "--power", &request->power, reterr);
    case OPTION_CONFIDENCE:
        return take_share(value, "--confidence", &request->analysis.confidence, reterr);
    case OPTION_LIKE:
        request->like = value;
        return DUET_OK;
    case OPTION_JSON:
        request->output.json = value;
        return DUET_OK;
    case OPTION_NO_COLOR:
        request->output.no_color = true;
        return DUET_OK;
    default:
        (void)shared_option_take(&shared, parsed, id, &code, reterr);
        return code;
    }
}

static int plan_main(const struct cli_command *command, int argc, char **argv)
{
    static const double usual[] = {0.005, 0.01, 0.02, 0.05};
    struct plan_request request = {
        .analysis = model_analysis_default(), .output = {.verbosity = 1}, .power = 0.9};
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take_option, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        return cli_usage(command, "unexpected argument '%s'", operands[1]);
    }
    if (request.count == 0) {
        memcpy(request.effects, usual, sizeof usual);
        request.count = sizeof usual / sizeof usual[0];
    }
    if (request.like != NULL) {
        return plan_like(request.like, request.store, request.effects, request.count,
                         request.power);
    }
    struct store *store = NULL;
    struct duet_error error;
    enum duet_code code = storage_open(request.store, false, &store, &error);
    if (code == DUET_OK) {
        code = plan(&request, store, count > 0 ? operands[0] : "last", &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_plan = {
    .name = "plan",
    .synopsis = "[OPTIONS] [ID]",
    .summary = "how many iterations and runs show a change soonest",
    .description =
        "Takes a stored experiment as pilot ('duet aa COMMAND' makes one; ID as in 'duet show', default: "
        "the last), parts the spread of its ratios into that between the iterations of a run and that "
        "between runs, and tells the cheapest number of iterations a run, "
        "and for each --effect how many runs see it and how long they take (Kalibera and Jones 2013).\n"
        "\n"
        "'duet run -I ITERATIONS -r RUNS' does what it says.",
    .options = plan_rows,
    .main = plan_main,
};
