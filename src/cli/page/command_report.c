/* duet report ID...: stored comparisons as a page, or as a folder of pages */
#include "base/alloc.h"
#include "base/field.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/page/page_write.h"
#include "cli/page/site_write.h"
#include "session/comparison/answers.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct cli_option report_rows[] = {
    {"output", 'o', "FILE", CLI_OPTION_SETTING,
     "Write the page to FILE ('-': standard output). Default: duet-report.html."},
    {"site", 0, "DIR", CLI_OPTION_SETTING,
     "Write a folder instead: a page for each experiment, or for those that were "
     "measured together, and index.html with all, newest first. Without ID: of the "
     "whole store."},
    {"title", 0, "TEXT", CLI_OPTION_SETTING,
     "Use this heading. Default: the benchmark's name, or how many there are."},
    ANALYSIS_OPTION_ROWS,
    SHARED_OPTION_MULTIPLICITY_ROW,
    {"max-slowdown", 0, "P", CLI_OPTION_SETTING,
     "Show on the page whether a gate of this slowdown (such as 2%) would fail. The "
     "exit status stays: 'duet gate' has one."},
    {"fail-on", 0, "slower|faster|unsure|slower,unsure|none", CLI_OPTION_SETTING,
     "Show on the page whether a gate on these verdicts would fail; comma-separated, "
     "or none. The exit status stays. Default: as it was measured."},
    SHARED_OPTION_STORE_READ_ROW,
    CLI_OPTION_END_ROWS};

struct report_request {
    struct model_analysis analysis;
    struct analysis_overrides overrides;
    const char *output; /* NULL: the default */
    const char *site;
    const char *title;
    const char *store;
};

#define AT struct report_request
static const struct field report_fields[] = {
    FIELD_TEXT("--output", AT, output), FIELD_TEXT("--site", AT, site),
    FIELD_TEXT("--title", AT, title), FIELD_END};
#undef AT

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct report_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .overrides = &request->overrides,
                                          .store = &request->store};
    enum duet_code code = DUET_OK;
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

static const char *page_path(const struct report_request *request)
{
    return request->output != NULL ? request->output : "duet-report.html";
}

static void say_written(const char *path, size_t benchmarks, uint64_t bytes)
{
    if (!file_is_stdout(path)) {
        (void)printf("wrote %s: %zu benchmark%s, %" PRIu64 " kB\n", path, benchmarks,
                     benchmarks == 1 ? "" : "s", (bytes + 999) / 1000);
    }
}

/* All experiments of the plan on one page, in the order that was asked for. */
static enum duet_code write_one(const struct report_request *request,
                                struct store *store, const int64_t *ids, size_t count,
                                struct duet_error *reterr)
{
    const char *path = page_path(request);
    const struct page_request page = {.title = request->title};
    struct answers_overall overall = {.comparisons = NULL};
    struct answer *answers = alloc_array(count, sizeof *answers);
    uint64_t bytes = 0;
    enum duet_code code =
        answers == NULL ? error_no_memory(reterr)
                        : answers_recall_rows(store, ids, count, &request->overrides,
                                              answers, reterr);
    size_t made = code == DUET_OK ? count : 0;
    if (code == DUET_OK) {
        code = answers_sum_up(answers, count, &overall, reterr);
    }
    if (code == DUET_OK) {
        code = page_write(path, store, answers, &overall, &page, &bytes, reterr);
    }
    if (code == DUET_OK) {
        say_written(path, count, bytes);
        code = answers_check_measured(answers, count, reterr);
    }
    answers_overall_release(&overall);
    answers_free(answers, made);
    return code;
}

static enum duet_code write_site(const struct report_request *request,
                                 struct store *store, const struct site_plan *plan,
                                 struct duet_error *reterr)
{
    const struct site_request site = {
        .folder = request->site,
        .title = request->title != NULL ? request->title : "duet: all reports",
        .overrides = &request->overrides};
    enum duet_code code = site_write(store, plan, &site, reterr);
    if (code == DUET_OK) {
        (void)printf("wrote %s/index.html and %zu page%s of %zu experiment%s\n",
                     request->site, plan->page_count, plan->page_count == 1 ? "" : "s",
                     plan->count, plan->count == 1 ? "" : "s");
    }
    if (code == DUET_OK && plan->left_out > 0) {
        cli_warn(
            "%zu experiment%s left out: not a comparison, or without a run yet; 'duet "
            "list --all' shows each",
            plan->left_out, plan->left_out == 1 ? " is" : "s are");
    }
    return code;
}

static enum duet_code report(const struct report_request *request, struct store *store,
                             char *const *which, size_t count,
                             struct duet_error *reterr)
{
    struct site_plan plan = {.members = NULL};
    enum duet_code code = site_plan_make(store, which, count, &plan, reterr);
    if (code == DUET_OK && request->site != NULL) {
        code = write_site(request, store, &plan, reterr);
    } else if (code == DUET_OK) {
        int64_t *ids = alloc_array(plan.count, sizeof *ids);
        for (size_t i = 0; ids != NULL && i < plan.count; i++) {
            ids[i] = plan.members[i].id;
        }
        code = ids == NULL ? error_no_memory(reterr)
                           : write_one(request, store, ids, plan.count, reterr);
        free(ids);
    }
    site_plan_release(&plan);
    return code;
}

static int report_main(const struct cli_command *command, int argc, char **argv)
{
    struct report_request request = {.analysis = model_analysis_default()};
    static char last[] = "last";
    char *newest[] = {last};
    char **operands = NULL;
    int count = 0;
    struct store *store = NULL;
    struct duet_error error = {0};
    int status = cli_options_parse(command, argc, argv, take_option, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (request.site != NULL && request.output != NULL) {
        return cli_usage(command,
                         "--site writes a folder and --output a file: give one");
    }
    bool alone = count == 0 && request.site == NULL;
    const char *const page = request.site == NULL ? page_path(&request) : NULL;
    enum duet_code code = output_check_files(&page, 1, request.store, &error);
    if (code == DUET_OK) {
        code = storage_open(request.store, false, &store, &error);
    }
    if (code == DUET_OK) {
        code = report(&request, store, alone ? newest : operands,
                      alone ? 1 : (size_t)count, &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_report = {
    .name = "report",
    .synopsis = "[OPTIONS] [ID...]",
    .summary = "write stored comparisons as an HTML page, or as a site",
    .description =
        "ID is what 'duet show' takes: a number from 'duet list', the beginning of a uuid, a name, or 'last', "
        "the default. The page is one file that opens offline: an overview, the worst first, and of each "
        "benchmark pictures, tables, every pair, host and settings. "
        "Nothing in it is loaded from elsewhere. "
        "Options of the analysis replace parts of what is stored, as with 'duet show'.\n"
        "\n"
        "With --site a folder is written that any static host shows. Pages keep their names when it is "
        "written again; pages that are not among the IDs stay as they are, and are not in the index.\n"
        "\n"
        "Exit status: 0 fine, whatever the verdicts; 2 wrong usage, or no such experiment; "
        "4 a page (not a site) of experiments that all failed.",
    .options = report_rows,
    .fields = report_fields,
    .examples = CLI_EXAMPLES(
        {"Write the last answer as a page:", "duet report"},
        {"Write two experiments onto one page:", "duet report -o both.html 1 2"},
        {"Write a page of every comparison in the store, with an index:",
         "duet report --site public"}),
    .operand = "last",
    .main = report_main,
};
