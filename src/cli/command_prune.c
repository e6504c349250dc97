/* duet prune --older AGE: old experiments out of the store */
#include "base/field.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/moment.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/removal.h"
#include "session/storage.h"
#include "store/store_remove.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option prune_rows[] = {
    {"older", 0, "AGE", CLI_OPTION_FIRST,
     "Remove experiments that ended longer ago than this, such as 30d or 12h."},
    {"keep", 0, "N", CLI_OPTION_SETTING,
     "Keep the newest N experiments, whatever their age. Default: 0."},
    {"dry-run", 'n', NULL, CLI_OPTION_SETTING,
     "List what would be removed, and "
     "remove nothing."},
    SHARED_OPTION_STORE_READ_ROW,
    CLI_OPTION_END_ROWS};

struct prune_request {
    const char *store;
    const char *older; /* as typed; NULL: not given */
    int64_t before_utc_ms;
    uint64_t keep;
    bool dry_run;
};

#define AT struct prune_request
static const struct field prune_fields[] = {
    FIELD_WHOLE("--keep", AT, keep, 0, INT64_MAX), FIELD_FLAG("--dry-run", AT, dry_run),
    FIELD_END};
#undef AT

static enum duet_code print_sizes(struct store *store, uint64_t before_bytes,
                                  struct duet_error *reterr)
{
    const double bytes_per_mb = 1e6;
    bool busy = false;
    uint64_t after_bytes = 0;
    enum duet_code code = store_shrink(store, &busy, reterr);
    if (code == DUET_OK) {
        code = store_bytes(store, &after_bytes, reterr);
    }
    if (code == DUET_OK && busy) {
        (void)printf(
            "the file keeps its size, since another process is measuring; duet uses "
            "the space again\n");
    } else if (code == DUET_OK) {
        (void)printf("the file has %.1f MB, before %.1f MB\n",
                     (double)after_bytes / bytes_per_mb,
                     (double)before_bytes / bytes_per_mb);
    }
    return code;
}

/* Lists them, and removes them unless it is only tried. */
static int prune_these(const struct prune_request *request, struct store *store,
                       const int64_t *ids, size_t count)
{
    struct duet_error error;
    struct text text = {0};
    uint64_t bytes = 0;
    enum duet_code code = removal_append(&text, store, ids, count, &error);
    if (code == DUET_OK) {
        code = store_bytes(store, &bytes, &error);
    }
    if (code == DUET_OK && !request->dry_run) {
        code = store_remove(store, ids, count, &error);
    }
    if (code != DUET_OK) {
        text_release(&text);
        return removal_fail(&error);
    }
    text_append_format(&text, "%s %zu experiment%s\n",
                       request->dry_run ? "would remove" : "removed", count,
                       count == 1 ? "" : "s");
    code = file_write_text("-", &text, &error);
    if (code == DUET_OK && !request->dry_run) {
        code = print_sizes(store, bytes, &error);
    }
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static int prune(const struct prune_request *request, struct store *store)
{
    struct duet_error error;
    int64_t *ids = NULL;
    size_t count = 0;
    if (store_remove_find(store, request->before_utc_ms, request->keep, &ids, &count,
                          &error) != DUET_OK) {
        return removal_fail(&error);
    }
    int status = CLI_EXIT_OK;
    if (count == 0) {
        cli_say("nothing to remove: '%s' has no experiment older than %s%s",
                store_path(store), request->older,
                request->keep > 0 ? " beside those to keep" : "");
    } else {
        status = prune_these(request, store, ids, count);
    }
    free(ids);
    return status;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct prune_request *request = context;
    const struct shared_options shared = {.store = &request->store};
    enum duet_code code = DUET_OK;
    if (id == CLI_OPTION_FIRST) {
        request->older = parsed->value;
        return moment_take_age(parsed->value, "--older", &request->before_utc_ms,
                               reterr);
    }
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

static int prune_main(const struct cli_command *command, int argc, char **argv)
{
    struct prune_request request = {.store = NULL};
    int status = cli_options_parse_all(command, argc, argv, take_option, &request);
    if (status >= 0) {
        return status;
    }
    if (request.older == NULL) {
        return cli_usage(command, "expected --older AGE, as in --older 30d");
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = prune(&request, store);
    store_close(store);
    return status;
}

static const char prune_description[] =
    "Removes the experiments that ended longer ago than --older, without asking, lists them, "
    "and makes the file smaller. The age of an experiment that was killed counts from its last run. "
    "--dry-run lists them only.\n"
    "\n"
    "An experiment or a watch that a process is working on stays. "
    "Benchmarks that were judged together go together: none of them before all are old enough.";

const struct cli_command command_prune = {
    .name = "prune",
    .synopsis = "--older AGE [OPTIONS]",
    .summary = "remove old experiments from the store",
    .description = prune_description,
    .options = prune_rows,
    .fields = prune_fields,
    .examples = CLI_EXAMPLES({"See what is older than 30 days, and remove nothing:",
                              "duet prune --older 30d --dry-run"},
                             {"Remove it:", "duet prune --older 30d"}),
    .main = prune_main,
};

/* The same beside what else is done to a store. */
const struct cli_command command_store_prune = {
    .name = "store prune",
    .synopsis = "--older AGE [OPTIONS]",
    .summary = "remove old experiments, as 'duet prune' does",
    .description = prune_description,
    .options = prune_rows,
    .fields = prune_fields,
    .examples = CLI_EXAMPLES({"See what is older than 30 days, and remove nothing:",
                              "duet store prune --older 30d --dry-run"},
                             {"Remove it, but keep the newest 20:",
                              "duet store prune --older 30d --keep 20"}),
    .main = prune_main,
};
