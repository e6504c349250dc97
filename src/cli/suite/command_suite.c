/* duet suite FILE.yaml */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/run_option_rows.h"
#include "cli/shared_option.h"
#include "cli/suite/suite_list.h"
#include "cli/suite/suite_show.h"
#include "cli/terminal_listener.h"
#include "session/scratch.h"
#include "session/suite/suite_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum suite_option {
    OPTION_ONLY = CLI_OPTION_FIRST,
    OPTION_LIST,
    OPTION_RESUME,
    OPTION_OLD,
    OPTION_NEW
};

static const struct cli_option suite_rows[] = {
    {"only", 0, "PATTERN", OPTION_ONLY,
     "Only benchmarks whose name, alone or with its parameters, matches the pattern (* ? "
     "[...], as the shell's). Several add up."},
    {"list", 'l', NULL, OPTION_LIST,
     "Show what would be measured, and measure nothing."},
    {"resume", 0, NULL, OPTION_RESUME,
     "Go on with the suite's last run in the store: "
     "what it has finished is taken from there, as long as the file says the same of it."},
    {"old", 0, "VALUE", OPTION_OLD,
     "What {build} stands for in the old side's commands; NAME=VALUE: what {NAME} does. Several add up."},
    {"new", 0, "VALUE", OPTION_NEW, "The same for the new side."},
    RUN_OPTION_AMOUNT_ROWS,
    RUN_OPTION_MANNER_ROWS,
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "Seed of all random choices: order of the benchmarks, assignment to CPUs, bootstrap. Default: "
     "the file's, else drawn; kept with the results."},
    ANALYSIS_OPTION_ROWS,
    SHARED_OPTION_MULTIPLICITY_ROW,
    SHARED_OPTION_GATE_ROWS,
    {"store", 0, "PATH", SHARED_OPTION_STORE,
     "The database that keeps what was measured, or 'none'. Default: "
     ".duet/results.db in the nearest parent folder that has one, else in this one."},
    OUTPUT_OPTION_ROWS,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct suite_command {
    struct suite_request request;
    struct output_options output;
};

static enum duet_code add_word(const char ***words, size_t *count, const char *word,
                               struct duet_error *reterr)
{
    const char **grown = alloc_resize((void *)*words, *count + 1, sizeof **words);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    grown[(*count)++] = word;
    *words = grown;
    return DUET_OK;
}

/* A setting is judged once by itself, before it is put over those of the file. */
static enum duet_code take_override(struct suite_request *request, const char *name,
                                    const char *value, struct duet_error *reterr)
{
    enum duet_code code = run_setting_take(&request->base, name, value, reterr);
    struct suite_override *grown =
        code != DUET_OK ? NULL
                        : alloc_resize(request->overrides, request->override_count + 1,
                                       sizeof *grown);
    if (code == DUET_OK && grown == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        grown[request->override_count++] =
            (struct suite_override){.name = name, .value = value};
        request->overrides = grown;
    }
    return code;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct suite_command *suite = context;
    struct suite_request *request = &suite->request;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_ONLY:
        return add_word(&request->only, &request->only_count, parsed->value, reterr);
    case OPTION_LIST:
        request->list = true;
        return DUET_OK;
    case OPTION_RESUME:
        request->resume = true;
        return DUET_OK;
    case OPTION_OLD:
    case OPTION_NEW: {
        int side = id == OPTION_OLD ? MODEL_OLD : MODEL_NEW;
        return add_word(&request->sides[side], &request->side_counts[side],
                        parsed->value, reterr);
    }
    case SHARED_OPTION_STORE:
        request->base.store = parsed->value;
        return DUET_OK;
    case SHARED_OPTION_SEED:
        request->seed_given = true;
        break;
    default:
        break;
    }
    return output_option_take(&suite->output, id, parsed->value, &code, reterr)
               ? code
               : take_override(request, parsed->name, parsed->value, reterr);
}

/* The file's absolute path, and its folder; of standard input the current one. */
static enum duet_code find_file(const char *path, char **ret_path, char **ret_folder,
                                struct duet_error *reterr)
{
    bool piped = strcmp(path, "-") == 0;
    char *whole = realpath(piped ? "." : path, NULL);
    if (whole == NULL) {
        return error_set_errno(reterr, errno == ENOENT ? DUET_E_NOT_FOUND : DUET_E_IO,
                               errno, "cannot open '%s'", path);
    }
    char *slash = strrchr(whole, '/');
    size_t length = slash == whole ? 1 : (size_t)(slash - whole);
    *ret_folder = piped ? alloc_string(whole) : alloc_string_n(whole, length);
    *ret_path = whole;
    return *ret_folder == NULL ? error_no_memory(reterr) : DUET_OK;
}

static int carry_out(const struct suite_command *command,
                     const struct suite_folders *folders, const char *path,
                     int cancel_fd)
{
    const struct suite_request *request = &command->request;
    struct suite_plan plan;
    struct duet_error error = {0};
    enum duet_code code = suite_plan_make(request, folders, &plan, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    if (!request->list) {
        status = suite_show_run(request, &plan, &command->output, path, cancel_fd);
    } else if (suite_list_print(&plan, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    suite_plan_release(&plan);
    return status;
}

/* With a scratch folder, which a signal must not leave behind. */
static int measure(const struct suite_command *command, struct suite_folders *folders,
                   const char *path)
{
    struct duet_error error = {0};
    struct scratch scratch = {.fd = -1};
    struct interrupt interrupt;
    enum duet_code code = interrupt_open(&interrupt, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    code = scratch_make(&scratch, &error);
    folders->scratch = scratch.path;
    if (code == DUET_OK) {
        code = scratch_plain(&scratch, &folders->suite, &error);
    }
    int status = code == DUET_OK
                     ? carry_out(command, folders, path, interrupt.cancel_fd)
                     : cli_fail(&error);
    scratch_remove(&scratch, terminal_listener(false));
    interrupt_close(&interrupt);
    return status;
}

static int suite_run(const struct suite_command *command)
{
    const struct suite_request *request = &command->request;
    char *path = NULL;
    struct suite_folders folders = {.scratch = "{scratch}"}; /* as a list shows it */
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    enum duet_code code = find_file(request->path, &path, &folders.suite, &error);
    if (code != DUET_OK) {
        status = cli_fail(&error);
    } else if (request->list) {
        status = carry_out(command, &folders, path, -1);
    } else {
        status = measure(command, &folders, path);
    }
    free(folders.suite);
    free(path);
    return status;
}

static int suite_main(const struct cli_command *command, int argc, char **argv)
{
    struct suite_command suite = {.output = {.verbosity = 1}};
    struct suite_request *request = &suite.request;
    char **operands = NULL;
    int count = 0;
    run_request_init(&request->base);
    int status =
        cli_options_parse(command, argc, argv, take_option, &suite, &operands, &count);
    if (status < 0 && count != 1) {
        status = cli_usage(
            command,
            count == 0 ? "name the suite's file" : "one file is wanted, not %d", count);
    }
    bool unstored =
        request->base.store != NULL && strcmp(request->base.store, "none") == 0;
    if (status < 0 && request->resume && unstored) {
        status = cli_usage(command, "--resume needs a store, not --store none");
    }
    if (status < 0) {
        request->path = operands[0];
        status = suite_run(&suite);
    }
    suite_request_release(request);
    return status;
}

static const struct cli_example suite_examples[] = {
    {"Show what would be measured:",
     "duet suite --list --old base --new head bench.yaml"},
    {"Compare two builds, and exit with 1 when a benchmark is surely slower:",
     "duet suite --old base --new head --fail-on slower bench.yaml"},
    {"Go on after an interruption:",
     "duet suite --old base --new head --resume bench.yaml"},
    {NULL, NULL}};

const struct cli_command command_suite = {
    .name = "suite",
    .measures = true,
    .synopsis = "[OPTIONS] FILE.yaml",
    .summary = "measure many benchmarks that a file describes",
    .description =
        "Measures every benchmark of the file, with every combination of its parameters, "
        "one after the other in random order, and shows one table, "
        "in which all verdicts are judged together. docs/suite.md explains the file.\n"
        "\n"
        "A benchmark that has one command and the same variables on both sides is compared with itself. "
        "Options stand above what the file says: with --runs or --until its runs, until, "
        "min-runs and max-runs are put aside.\n"
        "\n"
        "A benchmark that fails does not keep the others from being measured. "
        "What is finished is in the store; after an interruption --resume goes on.\n"
        "\n"
        "Without a terminal, a line on standard error says when a benchmark has ended and what came of it; "
        "--quiet leaves it out.\n"
        "\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than --max-slowdown; "
        "2 wrong usage, or a mistake in the file; 3 unsure, and --fail-on names it; "
        "4 a benchmark failed, whatever the others' verdicts are; 5 this machine cannot do it; "
        "130 interrupted.",
    .options = suite_rows,
    .examples = suite_examples,
    .operand = "FILE",
    .main = suite_main,
};
