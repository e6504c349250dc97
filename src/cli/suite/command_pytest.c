/* duet pytest OLD_VENV NEW_VENV [-- WORDS] */
#include "base/alloc.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options/option.h"
#include "cli/suite/suite_carry.h"
#include "cli/terminal_listener.h"
#include "measure/hook.h"
#include "report/quote.h"
#include "session/scratch.h"
#include "session/suite/benchmark_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_ONLY = CLI_OPTION_FIRST };

static const struct cli_option pytest_rows[] = {
    {"only", 0, "PATTERN", OPTION_ONLY,
     "Measure only tests whose name matches the shell pattern (* ? [...]). May be repeated."},
    SUITE_OPTION_ROWS};

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct suite_command *suite = context;
    return id == OPTION_ONLY ? suite_carry_only(suite, parsed->value, reterr)
                             : suite_carry_take(suite, parsed, id, reterr);
}

/* Of one side: the plugin of bindings/python writes the tests to the file of DUET_LIST
 * and executes none of them, of which pytest says 5. Parameters: the list, the
 * environment, words of pytest. */
static const char script[] =
    "set -eu\n"
    "list=$1 venv=$2 python=$2/bin/python tab=$(printf '\\t')\n"
    "shift 2\n"
    "\"$python\" -c 'import duet.pytest_plugin, pytest_benchmark' || {\n"
    "    echo \"$venv has not all of pytest, pytest-benchmark and duet-harness: install them with"
    " $python -m pip install pytest-benchmark FOLDER_OF_DUET/bindings/python\" >&2\n"
    "    exit 1\n"
    "}\n"
    "status=0\n"
    "told=$(DUET_LIST=$list.found \"$python\" -m pytest -q \"$@\" 2>&1) || status=$?\n"
    "[ $status = 0 ] || [ $status = 5 ] || { printf '%s\\n' \"$told\" >&2; exit $status; }\n"
    "[ -e \"$list.found\" ] || exit 0\n"
    "while IFS=$tab read -r name words; do\n"
    "    printf \"%s\\tenv '%s' -m pytest %s\\n\" \"$name\" \"$python\" \"$words\"\n"
    "done <\"$list.found\" >\"$list\"\n";

struct pytest {
    struct suite_command suite;
    char *venvs[MODEL_SIDES]; /* borrowed */
    struct text words;        /* of pytest, for a shell */
};

static enum duet_code list_tests(const struct pytest *pytest, const char *path,
                                 enum model_side side, int cancel_fd,
                                 struct duet_error *reterr)
{
    struct text command = {0};
    text_append(&command, "set --");
    const char *const words[] = {path, pytest->venvs[side]};
    for (size_t i = 0; i < 2; i++) {
        text_append_char(&command, ' ');
        quote_append_shell(&command, words[i]);
    }
    text_append_format(&command, "%s\n%s", text_string(&pytest->words), script);
    enum duet_code code = text_failed(&command)
                              ? error_no_memory(reterr)
                              : hook_shell(text_string(&command), "listing the tests",
                                           NULL, cancel_fd, reterr);
    text_release(&command);
    /* Without the script, which is not the user's. */
    return code != DUET_E_WORKLOAD
               ? code
               : error_set(
                     reterr, code,
                     "the tests in '%s' cannot be listed: the reason stands above",
                     pytest->venvs[side]);
}

static enum duet_code check_venv(const char *venv, struct duet_error *reterr)
{
    char *python = alloc_format("%s/bin/python", venv);
    enum duet_code code =
        python == NULL ? error_no_memory(reterr)
        : access(python, X_OK) != 0
            ? error_set_errno(
                  reterr, DUET_E_NOT_FOUND, errno,
                  "'%s' is no virtual environment, as 'python3 -m venv' makes "
                  "one: cannot execute '%s'",
                  venv, python)
            : DUET_OK;
    free(python);
    return code;
}

static int measure(struct pytest *pytest, const char *scratch,
                   const struct listener *listener, int cancel_fd)
{
    struct duet_error error = {0};
    struct benchmark_lists lists = {
        .suite = "pytest",
        .hint = "no test that was selected uses the fixture 'benchmark'"};
    char *suite = alloc_format("%s/pytest.yaml", scratch);
    char *paths[MODEL_SIDES] = {NULL, NULL};
    enum duet_code code = suite == NULL ? error_no_memory(&error) : DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        paths[side] =
            alloc_format("%s/%s", scratch, model_side_name((enum model_side)side));
        lists.paths[side] = paths[side];
        lists.labels[side] = pytest->venvs[side];
        code = paths[side] == NULL
                   ? error_no_memory(&error)
                   : list_tests(pytest, paths[side], (enum model_side)side, cancel_fd,
                                &error);
    }
    if (code == DUET_OK) {
        code = benchmark_list_suite(&lists, suite, listener, &error);
    }
    pytest->suite.request.path = suite;
    int status =
        code == DUET_OK ? suite_carry_out(&pytest->suite, cancel_fd) : cli_fail(&error);
    free(paths[MODEL_OLD]);
    free(paths[MODEL_NEW]);
    free(suite);
    return status;
}

static int with_scratch(struct pytest *pytest)
{
    struct duet_error error = {0};
    struct scratch scratch = {.fd = -1};
    struct interrupt interrupt;
    const struct listener *listener =
        terminal_listener(pytest->suite.output.verbosity > 0);
    if (interrupt_open(&interrupt, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = scratch_make(&scratch, &error) == DUET_OK
                     ? measure(pytest, scratch.path, listener, interrupt.cancel_fd)
                     : cli_fail(&error);
    scratch_remove(&scratch, listener);
    interrupt_close(&interrupt);
    return status;
}

static int parse(const struct cli_command *command, int argc, char **argv,
                 struct pytest *pytest)
{
    char **operands = NULL;
    int count = 0;
    int dashes = 1;
    struct duet_error error;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0) {
        dashes++;
    }
    int status = cli_options_parse(command, dashes, argv, take_option, &pytest->suite,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count < MODEL_SIDES) {
        return cli_usage(command,
                         "expected two virtual environments: duet pytest old new "
                         "bench.py");
    }
    if (suite_carry_check(&pytest->suite, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    pytest->venvs[MODEL_OLD] = operands[MODEL_OLD];
    pytest->venvs[MODEL_NEW] = operands[MODEL_NEW];
    for (int i = MODEL_SIDES; i < count; i++) {
        text_append_char(&pytest->words, ' ');
        quote_append_shell(&pytest->words, operands[i]);
    }
    for (int i = dashes + 1; i < argc; i++) {
        text_append_char(&pytest->words, ' ');
        quote_append_shell(&pytest->words, argv[i]);
    }
    return -1;
}

static int pytest_main(const struct cli_command *command, int argc, char **argv)
{
    struct pytest pytest = {.suite = {.output = {.verbosity = 1}}};
    struct duet_error error;
    run_request_init(&pytest.suite.request.base);
    int status = parse(command, argc, argv, &pytest);
    for (int side = 0; side < MODEL_SIDES && status < 0; side++) {
        status =
            check_venv(pytest.venvs[side], &error) == DUET_OK ? -1 : cli_fail(&error);
    }
    if (status < 0) {
        status = with_scratch(&pytest);
    }
    suite_request_release(&pytest.suite.request);
    text_release(&pytest.words);
    return status;
}

const struct cli_command command_pytest = {
    .name = "pytest",
    .measures = true,
    .synopsis = "[OPTIONS] OLD_VENV NEW_VENV [WORDS OF pytest | -- WORDS]",
    .summary = "compare pytest-benchmark's tests in two environments",
    .description =
        "Runs the tests that use the fixture 'benchmark' in two virtual environments, which "
        "have two releases of a package, or two interpreters. Each test that both have is "
        "compared by its name, in one table. The tests stay as they are: the plugin of "
        "bindings/python, installed into both environments, makes them take part.\n\n"
        "Words behind the environments are pytest's. Options of pytest stand behind --.\n\n"
        "Exit status: as of duet suite; 4 also when pytest cannot collect the tests.",
    .options = pytest_rows,
    .examples = CLI_EXAMPLES(
        {"Compare two releases of a package, each in an environment of its own:",
         "duet pytest venv-1.0 venv-2.0 bench.py"},
        {"Compare only some of the tests:",
         "duet pytest --only '*parse*' old new -- tests/bench -k 'not slow'"}),
    .operand = "DIR",
    .main = pytest_main,
};
