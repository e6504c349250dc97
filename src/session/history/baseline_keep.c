#include "session/history/baseline_keep.h"

#include "base/alloc.h"
#include "store/store_baseline.h"

#include <inttypes.h>
#include <stdlib.h>

enum duet_code baseline_keep(struct store *store, const char *name, char *const *which,
                             size_t count, struct duet_error *reterr)
{
    int64_t *ids = alloc_array(count, sizeof *ids);
    enum duet_code code = DUET_OK;
    if (ids == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct store_experiment experiment = {0};
        code = store_experiment_find(store, which[i], &experiment, reterr);
        if (code == DUET_OK &&
            (experiment.dataset.trials > 0 || experiment.runs == 0)) {
            code = error_set(reterr, DUET_E_USAGE,
                             "experiment %" PRId64 " (%s) has no runs to compare with",
                             experiment.id, experiment.name);
        }
        ids[i] = experiment.id;
        store_experiment_release(&experiment);
    }
    if (code == DUET_OK) {
        code = store_baseline_save(store, name, ids, count, reterr);
    }
    free(ids);
    return code;
}

enum duet_code baseline_drop(struct store *store, const char *name,
                             struct duet_error *reterr)
{
    size_t removed = 0;
    enum duet_code code = store_baseline_remove(store, name, &removed, reterr);
    return code == DUET_OK && removed == 0
               ? error_set(reterr, DUET_E_NOT_FOUND,
                           "'%s' has no baseline '%s' ('duet baseline' lists them)",
                           store_path(store), name)
               : code;
}
