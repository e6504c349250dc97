/* duet rm ID...: experiments out of the store */
#include "base/alloc.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/removal.h"
#include "session/storage.h"
#include "store/store_remove.h"

#include <stdlib.h>

static const struct cli_option rm_rows[] = {SHARED_OPTION_STORE_READ_ROW,
                                            CLI_OPTION_END_ROWS};

static bool has(const int64_t *ids, size_t count, int64_t id)
{
    size_t at = 0;
    while (at < count && ids[at] != id) {
        at++;
    }
    return at < count;
}

/* The experiments that the words name, each once. */
static enum duet_code find_all(struct store *store, char **words, size_t count,
                               int64_t *ids, size_t *ret_found,
                               struct duet_error *reterr)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct store_experiment experiment = {0};
        enum duet_code code =
            store_experiment_find(store, words[i], &experiment, reterr);
        if (code != DUET_OK) {
            return code;
        }
        if (!has(ids, found, experiment.id)) {
            ids[found++] = experiment.id;
        }
        store_experiment_release(&experiment);
    }
    *ret_found = found;
    return DUET_OK;
}

static int remove_all(struct store *store, char **words, size_t count)
{
    struct duet_error error;
    struct text text = {0};
    size_t named = 0;
    size_t found = 0;
    int64_t *all = NULL;
    int64_t *ids = alloc_array(count, sizeof *ids);
    enum duet_code code = ids == NULL ? error_no_memory(&error) : DUET_OK;
    if (code == DUET_OK && ids != NULL) {
        code = find_all(store, words, count, ids, &named, &error);
    }
    if (code == DUET_OK) {
        code = store_remove_complete(store, ids, named, &all, &found, &error);
    }
    if (code == DUET_OK) {
        code = removal_append(&text, store, all, found, &error);
    }
    if (code == DUET_OK) {
        code = store_remove(store, all, found, &error);
    }
    free(all);
    free(ids);
    if (code != DUET_OK) {
        text_release(&text);
        return removal_fail(&error);
    }
    text_append_format(&text, "removed %zu experiment%s\n", found,
                       found == 1 ? "" : "s");
    return file_write_text("-", &text, &error) == DUET_OK ? CLI_EXIT_OK
                                                          : cli_fail(&error);
}

static int rm_main(const struct cli_command *command, int argc, char **argv)
{
    const char *path = NULL;
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, shared_option_take_store, &path,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count == 0) {
        return cli_usage(command, "expected at least one ID ('duet list' shows them)");
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(path, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = remove_all(store, operands, (size_t)count);
    store_close(store);
    return status;
}

const struct cli_command command_rm = {
    .name = "rm",
    .synopsis = "[OPTIONS] ID...",
    .summary = "remove experiments from the store",
    .description =
        "ID is a number from 'duet list', the beginning of a uuid (four characters "
        "or more), a name (the newest of that name), or 'last'. Removes the "
        "experiments with all their measurements, their controls and their "
        "confirmations, without asking, and lists them. "
        "When one cannot be removed, none is. An experiment or a watch that a "
        "process is working on is refused.\n\n"
        "Benchmarks that were judged together with a removed one are judged without "
        "it from then on. The file keeps its size, and new measurements use the "
        "space; 'duet prune' makes it smaller.",
    .options = rm_rows,
    .operand = "last",
    .examples = CLI_EXAMPLES(
        {"Remove the newest experiment:", "duet rm last"},
        {"Remove an experiment by its number in 'duet list':", "duet rm 1"}),
    .main = rm_main,
};
