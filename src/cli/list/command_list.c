/* duet list: the experiments in the store */
#include "base/field.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/list/list_document.h"
#include "cli/list/list_filter.h"
#include "cli/list/list_table.h"
#include "cli/moment.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/terminal.h"
#include "session/comparison/answers.h"
#include "session/storage.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_ON_TERMINAL = 20, EXPECTED_AT_ONCE = 128 };

enum list_option { OPTION_VERDICT = CLI_OPTION_FIRST, OPTION_STATE, OPTION_SINCE };

static const struct cli_option list_rows[] = {
    {"name", 0, "PATTERN", CLI_OPTION_SETTING,
     "List only those whose name, or a side's name, matches: a shell pattern ('zip*'), or, "
     "without * ? [, a part of the name."},
    {"verdict", 0, "WORDS", OPTION_VERDICT,
     "List only those with one of these verdicts: slower, faster, same, unsure, "
     "identical; comma-separated."},
    {"state", 0, "WORDS", OPTION_STATE,
     "List only those in one of these states: done, unfinished, interrupted, failed; "
     "comma-separated."},
    {"since", 0, "WHEN", OPTION_SINCE,
     "List only those that began at or after a date (2026-11-23, '2026-11-23 14:30', local "
     "time), or at most so long ago (7d, 12h)."},
    {"limit", 0, "N", CLI_OPTION_SETTING,
     "Show the newest N of these. Default: 20 on a terminal, else all."},
    {"all", 'a', NULL, CLI_OPTION_SETTING, "Show all of these on a terminal, too."},
    {"verbose", 'v', NULL, CLI_OPTION_SETTING,
     "Show all columns and whole names. Default: what fits the terminal, and all of it "
     "into files and pipes."},
    {"export-json", 0, "FILE", CLI_OPTION_SETTING,
     "Write the list as JSON to FILE ('-': standard output); all of it unless --limit "
     "is given."},
    ANALYSIS_OPTION_ROWS,
    SHARED_OPTION_STORE_READ_ROW,
    CLI_OPTION_END_ROWS};

struct list_request {
    struct model_analysis analysis; /* only to check the options */
    struct analysis_overrides overrides;
    struct list_filter filter;
    const char *store;
    const char *json; /* NULL: not wanted */
    uint64_t limit;   /* 0: none was given */
    bool all;
    bool verbose;
};

#define AT struct list_request
static const struct field list_fields[] = {
    FIELD_TEXT("--name", AT, filter.name),
    FIELD_WHOLE("--limit", AT, limit, 1, INT64_MAX),
    FIELD_FLAG("--all", AT, all),
    FIELD_FLAG("--verbose", AT, verbose),
    FIELD_TEXT("--export-json", AT, json),
    FIELD_END};
#undef AT

/* Which options the verdicts are by, in place of what is stored. */
static void print_overrides(const struct analysis_overrides *overrides)
{
    for (size_t i = 0; i < overrides->count; i++) {
        (void)printf("%s --%s %s", i == 0 ? "\nanalysed with" : ",",
                     overrides->items[i].name, overrides->items[i].value);
    }
    if (overrides->count > 0) {
        (void)printf(" instead of what is stored\n");
    }
}

/* What becomes of the experiments, newest first. */
struct listing {
    struct list_table table;
    uint64_t table_limit; /* 0: there is no table */
    uint64_t json_limit;  /* 0: there is no document */
    uint64_t passed;      /* so far */
    json_t *document;     /* an array; NULL: none, or no memory */
};

static struct listing listing_begin(const struct list_request *request,
                                    const struct store_experiment *list, size_t count)
{
    bool terminal = terminal_is(stdout);
    uint64_t asked = request->limit != 0 ? request->limit : UINT64_MAX;
    bool few = terminal && request->limit == 0 && !request->all;
    bool table = !file_is_stdout(request->json);
    struct listing listing = {.table_limit = table ? asked : 0,
                              .json_limit = request->json != NULL ? asked : 0,
                              .document = request->json != NULL ? json_array() : NULL};
    if (table && few) {
        listing.table_limit = LIMIT_ON_TERMINAL;
    }
    size_t shown = listing.table_limit < count ? (size_t)listing.table_limit : count;
    listing.table = list_table_fit(
        list, shown, request->verbose ? 0 : terminal_width(stdout), terminal_is_utf8());
    return listing;
}

/* The next ones, of which the verdicts are wanted, so that a server is not asked for
 * each by itself. */
static enum duet_code expect(const struct list_request *request, struct store *store,
                             const struct listing *listing,
                             const struct store_experiment *next, size_t count,
                             struct duet_error *reterr)
{
    uint64_t most = listing->table_limit > listing->json_limit ? listing->table_limit
                                                               : listing->json_limit;
    uint64_t left = most > listing->passed ? most - listing->passed : 0;
    struct duet_error ignored; /* a store may be read-only */
    (void)!store_settle(store, &ignored);
    count = count < EXPECTED_AT_ONCE ? count : EXPECTED_AT_ONCE;
    if (request->filter.verdicts == 0 && left < count) {
        count = (size_t)left;
    }
    return answers_expect(store, next, count, &request->overrides, reterr);
}

/* Shows what passes as soon as its verdict is known: analysing takes a while. */
static enum duet_code list_one(const struct list_request *request, struct store *store,
                               const struct store_experiment *experiment,
                               struct listing *listing, struct duet_error *reterr)
{
    bool wanted =
        listing->passed < listing->table_limit || listing->passed < listing->json_limit;
    struct store_verdict verdict = {.known = false};
    if (wanted || request->filter.verdicts != 0) {
        struct duet_error error;
        enum duet_code code =
            answers_verdict(store, experiment, &request->overrides, &verdict, &error);
        if (code == DUET_E_FORMAT) { /* the others can be listed */
            cli_warn("experiment %" PRId64 " has no verdict: %s", experiment->id,
                     error.message);
        } else if (code != DUET_OK) {
            return error_set(reterr, code, "%s", error.message);
        }
    }
    if (!list_filter_passes_verdict(&request->filter, &verdict)) {
        return DUET_OK;
    }
    uint64_t at = listing->passed++;
    if (at < listing->json_limit &&
        !json_fields_push(listing->document,
                          list_document_experiment(experiment, &verdict))) {
        return error_no_memory(reterr);
    }
    if (at >= listing->table_limit) {
        return DUET_OK;
    }
    struct text text = {0};
    if (at == 0) {
        list_table_append_head(&text, &listing->table);
    }
    list_table_append(&text, &listing->table, experiment, &verdict);
    return file_write_text("-", &text, reterr);
}

static void print_end(const struct list_request *request, struct store *store,
                      const struct listing *listing, size_t stored)
{
    if (stored == 0) {
        cli_say("'%s' holds no experiment yet", store_path(store));
    } else if (listing->passed == 0) {
        cli_say("none of the experiments in '%s' matches", store_path(store));
    }
    if (listing->table_limit == 0) {
        return; /* standard output has the document */
    }
    if (listing->passed > listing->table_limit && request->limit == 0) {
        (void)printf("\n%" PRIu64 " older; --all shows them\n",
                     listing->passed - listing->table_limit);
    }
    print_overrides(&request->overrides);
}

/* The first of the list are those that pass but for their verdict; the others are
 * released. Returns how many. */
static size_t keep_passing(const struct list_filter *filter,
                           struct store_experiment *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!list_filter_passes(filter, &list[i])) {
            store_experiment_release(&list[i]);
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

static enum duet_code list_all(const struct list_request *request, struct store *store,
                               struct duet_error *reterr)
{
    struct store_experiment *list = NULL;
    size_t stored = 0;
    enum duet_code code = store_experiment_list(store, &list, &stored, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t count = keep_passing(&request->filter, list, stored);
    struct listing listing = listing_begin(request, list, count);
    for (size_t i = 0; i < count; i++) {
        if (code == DUET_OK && i % EXPECTED_AT_ONCE == 0) {
            code = expect(request, store, &listing, list + i, count - i, reterr);
        }
        if (code == DUET_OK) {
            code = list_one(request, store, &list[i], &listing, reterr);
        }
        store_experiment_release(&list[i]);
    }
    free(list);
    struct duet_error ignored; /* a store may be read-only */
    (void)!store_settle(store, &ignored);
    if (code == DUET_OK) {
        print_end(request, store, &listing, stored);
    }
    if (code == DUET_OK && request->json != NULL) {
        return file_write_json(
            request->json,
            list_document(store_path(store), &request->overrides, listing.document),
            reterr);
    }
    json_decref(listing.document);
    return code;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct list_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .overrides = &request->overrides,
                                          .store = &request->store};
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_VERDICT:
        return list_filter_verdicts(parsed->value, &request->filter.verdicts, reterr);
    case OPTION_STATE:
        return list_filter_states(parsed->value, &request->filter.states, reterr);
    case OPTION_SINCE:
        return moment_take(parsed->value, "--since", &request->filter.since_utc_ms,
                           reterr);
    default:
        (void)shared_option_take(&shared, parsed, id, &code, reterr);
        return code;
    }
}

static int list_main(const struct cli_command *command, int argc, char **argv)
{
    struct list_request request = {.analysis = model_analysis_default()};
    int status = cli_options_parse_all(command, argc, argv, take_option, &request);
    if (status >= 0) {
        return status;
    }
    struct store *store = NULL;
    struct duet_error error;
    enum duet_code code = output_check_files(&request.json, 1, request.store, &error);
    if (code == DUET_OK) {
        code = storage_open(request.store, false, &store, &error);
    }
    if (code == DUET_OK) {
        code = list_all(&request, store, &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_list = {
    .name = "list",
    .synopsis = "[OPTIONS]",
    .summary = "list the experiments in the store, newest first",
    .description =
        "Shows of each experiment: id, globally unique id, start, schedule, state, "
        "finished runs (trials of an imported data set), the verdict with the "
        "change, name and the two sides. The verdict is that of 'duet run' and "
        "'duet show'. Options of the analysis try another one, which is not "
        "stored.\n\n"
        "On a terminal the table fits the width: sides and long names are "
        "shortened, and the uuid, the schedule, the state and the runs are left out "
        "as needed. The verdict's column then shows the state of an unfinished "
        "experiment.",
    .options = list_rows,
    .fields = list_fields,
    .examples =
        CLI_EXAMPLES({"List the newest ten experiments:", "duet list --limit 10"},
                     {"List what got slower in the last week:",
                      "duet list --verdict slower --since 7d"},
                     {"Try another confidence, without keeping the verdicts:",
                      "duet list --confidence 0.95"}),
    .main = list_main,
};
