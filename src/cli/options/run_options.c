#include "cli/options/run_options.h"

#include "cli/exit_codes.h"
#include "cli/options/command_option_rows.h"

const struct cli_option run_option_rows[] = {
    RUN_OPTION_AMOUNT_ROWS,  RUN_OPTION_MANNER_ROWS, RUN_OPTION_CARE_ROWS,
    RUN_OPTION_COMMAND_ROWS, RUN_OPTION_RESUME_ROW,  RUN_OPTION_EXIT_CODES_ROW,
    RUN_OPTION_ANSWER_ROWS,  BASELINE_OPTION_ROWS,   CLI_OPTION_END_ROWS};

void run_options_init(struct run_options *options)
{
    *options = (struct run_options){.output = {.verbosity = 1}};
    run_request_init(&options->request);
}

/* Options of several words, and what only the command line has. */
static enum duet_code take_own(struct run_request *request, struct cli_options *parsed,
                               int id, struct duet_error *reterr)
{
    const char *value = parsed->value;
    switch (id) {
    case RUN_OPTION_RESUME:
        request->resume = true;
        request->resumed = value;
        return DUET_OK;
    case RUN_OPTION_STEP:
        request->step = value;
        return DUET_OK;
    case RUN_OPTION_PARAMETER_LIST: {
        const char *values = cli_options_word(parsed);
        return values == NULL
                   ? DUET_E_USAGE
                   : parameter_add_list(&request->parameters, value, values, reterr);
    }
    case RUN_OPTION_PARAMETER_SCAN: {
        const char *low = cli_options_word(parsed);
        const char *high = low != NULL ? cli_options_word(parsed) : NULL;
        if (high != NULL && request->scan[0] != NULL) {
            return error_set(
                reterr, DUET_E_USAGE,
                "-P is given twice ('%s' and '%s'): list the values of one "
                "of them with -L",
                request->scan[0], value);
        }
        request->scan[0] = value;
        request->scan[1] = low;
        request->scan[2] = high;
        return high == NULL ? DUET_E_USAGE : DUET_OK;
    }
    default:
        return run_setting_take(request, parsed->name, value, reterr);
    }
}

enum duet_code run_options_take(void *context, struct cli_options *parsed, int id,
                                struct duet_error *reterr)
{
    struct run_options *options = context;
    struct run_request *request = &options->request;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .overrides = options->overrides,
                                          .output = &options->output,
                                          .store = &request->store,
                                          .seed = &request->plan.seed,
                                          .seed_given = &request->seed_given};
    if (id == CLI_OPTION_SETTING || id == SHARED_OPTION_SEED ||
        id == RUN_OPTION_PARAMETER_LIST || id == RUN_OPTION_PARAMETER_SCAN ||
        id == RUN_OPTION_STEP) {
        options->setting = parsed->name;
    }
    request->gate_given = request->gate_given || run_setting_is_gate(parsed->name);
    if (id == RUN_OPTION_EXIT_CODES) {
        return exit_codes_take(parsed->value, &options->git_bisect, reterr);
    }
    enum duet_code code = DUET_OK;
    return baseline_option_take(&options->baseline, parsed, id, &code, reterr) ||
                   shared_option_take(&shared, parsed, id, &code, reterr)
               ? code
               : take_own(request, parsed, id, reterr);
}

/* What was given instead of two commands. */
static int refuse_operands(const struct cli_command *command, char **operands,
                           int count)
{
    if (count == 1) {
        return cli_usage(command,
                         "expected OLD and NEW, got only '%s' (not a duet command)",
                         operands[0]);
    }
    return cli_usage(
        command,
        count < MODEL_SIDES
            ? "expected OLD and NEW, got %d commands"
            : "only two commands can be compared, got %d; quote each of them: duet 'old --option' 'new --option'",
        count);
}

/* Without commands: all is as it is stored. One word is the experiment. */
static int take_resumed(const struct cli_command *command, struct run_options *options,
                        char **operands, int count)
{
    struct run_request *request = &options->request;
    if (options->setting != NULL) {
        return cli_usage(
            command,
            "--resume without commands goes on as the experiment began: leave --%s out, "
            "or give both commands and all options that it began with",
            options->setting);
    }
    if (count == 1 && request->resumed != NULL) {
        return cli_usage(command, "--resume=%s and '%s': one experiment at a time",
                         request->resumed, operands[0]);
    }
    request->resumed = count == 1 ? operands[0] : request->resumed;
    return -1;
}

int run_options_parse(const struct cli_command *command, int argc, char **argv,
                      struct run_options *options)
{
    char **operands = NULL;
    int count = 0;
    run_options_init(options);
    int status = cli_options_parse(command, argc, argv, run_options_take, options,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    struct run_request *request = &options->request;
    if (request->resume && count < MODEL_SIDES) {
        return take_resumed(command, options, operands, count);
    }
    struct duet_error error;
    if (run_request_settle(&options->request, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    if (count != MODEL_SIDES) {
        return refuse_operands(command, operands, count);
    }
    if (request->resume && parameter_combinations(&request->parameters) > 1) {
        return cli_usage(
            command,
            "--resume goes on with one experiment, and these options describe %zu; "
            "name it and leave the rest out: duet run --resume=ID",
            parameter_combinations(&request->parameters));
    }
    request->commands[MODEL_OLD] = operands[0];
    request->commands[MODEL_NEW] = operands[1];
    return -1;
}
