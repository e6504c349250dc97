/* duet show ID: the answer of a stored experiment */
#include "base/alloc.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/gate_say.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/terminal.h"
#include "cli/watch/watch_show.h"
#include "figures/dataset_names.h"
#include "report/columns.h"
#include "report/display.h"
#include "session/comparison/answers.h"
#include "session/comparison/regions.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option show_rows[] = {
    ANALYSIS_OPTION_ROWS,    SHARED_OPTION_MULTIPLICITY_ROW,
    SHARED_OPTION_GATE_ROWS, SHARED_OPTION_STORE_READ_ROW,
    OUTPUT_OPTION_ROWS,      CLI_OPTION_END_ROWS};

struct show_request {
    struct model_analysis analysis;
    struct output_options output;
    struct analysis_overrides overrides;
    const char *store;
};

/* Commands and messages may hold anything, escape sequences too. */
static void print_clean(const char *lead, const char *string)
{
    (void)fputs(lead, stdout);
    terminal_print_clean(": ", string, "\n");
}

static void print_origin(const struct store_experiment *experiment, bool detailed)
{
    bool measured = experiment->host.host_name[0] != '\0';
    (void)printf("experiment %" PRId64 ", %s schedule, ", experiment->id,
                 model_schedule_name(experiment->schedule));
    if (measured) {
        (void)printf("%s mode, ", model_mode_name(experiment->mode));
        terminal_print_clean("on ", experiment->host.host_name, "\n");
    } else {
        (void)printf("imported\n");
    }
    if (detailed) {
        print_clean("uuid", experiment->uuid);
        (void)printf("seed: %" PRIu64 "\n", experiment->seed);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        print_clean(model_side_name((enum model_side)side), experiment->commands[side]);
    }
    if (experiment->message != NULL) {
        print_clean("it ended early", experiment->message);
    }
}

/* What a stored data set holds, a row an environment. */
static enum duet_code append_parts(struct text *text, struct store *store,
                                   const struct store_experiment *experiment,
                                   struct duet_error *reterr)
{
    static const int columns[] = {12, 12, 12, 12};
    struct store_dataset_part *parts = NULL;
    size_t count = 0;
    size_t width = strlen("environment");
    enum duet_code code =
        store_dataset_parts(store, experiment->id, &parts, &count, reterr);
    for (size_t i = 0; i < count; i++) {
        size_t name = display_clean_columns(parts[i].environment);
        width = name > width ? name : width;
    }
    if (code == DUET_OK) {
        dataset_name_append(text, "environment", width);
        columns_append(text, columns, "benchmarks\tinstances\ttrials\t%s\n",
                       experiment->dataset.paired ? "pairs" : "values");
    }
    for (size_t i = 0; i < count; i++) {
        dataset_name_append(text, parts[i].environment, width);
        columns_append(text, columns,
                       "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                       parts[i].benchmarks, parts[i].instances, parts[i].trials,
                       parts[i].iterations);
    }
    free(parts);
    return code;
}

/* What a data set holds, unless something else was asked for. */
static enum duet_code show_dataset(const struct show_request *request,
                                   struct store *store,
                                   const struct store_experiment *experiment,
                                   struct duet_error *reterr)
{
    const struct store_dataset *dataset = &experiment->dataset;
    const struct output_options *output = &request->output;
    struct text text = {0};
    if (output_has_export(output)) {
        return answer_needs_runs(experiment, reterr);
    }
    text_append_format(&text, "experiment %" PRId64 " (", experiment->id);
    display_append_clean(&text, experiment->uuid, terminal_is_utf8());
    text_append(&text, "), ");
    display_append_clean(&text, experiment->name, terminal_is_utf8());
    text_append(&text, ": a data set, imported\n");
    if (dataset->rows_read > 0) {
        text_append_format(&text,
                           "rows read: %" PRIu64 "; left out by --where: %" PRIu64
                           "; values missing: %" PRIu64 "\n",
                           dataset->rows_read, dataset->rows_filtered,
                           dataset->values_missing);
    }
    text_append_char(&text, '\n');
    enum duet_code code = append_parts(&text, store, experiment, reterr);
    text_append_format(&text, "\nduet study variability %" PRId64 " analyses it\n",
                       experiment->id);
    if (code == DUET_OK) {
        code = file_write_text("-", &text, reterr);
    }
    text_release(&text);
    return code;
}

/* Shows the data sets among them; *wanted is what remains. */
static enum duet_code show_datasets(const struct show_request *request,
                                    struct store *store, char **which, size_t *wanted,
                                    struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    size_t others = 0;
    for (size_t i = 0; i < *wanted && code == DUET_OK; i++) {
        struct store_experiment experiment;
        code = store_experiment_find(store, which[i], &experiment, reterr);
        if (code != DUET_OK) {
            return code;
        }
        if (experiment.dataset.trials > 0) {
            code = show_dataset(request, store, &experiment, reterr);
        } else {
            which[others++] = which[i];
        }
        store_experiment_release(&experiment);
    }
    *wanted = code == DUET_OK ? others : *wanted;
    return code;
}

/* Where the answer above comes from, or what has none. Errors but that it is not there
 * any more. */
static enum duet_code print_origins(const struct show_request *request,
                                    struct store *store, char *const *which,
                                    size_t count, bool answered,
                                    struct duet_error *reterr)
{
    bool wanted =
        request->output.verbosity > 0 && !output_takes_stdout(&request->output);
    for (size_t i = 0; wanted && i < count; i++) {
        struct store_experiment experiment;
        struct duet_error error;
        enum duet_code code =
            store_experiment_find(store, which[i], &experiment, &error);
        if (code == DUET_OK) {
            (void)fputs(answered || i > 0 ? "\n" : "", stdout);
            print_origin(&experiment, request->output.verbosity > 1);
            store_experiment_release(&experiment);
        } else if (code != DUET_E_NOT_FOUND) {
            return error_set(reterr, code, "%s", error.message);
        }
    }
    return DUET_OK;
}

static int show(const struct show_request *request, struct store *store,
                char *const *which, size_t count)
{
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    size_t made = 0;
    const size_t words = count;
    int64_t *named = NULL; /* with their companions */
    int64_t *ids = NULL;   /* and their regions */
    struct answer *answers = NULL;
    enum duet_code code = answers_find(store, which, words, &named, &count, &error);
    bool failed = false;
    if (code == DUET_OK) {
        code = regions_expand(store, named, count, &ids, &count, &error);
    }
    if (code == DUET_OK) {
        answers = alloc_array(count, sizeof *answers);
        code = answers == NULL ? error_no_memory(&error) : DUET_OK;
    }
    if (code == DUET_OK) {
        bool rows = output_has_export(&request->output);
        code = rows ? answers_recall_rows(store, ids, count, &request->overrides,
                                          answers, &error)
                    : answers_recall(store, ids, count, &request->overrides, answers,
                                     &error);
        made = code == DUET_OK ? count : 0;
    }
    if (code == DUET_OK) {
        code = output_answers(&request->output, store, answers, count, &error);
    }
    if (named != NULL) {
        enum duet_code origins =
            print_origins(request, store, which, words, code == DUET_OK,
                          code == DUET_OK ? &error : NULL);
        code = code == DUET_OK ? origins : code;
    }
    if (code == DUET_OK) {
        status = gate_say(answers, made, count > 1, request->output.verbosity == 0);
    }
    for (size_t i = 0; i < made; i++) {
        failed = failed || answers[i].comparison.verdict == MODEL_VERDICT_FAILED;
    }
    answers_free(answers, made);
    free(ids);
    free(named);
    status = failed ? CLI_EXIT_WORKLOAD : status;
    return code == DUET_OK ? status : cli_fail(&error);
}

/* Whether it is a watch, whose answer is no comparison; *ret_status: what to exit with
 * when it is. */
static bool show_watch(const struct show_request *request, struct store *store,
                       const char *which, int *ret_status)
{
    struct store_experiment experiment = {0};
    struct duet_error error = {0};
    const struct output_options *output = &request->output;
    bool is_watch = false;
    if (store_experiment_find(store, which, &experiment, &error) != DUET_OK ||
        store_watch_has(store, experiment.id, &is_watch, &error) != DUET_OK ||
        !is_watch) {
        store_experiment_release(&experiment);
        return false; /* what is wrong will be found again */
    }
    char number[32];
    (void)snprintf(number, sizeof number, "%" PRId64, experiment.id);
    store_experiment_release(&experiment);
    if (output_has_export(output)) {
        (void)error_set(
            &error, DUET_E_USAGE,
            "'%s' is a watch, not a comparison; show it with: duet watch --status "
            "%s --json",
            which, number);
        *ret_status = cli_fail(&error);
    } else {
        *ret_status = watch_show(store, number, false);
    }
    return true;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct show_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .output = &request->output,
                                          .overrides = &request->overrides,
                                          .store = &request->store};
    enum duet_code code = DUET_OK;
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

/* A watch, data sets or comparisons, whatever the words name. */
static int show_named(struct show_request *request, struct store *store, char **which,
                      size_t count)
{
    int status = CLI_EXIT_OK;
    struct duet_error error;
    if (count == 1 && show_watch(request, store, which[0], &status)) {
        return status;
    }
    if (show_datasets(request, store, which, &count, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    return count > 0 ? show(request, store, which, count) : status;
}

static int show_main(const struct cli_command *command, int argc, char **argv)
{
    struct show_request request = {.analysis = model_analysis_default(),
                                   .output = {.verbosity = 1}};
    static char last[] = "last";
    char *newest[] = {last};
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take_option, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    char **which = count > 0 ? operands : newest;
    status = show_named(&request, store, which, count > 0 ? (size_t)count : 1);
    store_close(store);
    return status;
}

const struct cli_command command_show = {
    .name = "show",
    .synopsis = "[OPTIONS] [ID...]",
    .summary = "show the answer of a stored experiment again",
    .description =
        "ID is a number from 'duet list', the beginning of a uuid (four characters "
        "or more), a name (the newest of that name), or 'last', the default. The "
        "raw data is analysed again, with the settings of the measurement. Options "
        "given here replace single settings for this output, and the output names "
        "them. Several experiments are shown in one table. Each keeps its verdict; "
        "--multiplicity judges them together. A watch (duet watch) is shown with "
        "its status, an imported data set with its contents.\n\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than "
        "--max-slowdown; 2 wrong usage, or no such experiment; 3 unsure, and "
        "--fail-on names it; 4 the command of an experiment had failed.",
    .options = show_rows,
    .examples = CLI_EXAMPLES(
        {"Show the last answer again, with all details:", "duet show last -v"},
        {"Show two experiments in one table, judged together:",
         "duet show 1 2 --multiplicity holm"},
        {"Write everything about an experiment as JSON:",
         "duet show 1 --export-json result.json"}),
    .operand = "last",
    .main = show_main,
};
