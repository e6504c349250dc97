/* duet import FILE...: data of other programs into the store */
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/study/dataset_option.h"
#include "cli/terminal.h"
#include "session/comparison/recorded.h"
#include "session/dataset/dataset_import.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum import_option { OPTION_NAME = CLI_OPTION_FIRST, OPTION_QUIET, OPTION_DATASET };

static const struct cli_option import_rows[] = {
    {"name", 0, "NAME", OPTION_NAME,
     "Name the experiment. Default: the name of the last file."},
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "Seed the random choices of this experiment's analysis. Default: 0."},
    {"dataset", 0, NULL, OPTION_DATASET,
     "Import measurements of benchmarks on instances for 'duet study', from any "
     "number of files, each as [ENVIRONMENT=]FILE. --format, --map, --separator and "
     "--throughput then work as in 'duet study variability'. Default: for files and "
     "options that fit nothing else (pa, JMH's JSON, go test -bench)."},
    {"where", 0, "NAME=VALUE", DATASET_OPTION_WHERE,
     "With --dataset, CSV: read only rows with this value in this column. May be "
     "repeated."},
    FOREIGN_OPTION_ROWS,
    {"store", 0, "PATH", SHARED_OPTION_STORE,
     "Use this database. Default: .duet/results.db in the nearest parent folder "
     "that has one, else in the current folder."},
    {"quiet", 'q', NULL, OPTION_QUIET, "Print only the number of the experiment."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct import_request {
    struct foreign_options foreign;
    /* Some options mean something else to a data set. Which the files are is known
     * when all options are: what was wrong for either is kept until then. */
    struct dataset_options data;
    bool dataset; /* asked for */
    enum duet_code foreign_code;
    enum duet_code data_code;
    struct duet_error foreign_error;
    struct duet_error data_error;
    const char *store;
    const char *name;
    uint64_t seed;
    bool quiet;
};

static void print_imported(const struct import_request *request,
                           const struct recorded *recorded, int64_t id)
{
    if (request->quiet) {
        (void)printf("%" PRId64 "\n", id);
        return;
    }
    size_t counts[MODEL_SIDES] = {0, 0};
    for (size_t r = 0; r < recorded->values.run_count; r++) {
        counts[MODEL_OLD] += recorded->values.runs[r].counts[MODEL_OLD];
        counts[MODEL_NEW] += recorded->values.runs[r].counts[MODEL_NEW];
    }
    (void)printf("experiment %" PRId64, id);
    terminal_print_clean(" (", recorded->name, "): ");
    (void)printf("%s, %zu run%s, %zu values of old, %zu of new\n"
                 "duet show %" PRId64 " analyses it\n",
                 recorded->values.paired ? "pairs" : "unpaired",
                 recorded->values.run_count, recorded->values.run_count == 1 ? "" : "s",
                 counts[MODEL_OLD], counts[MODEL_NEW], id);
}

static int import(const struct import_request *request, char **paths, size_t count)
{
    struct recorded recorded = {0};
    struct store *store = NULL;
    struct duet_error error = {0};
    int64_t id = 0;
    struct duet_error wrong = {0};
    enum duet_code code = recorded_from_files(
        &request->foreign.request, foreign_options_schedule(&request->foreign), paths,
        count, &recorded, &wrong);
    if (code != DUET_OK) {
        bool sides = count == 1 && access(paths[0], R_OK) == 0;
        code = error_set(&error, code, "%s%s", wrong.message,
                         sides ? " (measurements on instances: --dataset)" : "");
    }
    if (code == DUET_OK) {
        code = storage_open(request->store, true, &store, &error);
    }
    if (code == DUET_OK) {
        recorded.seed = request->seed;
        if (request->name != NULL) {
            (void)snprintf(recorded.name, sizeof recorded.name, "%s", request->name);
        }
        code = recorded_save(&recorded, store, &id, &error);
    }
    if (code == DUET_OK) {
        if (recorded.skipped > 0) {
            cli_warn("%" PRIu64 " rows belong to neither side and were left out",
                     recorded.skipped);
        }
        print_imported(request, &recorded, id);
    }
    store_close(store);
    recorded_release(&recorded);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static void print_dataset(const struct import_request *request,
                          const struct dataset_imported *imported)
{
    const struct model_dataset *dataset = &imported->dataset;
    if (request->quiet) {
        (void)printf("%" PRId64 "\n", imported->id);
        return;
    }
    (void)printf("experiment %" PRId64, imported->id);
    terminal_print_clean(" (", imported->name, "): ");
    (void)printf(
        "a data set of %zu benchmark%s, %zu environment%s, %zu trial%s, %zu %s%s\n"
        "duet study variability %" PRId64 " analyses it\n",
        dataset->benchmark_count, dataset->benchmark_count == 1 ? "" : "s",
        dataset->environment_count, dataset->environment_count == 1 ? "" : "s",
        dataset->trial_count, dataset->trial_count == 1 ? "" : "s",
        dataset->value_count, dataset->olds != NULL ? "pair" : "value",
        dataset->value_count == 1 ? "" : "s", imported->id);
}

static int import_dataset(const struct import_request *request, char **words, int count)
{
    struct dataset_import import = {.options = &request->data,
                                    .name = request->name,
                                    .store = request->store,
                                    .seed = request->seed};
    struct dataset_imported imported;
    struct duet_error error;
    if (request->data_code != DUET_OK) {
        return cli_fail(&request->data_error);
    }
    if (dataset_import(&import, words, count, &imported, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    print_dataset(request, &imported);
    model_dataset_release(&imported.dataset);
    return CLI_EXIT_OK;
}

/* Asked for, or nothing else fits. */
static bool is_dataset(const struct import_request *request, char *const *words,
                       int count)
{
    bool options = request->data_code == DUET_OK && request->foreign_code != DUET_OK;
    return request->dataset || request->data.csv.where_count > 0 || options ||
           (request->data_code == DUET_OK && dataset_is_certain(words, count));
}

/* An option that both kinds of files have. */
static void take_both(struct import_request *request, int id, const char *value)
{
    static const struct {
        int foreign;
        int data;
    } both[] = {{FOREIGN_OPTION_FORMAT, DATASET_OPTION_FORMAT},
                {FOREIGN_OPTION_MAP, DATASET_OPTION_MAP},
                {FOREIGN_OPTION_SEPARATOR, DATASET_OPTION_SEPARATOR},
                {FOREIGN_OPTION_THROUGHPUT, DATASET_OPTION_THROUGHPUT}};
    enum duet_code foreign = DUET_OK;
    enum duet_code data = DUET_OK;
    struct duet_error foreign_error = {0};
    struct duet_error data_error = {0};
    (void)foreign_option_take(&request->foreign, id, value, &foreign, &foreign_error);
    bool apt = false;
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        if (both[i].foreign == id) {
            (void)dataset_option_take(&request->data, both[i].data, value, &data,
                                      &data_error);
            apt = true;
        }
    }
    if (!apt) {
        data = error_set(
            &data_error, DUET_E_USAGE,
            "--dataset: --column, --sides, --unit, --paired and --schedule are for comparisons");
    }
    if (foreign != DUET_OK && request->foreign_code == DUET_OK) {
        request->foreign_code = foreign;
        request->foreign_error = foreign_error;
    }
    if (data != DUET_OK && request->data_code == DUET_OK) {
        request->data_code = data;
        request->data_error = data_error;
    }
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct import_request *request = context;
    const struct shared_options shared = {.store = &request->store,
                                          .seed = &request->seed};
    enum duet_code code = DUET_OK;
    if (id == OPTION_NAME) {
        request->name = parsed->value;
    } else if (id == OPTION_QUIET) {
        request->quiet = true;
    } else if (id == OPTION_DATASET) {
        request->dataset = true;
    } else if (!shared_option_take(&shared, parsed, id, &code, reterr) &&
               (id != DATASET_OPTION_WHERE ||
                !dataset_option_take(&request->data, id, parsed->value, &code,
                                     reterr))) {
        take_both(request, id, parsed->value);
    }
    return code;
}

static int import_operands(const struct cli_command *command,
                           const struct import_request *request, char **operands,
                           int count)
{
    if (count == 0) {
        return cli_usage(
            command,
            "nothing to import: name a file with both sides, or two files, old and new");
    }
    if (is_dataset(request, operands, count)) {
        return import_dataset(request, operands, count);
    }
    if (request->foreign_code != DUET_OK) {
        return cli_fail(&request->foreign_error);
    }
    if (count > 2) {
        return cli_usage(
            command,
            "unexpected file '%s': an experiment has two sides; import each "
            "experiment by itself, or measurements of many instances with --dataset",
            operands[2]);
    }
    return import(request, operands, (size_t)count);
}

static int import_main(const struct cli_command *command, int argc, char **argv)
{
    struct import_request request = {.data = dataset_options_default()};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status < 0) {
        status = import_operands(command, &request, operands, count);
    }
    foreign_options_release(&request.foreign);
    dataset_options_release(&request.data);
    return status;
}

static const struct cli_example import_examples[] = {
    {"Store two files of numbers as one experiment:",
     "duet import --name sort old.txt new.txt"},
    {"Store a CSV file, whose values are in the column time_ms:",
     "duet import --column time_ms results.csv"},
    {"Store measurements of many machines for 'duet study':",
     "duet import --dataset --name clouds AWS=aws.csv GCE=gce.csv"},
    {NULL, NULL}};

const struct cli_command command_import = {
    .name = "import",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]FILE...",
    .summary = "store measurements of other programs",
    .description =
        "Stores one file with both sides, or two files, old and new, as an "
        "experiment: plain numbers (one a line), CSV with named columns, or "
        "hyperfine's JSON. It is then listed, shown and compared like a measured "
        "one. What other programs do not record (processes, CPUs, the machine) "
        "stays unknown.\n\n"
        "Most intervals of pairs need blocks of two runs. Where the file has no "
        "block column, runs 0 and 1 are block 0, runs 2 and 3 block 1, and so "
        "on.\n\n"
        "With --dataset, files of measurements on instances (CSV, pa, JMH, go test "
        "-bench) become a data set, which 'duet study' takes by number or name. "
        "Each value keeps its benchmark, environment, instance and trial "
        "(docs/variability.md).",
    .options = import_rows,
    .examples = import_examples,
    .operand = "FILE",
    .main = import_main,
};
