/* duet history [BENCHMARK] */
#include "base/field.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/history/history_export.h"
#include "cli/history/history_words.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "session/storage.h"

#include <stdlib.h>

static const struct cli_option history_rows[] = {
    {"reference", 0, "COMMIT", CLI_OPTION_SETTING,
     "Show ratios to this commit. Default: the oldest measured one."},
    {"branch", 0, "REV", CLI_OPTION_SETTING,
     "Show the commits of this branch, by first parents. Default: HEAD."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the intervals. Default: 0.99."},
    {"error", 0, "P", CLI_OPTION_SETTING,
     "Find a change in a history without any with at most this probability. Default: "
     "0.01."},
    {"least-change", 0, "P", CLI_OPTION_SETTING,
     "Leave out changes below P. Default: 0.5%."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N random orders for a p value. Default: 9999."},
    {"seed", 0, "N", CLI_OPTION_SETTING, "Seed the random orders. Default: 1."},
    {"export-json", 0, "FILE", CLI_OPTION_SETTING,
     "Write commits and changes as JSON to FILE ('-': standard output)."},
    {"export-csv", 0, "FILE", CLI_OPTION_SETTING,
     "Write one benchmark's commits as CSV for Apache Otava to FILE."},
    {"export-svg", 0, "FILE", CLI_OPTION_SETTING, "Draw the history into FILE."},
    SHARED_OPTION_STORE_READ_ROW,
    {"no-color", 0, NULL, OUTPUT_OPTION_NO_COLOR,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

struct history_command {
    struct history_request request;
    struct output_options output;
    const char *store;
    const char *csv;
    const char *svg;
    const char *json;
};

#define AT struct history_command
static const struct field history_fields[] = {
    FIELD_TEXT("--reference", AT, request.reference),
    FIELD_TEXT("--branch", AT, request.branch),
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, AT, request.options.confidence),
    FIELD_DOUBLE("--error", FIELD_IS_SHARE, AT, request.options.error),
    FIELD_DOUBLE("--least-change", FIELD_IS_CHANGE, AT, request.options.least),
    FIELD_SIZE("--replicates", AT, request.options.replicates, 99, 10000000),
    FIELD_WHOLE("--seed", AT, request.options.seed, 0, INT64_MAX),
    FIELD_TEXT("--export-json", AT, json),
    FIELD_TEXT("--export-csv", AT, csv),
    FIELD_TEXT("--export-svg", AT, svg),
    FIELD_END};
#undef AT

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct history_command *history = context;
    const struct shared_options shared = {.output = &history->output,
                                          .store = &history->store};
    enum duet_code code = DUET_OK;
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

static enum duet_code show(const struct history_command *history,
                           const struct history_set *set, struct duet_error *reterr)
{
    const struct report_style style = output_style(&history->output);
    struct text text = {0};
    for (size_t i = 0; i < set->benchmark_count; i++) {
        history_append_benchmark(&text, set, &set->benchmarks[i],
                                 set->benchmark_count > 1, &style);
        text_append(&text, i + 1 < set->benchmark_count ? "\n" : "");
    }
    history_append_notes(&text, set);
    return file_write_text("-", &text, reterr);
}

static enum duet_code show_and_export(const struct history_command *history,
                                      const struct history_set *set,
                                      struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (!file_is_stdout(history->json) && !file_is_stdout(history->csv) &&
        !file_is_stdout(history->svg)) {
        code = show(history, set, reterr);
    }
    if (code == DUET_OK && history->json != NULL) {
        code =
            history_export_json(history->json, set, &history->request.options, reterr);
    }
    if (code == DUET_OK && history->csv != NULL) {
        code = history_export_csv(history->csv, set, reterr);
    }
    if (code == DUET_OK && history->svg != NULL) {
        code = history_export_svg(history->svg, set,
                                  history->request.options.confidence, reterr);
    }
    return code;
}

/* In no repository, or without git, the commits' times have to do; a branch is there
 * none. */
static enum duet_code open_repo(const char *branch, struct git_repo *repo,
                                const struct git_repo **ret_repo,
                                struct duet_error *reterr)
{
    struct duet_error error = {0};
    enum duet_code code = git_open(repo, &error);
    *ret_repo = code == DUET_OK ? repo : NULL;
    return code == DUET_OK || branch == NULL
               ? DUET_OK
               : error_set(reterr, code, "--branch %s: %s", branch, error.message);
}

static int tell(const struct history_command *history)
{
    struct git_repo repo = {.cancel_fd = -1};
    const struct git_repo *here = NULL;
    struct history_set set = {0};
    struct store *store = NULL;
    struct duet_error error = {0};
    enum duet_code code = storage_open(history->store, false, &store, &error);
    if (code == DUET_OK) {
        code = open_repo(history->request.branch, &repo, &here, &error);
    }
    if (code == DUET_OK) {
        code = history_set_load(store, here, &history->request, &set, &error);
    }
    if (code == DUET_OK) {
        code = show_and_export(history, &set, &error);
    }
    history_set_release(&set);
    git_close(&repo);
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static int history_main(const struct cli_command *command, int argc, char **argv)
{
    struct history_command history = {.request.options = {.confidence = 0.99,
                                                          .error = 0.01,
                                                          .least = 0.005,
                                                          .replicates = 9999,
                                                          .seed = 1},
                                      .output = {.verbosity = 1}};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &history, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count > 1) {
        return cli_usage(command, "unexpected argument '%s'", operands[1]);
    }
    struct duet_error error;
    if (history_request_check(&history.request, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    const char *const exports[] = {history.json, history.csv, history.svg};
    if (output_check_files(exports, sizeof exports / sizeof exports[0], history.store,
                           &error) != DUET_OK) {
        return cli_fail(&error);
    }
    history.request.benchmark = count > 0 ? operands[0] : NULL;
    return tell(&history);
}

const struct cli_command command_history = {
    .name = "history",
    .synopsis = "[OPTIONS] [BENCHMARK]",
    .summary = "a benchmark's speed over commits, and where it changed",
    .description =
        "Shows the commits that 'duet git', 'duet git --suite' and 'duet bisect' have compared, each with "
        "its ratio to a reference commit and an interval. Ratios add up through the stored comparisons: "
        "every commit may have been compared with the one before it, all with one, or any mixture. "
        "Commits that nothing connects are separate pieces.\n"
        "\n"
        "BENCHMARK is a benchmark's name, a part of it or a shell pattern. Several benchmarks have a line "
        "each, with their changes; one has a table of its commits.\n"
        "\n"
        "A change is a step of the level that lasts for three commits or more. In a history without "
        "changes one is found with at most --error probability. One or two commits far off are "
        "a spike, or, among the newest, too few to tell.\n"
        "\n"
        "Inside the repository the order is that of git log --first-parent; elsewhere that of the commits' "
        "times.",
    .options = history_rows,
    .fields = history_fields,
    .examples = CLI_EXAMPLES(
        {"Show what 'duet git' has measured, and where the speed changed:",
         "duet history"},
        {"Draw one benchmark's history since a release:",
         "duet history --reference v1.0 --export-svg history.svg ./bench"}),
    .operand = "BENCHMARK",
    .main = history_main,
};
