#include "session/dataset/dataset_import.h"

#include "base/version.h"
#include "session/dataset/dataset_source.h"
#include "session/storage.h"

#include <string.h>

bool dataset_is_certain(char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        const char *path = dataset_word_path(words[i]);
        if (path != words[i] ||
            (strcmp(path, "-") != 0 && formats_dataset_is_certain(path, count == 2))) {
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
        store_experiment_begin(store, &plan, NULL, NULL, BASE_VERSION, &id, reterr);
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

enum duet_code dataset_import(const struct dataset_import *import, char *const *words,
                              int count, struct dataset_imported *ret_imported,
                              struct duet_error *reterr)
{
    struct dataset_imported imported = {
        .name =
            import->name != NULL ? import->name : dataset_word_path(words[count - 1])};
    struct formats_dataset_counts counts = {0};
    struct dataset_options options = *import->options;
    struct store *store = NULL;
    options.store = import->store;
    enum duet_code code =
        dataset_read(&options, words, count, &imported.dataset, &counts, reterr);
    if (code == DUET_OK) {
        code = storage_open(import->store, true, &store, reterr);
    }
    if (code == DUET_OK) {
        code = save(import, &imported.dataset, &counts, imported.name, store,
                    &imported.id, reterr);
    }
    store_close(store);
    if (code == DUET_OK) {
        *ret_imported = imported;
    } else {
        model_dataset_release(&imported.dataset);
    }
    return code;
}
