/* duet show ID: the answer of a stored experiment */
#include "cli/analysis_option.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/storage.h"

#include <inttypes.h>
#include <stdio.h>

enum show_option { OPTION_STORE = CLI_OPTION_FIRST };

static const struct cli_option show_rows[] = {
    ANALYSIS_OPTION_ROWS,
    {"store", 0, "PATH", OPTION_STORE,
     "The database. Default: .duet/results.db in the nearest parent folder that has "
     "one."},
    OUTPUT_OPTION_ROWS,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct show_request {
    struct analysis_options analysis;
    struct output_options output;
    const char *store;
    const char *which;
};

static void print_origin(const struct store_experiment *experiment)
{
    (void)printf("experiment %" PRId64 " (%s), %s schedule, ", experiment->id,
                 experiment->uuid, model_schedule_name(experiment->schedule));
    if (experiment->host.host_name[0] != '\0') {
        (void)printf("%s mode, seed %" PRIu64 ", on %s\n",
                     model_mode_name(experiment->mode), experiment->seed,
                     experiment->host.host_name);
    } else {
        (void)printf("imported, seed %" PRIu64 "\n", experiment->seed);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        (void)printf("%s: %s\n", model_side_name((enum model_side)side),
                     experiment->commands[side]);
    }
    if (experiment->message != NULL) {
        (void)printf("it ended early: %s\n", experiment->message);
    }
    (void)printf("\n");
}

static int show(const struct show_request *request, struct store *store)
{
    struct store_experiment experiment;
    struct duet_error error;
    if (store_experiment_find(store, request->which, &experiment, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    struct analysis_options options = request->analysis;
    options.seed = experiment.seed; /* the same bootstrap as when it was measured */
    int64_t id = experiment.id;
    if (request->output.verbosity > 0 && !output_takes_stdout(&request->output)) {
        print_origin(&experiment);
    }
    store_experiment_release(&experiment);
    struct answer answer;
    if (answer_make(store, id, &options, &answer, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    if (output_answers(&request->output, store, &answer, 1, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    answer_release(&answer);
    return status;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct show_request *request = context;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    if (id == OPTION_STORE) {
        request->store = value;
    } else if (!output_option_take(&request->output, id, value, &code, reterr)) {
        (void)analysis_option_take(&request->analysis, id, value, &code, reterr);
    }
    return code;
}

static int show_main(const struct cli_command *command, int argc, char **argv)
{
    struct show_request request = {.analysis = analysis_options_default(),
                                   .output = {.verbosity = 1}};
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take_option, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        return cli_usage(command, "'%s' is one word too many", operands[1]);
    }
    request.which = count == 1 ? operands[0] : "last";
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = show(&request, store);
    store_close(store);
    return status;
}

const struct cli_command command_show = {
    .name = "show",
    .synopsis = "[OPTIONS] [ID]",
    .summary = "show the answer of a stored experiment again",
    .description =
        "ID is a number from 'duet list', the beginning of a uuid (four characters or "
        "more), a name (the newest of that name), or 'last', the default. The analysis "
        "is "
        "made anew from the raw data, so that other options can be tried, and "
        "everything "
        "can be exported.",
    .options = show_rows,
    .main = show_main,
};
