/* duet suite FILE.yaml */
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/suite/suite_carry.h"

enum suite_option {
    OPTION_ONLY = CLI_OPTION_FIRST,
    OPTION_LIST,
    OPTION_OLD,
    OPTION_NEW
};

static const struct cli_option suite_rows[] = {
    {"only", 0, "PATTERN", OPTION_ONLY,
     "Measure only benchmarks whose name, alone or with its parameters, matches the "
     "shell pattern (* ? [...]). May be repeated."},
    {"list", 'l', NULL, OPTION_LIST,
     "Show what would be measured, and measure nothing."},
    SUITE_OPTION_RESUME_ROW,
    {"old", 0, "VALUE", OPTION_OLD,
     "Replace {build} in the old side's commands by VALUE; NAME=VALUE replaces "
     "{NAME}. May be repeated."},
    {"new", 0, "VALUE", OPTION_NEW, "Do the same for the new side."},
    SUITE_OPTION_ROWS};

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct suite_command *suite = context;
    struct suite_request *request = &suite->request;
    switch (id) {
    case OPTION_ONLY:
        return suite_carry_only(suite, parsed->value, reterr);
    case OPTION_LIST:
        request->list = true;
        return DUET_OK;
    case OPTION_OLD:
    case OPTION_NEW:
        return suite_carry_set(suite, id == OPTION_OLD ? MODEL_OLD : MODEL_NEW,
                               parsed->value, reterr);
    default:
        return suite_carry_take(suite, parsed, id, reterr);
    }
}

static int suite_main(const struct cli_command *command, int argc, char **argv)
{
    struct suite_command suite = {.output = {.verbosity = 1}};
    struct suite_request *request = &suite.request;
    char **operands = NULL;
    int count = 0;
    struct duet_error error;
    run_request_init(&request->base);
    int status =
        cli_options_parse(command, argc, argv, take_option, &suite, &operands, &count);
    if (status < 0 && count != 1) {
        status = cli_usage(command,
                           count == 0 ? "expected a suite file: duet suite FILE.yaml"
                                      : "expected one suite file, got %d",
                           count);
    }
    if (status < 0 && suite_carry_check(&suite, &error) != DUET_OK) {
        status = cli_refuse(command, &error);
    }
    if (status < 0) {
        request->path = operands[0];
        status = suite_carry_out(&suite, -1);
    }
    suite_request_release(request);
    return status;
}

const struct cli_command command_suite = {
    .name = "suite",
    .measures = true,
    .synopsis = "[OPTIONS] FILE.yaml",
    .summary = "measure many benchmarks that a file describes",
    .description =
        "Measures every benchmark of the file, with every combination of its "
        "parameters, one after the other in random order. Shows one table, in which "
        "all verdicts are judged together. The page docs/suite.md explains the "
        "file.\n\n"
        "A benchmark that has one command and the same variables on both sides is "
        "compared with itself. Options override the file: --runs or --until replace "
        "its runs, until, min-runs and max-runs.\n\n"
        "A benchmark that fails does not stop the others. Finished benchmarks are "
        "in the store; after an interruption --resume goes on.\n\n"
        "Without a terminal, a line on standard error shows the verdict of each "
        "benchmark as it ends; --quiet leaves it out.\n\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than "
        "--max-slowdown; 2 wrong usage, or a mistake in the file; 3 unsure, and "
        "--fail-on names it; 4 a benchmark failed, whatever the others' verdicts "
        "are; 5 unsuitable machine; 130 interrupted.",
    .options = suite_rows,
    .examples = CLI_EXAMPLES(
        {"Show what would be measured:",
         "duet suite --list --old base --new head bench.yaml"},
        {"Compare two builds, and exit with 1 when a benchmark is surely slower:",
         "duet suite --old base --new head --fail-on slower bench.yaml"},
        {"Go on after an interruption:",
         "duet suite --old base --new head --resume bench.yaml"}),
    .operand = "FILE",
    .main = suite_main,
};
