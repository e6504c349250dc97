#include "cli/dataset_import.h"

#include "cli/dataset_source.h"
#include "cli/version.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_COLUMNS = 12 };

bool dataset_is_certain(char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        const char *path = dataset_word_path(words[i]);
        if (path != words[i] ||
            (strcmp(path, "-") != 0 && formats_dataset_is_certain(path))) {
            return true;
        }
    }
    return false;
}

static enum duet_code save(const struct dataset_import *import,
                           const struct model_dataset *dataset,
                           const struct formats_dataset_counts *counts,
                           const char *name, struct store *store, int64_t *ret_id,
                           struct duet_error *reterr)
{
    const struct model_plan plan = {
        .name = name,
        .schedule =
            dataset->olds != NULL ? MODEL_SCHEDULE_DUET : MODEL_SCHEDULE_SEQUENTIAL,
        .seed = import->seed,
        .sides = {{.name = "", .command = ""}, {.name = "", .command = ""}}};
    const struct store_dataset origin = {.rows_read = counts->rows,
                                         .rows_filtered = counts->filtered,
                                         .values_missing = counts->missing};
    struct duet_error error = {0};
    int64_t id = 0;
    enum duet_code code =
        store_experiment_begin(store, &plan, NULL, NULL, CLI_VERSION, &id, reterr);
    if (code != DUET_OK) {
        return code;
    }
    enum duet_code kept = store_dataset_import(store, id, dataset, &origin, &error);
    code = store_experiment_end(store, id, kept == DUET_OK ? STORE_DONE : STORE_FAILED,
                                NULL, kept == DUET_OK ? NULL : error.message, reterr);
    if (kept != DUET_OK) {
        return error_set(reterr, kept, "%s", error.message);
    }
    *ret_id = code == DUET_OK ? id : *ret_id;
    return code;
}

static void print_imported(const struct dataset_import *import,
                           const struct model_dataset *dataset, const char *name,
                           int64_t id)
{
    if (import->quiet) {
        (void)printf("%" PRId64 "\n", id);
        return;
    }
    (void)printf("experiment %" PRId64 " (%s): a data set of %zu benchmark%s, %zu "
                 "environment%s, %zu trial%s, %zu %s%s\nduet study variability %" PRId64
                 " analyses it\n",
                 id, name, dataset->benchmark_count,
                 dataset->benchmark_count == 1 ? "" : "s", dataset->environment_count,
                 dataset->environment_count == 1 ? "" : "s", dataset->trial_count,
                 dataset->trial_count == 1 ? "" : "s", dataset->value_count,
                 dataset->olds != NULL ? "pair" : "value",
                 dataset->value_count == 1 ? "" : "s", id);
}

int dataset_import(const struct dataset_import *import, char *const *words, int count)
{
    const char *name =
        import->name != NULL ? import->name : dataset_word_path(words[count - 1]);
    struct model_dataset dataset = {.benchmark_count = 0};
    struct formats_dataset_counts counts = {0};
    struct dataset_options options = *import->options;
    struct store *store = NULL;
    struct duet_error error = {0};
    int64_t id = 0;
    options.store = import->store;
    enum duet_code code =
        dataset_read(&options, words, count, &dataset, &counts, &error);
    if (code == DUET_OK) {
        code = storage_open(import->store, true, &store, &error);
    }
    if (code == DUET_OK) {
        code = save(import, &dataset, &counts, name, store, &id, &error);
    }
    if (code == DUET_OK) {
        print_imported(import, &dataset, name, id);
    }
    store_close(store);
    model_dataset_release(&dataset);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

enum duet_code dataset_append_parts(struct text *text, struct store *store,
                                    const struct store_experiment *experiment,
                                    struct duet_error *reterr)
{
    struct store_dataset_part *parts = NULL;
    size_t count = 0;
    int width = (int)strlen("environment");
    enum duet_code code =
        store_dataset_parts(store, experiment->id, &parts, &count, reterr);
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(parts[i].environment);
        width = length > width ? length : width;
    }
    if (code == DUET_OK) {
        text_append_format(text, "%-*s%*s%*s%*s%*s\n", width, "environment",
                           COUNT_COLUMNS, "benchmarks", COUNT_COLUMNS, "instances",
                           COUNT_COLUMNS, "trials", COUNT_COLUMNS,
                           experiment->dataset.paired ? "pairs" : "values");
    }
    for (size_t i = 0; i < count; i++) {
        text_append_format(
            text, "%-*s%*" PRIu64 "%*" PRIu64 "%*" PRIu64 "%*" PRIu64 "\n", width,
            parts[i].environment, COUNT_COLUMNS, parts[i].benchmarks, COUNT_COLUMNS,
            parts[i].instances, COUNT_COLUMNS, parts[i].trials, COUNT_COLUMNS,
            parts[i].iterations);
    }
    free(parts);
    return code;
}
