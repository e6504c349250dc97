/* duet import FILE...: data of other programs into the store */
#include "base/alloc.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/study/dataset_option.h"
#include "cli/terminal.h"
#include "session/comparison/recorded_several.h"
#include "session/dataset/dataset_import.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum import_option { OPTION_NAME = CLI_OPTION_FIRST, OPTION_QUIET, OPTION_DATASET };

static const struct cli_option import_rows[] = {
    {"name", 0, "NAME", OPTION_NAME,
     "Name the experiment. Default: the name of the last file."},
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "Seed the random choices of this experiment's analysis. Default: 0."},
    {"dataset", 0, NULL, OPTION_DATASET,
     "Import measurements of benchmarks on instances for 'duet study', from any "
     "number of files, each as [ENVIRONMENT=]FILE. The options --format, --map, "
     "--where, --separator and --throughput work as in 'duet study variability'. "
     "Default: for what fits nothing else (pa, a single file of a tool)."},
    FOREIGN_OPTION_ROWS,
    {"store", 0, "PATH", SHARED_OPTION_STORE,
     "Use this file, or a postgresql:// URL. Default: .duet/results.db in the nearest parent folder "
     "that has one, else in the current folder."},
    {"quiet", 'q', NULL, OPTION_QUIET, "Print only the number of the experiment."},
    CLI_OPTION_END_ROWS};

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
    (void)printf("%s, %zu run%s, %zu value%s of old, %zu of new\n"
                 "duet show %" PRId64 " analyses it\n",
                 recorded->values.paired ? "pairs" : "unpaired",
                 recorded->values.run_count, recorded->values.run_count == 1 ? "" : "s",
                 counts[MODEL_OLD], counts[MODEL_OLD] == 1 ? "" : "s",
                 counts[MODEL_NEW], id);
}

/* Each benchmark is an experiment. ids: room for all of them. */
static enum duet_code save_each(const struct import_request *request,
                                struct formats_foreign *foreign, struct store *store,
                                int64_t *ids, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < foreign->count && code == DUET_OK; i++) {
        struct recorded recorded = recorded_from_foreign(
            foreign, i, formats_request_last(&request->foreign.request),
            foreign_options_schedule(&request->foreign));
        recorded.seed = request->seed;
        if (request->name != NULL && !foreign->several) {
            text_copy(recorded.name, sizeof recorded.name, request->name);
        } else if (request->name != NULL) {
            (void)snprintf(recorded.name, sizeof recorded.name, "%.120s: %.120s",
                           request->name, foreign->found[i].names[MODEL_OLD]);
            text_mend(recorded.name);
        }
        code = recorded_save(&recorded, store, &ids[i], reterr);
        if (code == DUET_OK) {
            print_imported(request, &recorded, ids[i]);
        }
        recorded_release(&recorded);
    }
    return code;
}

static enum duet_code save_all(const struct import_request *request,
                               struct formats_foreign *foreign,
                               struct duet_error *reterr)
{
    struct store *store = NULL;
    int64_t *ids = alloc_array(foreign->count, sizeof *ids);
    enum duet_code code = ids == NULL
                              ? error_no_memory(reterr)
                              : storage_open(request->store, true, &store, reterr);
    if (code == DUET_OK) {
        code = save_each(request, foreign, store, ids, reterr);
    }
    if (code == DUET_OK) {
        code = recorded_join(store, ids, foreign->count, reterr);
    }
    store_close(store);
    free(ids);
    return code;
}

static int import(struct import_request *request, char **paths, size_t count)
{
    struct formats_foreign foreign = {.count = 0};
    struct duet_error error = {0};
    struct duet_error wrong = {0};
    enum duet_code code =
        foreign_options_settle(&request->foreign, paths, count, &error);
    if (code == DUET_OK) {
        code = formats_foreign_read(&request->foreign.request, &foreign, &wrong);
        bool sides = count == 1 && access(paths[0], R_OK) == 0;
        if (code != DUET_OK) {
            (void)error_set(&error, code, "%s%s", wrong.message,
                            sides ? " (measurements on instances: --dataset)" : "");
        }
    }
    if (code == DUET_OK) {
        foreign_warn(&foreign);
        code = save_all(request, &foreign, &error);
    }
    formats_foreign_release(&foreign);
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
    bool where = request->data_code == DUET_OK && request->data.csv.where.count > 0 &&
                 count != 2;
    bool sides = count == 1 && strcmp(words[0], "-") != 0 &&
                 formats_foreign_has_sides(&request->foreign.request, words[0]);
    return request->dataset || (where && !sides) || options ||
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
                {FOREIGN_OPTION_WHERE, DATASET_OPTION_WHERE},
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
               !foreign_option_take_files(&request->foreign, parsed, id, &code,
                                          reterr)) {
        take_both(request, id, parsed->value);
    }
    return code;
}

static int import_operands(const struct cli_command *command,
                           struct import_request *request, char **operands, int count)
{
    bool files = foreign_options_has_files(&request->foreign);
    if (count == 0 && !files) {
        return cli_usage(
            command,
            "nothing to import: name a file with both sides, or two files, old and new");
    }
    if (files && request->dataset) {
        return cli_usage(command,
                         "a data set has no sides: leave --old and --new out, and name "
                         "its files after the options");
    }
    if (!files && is_dataset(request, operands, count)) {
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

const struct cli_command command_import = {
    .name = "import",
    .synopsis = "[OPTIONS] {[ENV=]FILE... | --old FILE... --new FILE...}",
    .summary = "store measurements of other programs",
    .description =
        "Stores one file with both sides, or two files, old and new, as an "
        "experiment. They hold plain numbers (one a line), CSV with named columns, or "
        "what a benchmark tool wrote (docs/formats.md). Of several benchmarks, each becomes "
        "an experiment. It is then listed, shown and compared like a measured "
        "one. What other programs do not record (processes, CPUs, the machine) "
        "stays unknown.\n\n"
        "Most intervals of pairs need blocks of two runs. Where the file has no "
        "block column, the first two runs are a block, the next two another one, "
        "and so on.\n\n"
        "With --dataset, files of measurements on instances (CSV, pa, JMH, go test "
        "-bench) become a data set, which 'duet study' takes by number or name. "
        "Each value keeps its benchmark, environment, instance and trial "
        "(docs/variability.md).",
    .options = import_rows,
    .examples =
        CLI_EXAMPLES({"Store two files of numbers as one experiment:",
                      "duet import --name sort old.txt new.txt"},
                     {"Store a CSV file, whose values are in the column time_ms:",
                      "duet import --column time_ms results.csv"},
                     {"Store measurements of many machines for 'duet study':",
                      "duet import --dataset --name clouds AWS=aws.csv GCE=gce.csv"}),
    .operand = "FILE",
    .main = import_main,
};
