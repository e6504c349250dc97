/* duet import FILE...: data of other programs into the store */
#include "cli/commands.h"
#include "cli/compared.h"
#include "cli/option.h"
#include "cli/shared_option.h"
#include "cli/storage.h"

#include <inttypes.h>
#include <stdio.h>

enum import_option { OPTION_NAME = CLI_OPTION_FIRST, OPTION_QUIET };

static const struct cli_option import_rows[] = {
    {"name", 0, "NAME", OPTION_NAME,
     "Name of the experiment. Default: that of the (last) file."},
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "For what is random in the analysis of this experiment. Default: 0."},
    FOREIGN_OPTION_ROWS,
    {"store", 0, "PATH", SHARED_OPTION_STORE,
     "The database. Default: .duet/results.db in the nearest parent folder that has "
     "one, else in the current folder."},
    {"quiet", 'q', NULL, OPTION_QUIET, "Print only the number of the experiment."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct import_request {
    struct foreign_options foreign;
    const char *store;
    const char *name;
    uint64_t seed;
    bool quiet;
};

static void print_imported(const struct import_request *request,
                           const struct compared *compared, int64_t id)
{
    if (request->quiet) {
        (void)printf("%" PRId64 "\n", id);
        return;
    }
    size_t counts[MODEL_SIDES] = {0, 0};
    for (size_t r = 0; r < compared->values.run_count; r++) {
        counts[MODEL_OLD] += compared->values.runs[r].counts[MODEL_OLD];
        counts[MODEL_NEW] += compared->values.runs[r].counts[MODEL_NEW];
    }
    (void)printf("experiment %" PRId64
                 " (%s): %s, %zu run%s, %zu values of old, %zu of "
                 "new\nduet show %" PRId64 " analyses it\n",
                 id, compared->name, compared->values.paired ? "pairs" : "unpaired",
                 compared->values.run_count, compared->values.run_count == 1 ? "" : "s",
                 counts[MODEL_OLD], counts[MODEL_NEW], id);
}

static int import(const struct import_request *request, char **paths, size_t count)
{
    struct compared compared = {0};
    struct store *store = NULL;
    struct duet_error error = {0};
    int64_t id = 0;
    enum duet_code code =
        compared_from_files(&request->foreign, paths, count, &compared, &error);
    if (code == DUET_OK) {
        code = storage_open(request->store, true, &store, &error);
    }
    if (code == DUET_OK) {
        compared.seed = request->seed;
        if (request->name != NULL) {
            (void)snprintf(compared.name, sizeof compared.name, "%s", request->name);
        }
        code = compared_save(&compared, store, &id, &error);
    }
    if (code == DUET_OK) {
        if (compared.skipped > 0) {
            cli_warn("%" PRIu64 " rows belong to neither side and were left out",
                     compared.skipped);
        }
        print_imported(request, &compared, id);
    }
    store_close(store);
    compared_release(&compared);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct import_request *request = context;
    const struct shared_options shared = {
        .foreign = &request->foreign, .store = &request->store, .seed = &request->seed};
    enum duet_code code = DUET_OK;
    if (id == OPTION_NAME) {
        request->name = parsed->value;
    } else if (id == OPTION_QUIET) {
        request->quiet = true;
    } else {
        (void)shared_option_take(&shared, id, parsed->value, &code, reterr);
    }
    return code;
}

static int import_main(const struct cli_command *command, int argc, char **argv)
{
    struct import_request request = {0};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        foreign_options_release(&request.foreign);
        return status;
    }
    if (count == 0) {
        status =
            cli_usage(command, "nothing to import: name a file with both sides, or "
                               "two files, old and new");
    } else if (count > 2) {
        status = cli_usage(command,
                           "'%s' is one file too many: an experiment has two sides; "
                           "import once for each experiment",
                           operands[2]);
    } else {
        status = import(&request, operands, (size_t)count);
    }
    foreign_options_release(&request.foreign);
    return status;
}

const struct cli_command command_import = {
    .name = "import",
    .synopsis = "[OPTIONS] FILE [FILE]",
    .summary = "put other programs' measurements into the store",
    .description =
        "One file with both sides, or two files, old and new, become an experiment: "
        "plain numbers (one a line), CSV with named columns, or hyperfine's JSON. It "
        "is "
        "then listed, shown and compared like a measured one. What other programs do "
        "not record (processes, CPUs, the machine) stays unknown.\n"
        "\n"
        "Pairs need blocks of two runs for most intervals; where the file has no block "
        "column, runs 0 and 1 are block 0, runs 2 and 3 block 1, and so on.",
    .options = import_rows,
    .main = import_main,
};
