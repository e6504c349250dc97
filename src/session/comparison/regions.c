#include "session/comparison/regions.h"

#include "base/alloc.h"
#include "base/version.h"
#include "session/comparison/answers.h"
#include "session/comparison/id_list.h"

#include <stdlib.h>

/* ---- Which ---- */

enum duet_code regions_expand(struct store *store, const int64_t *ids, size_t count,
                              int64_t **ret_ids, size_t *ret_count,
                              struct duet_error *reterr)
{
    struct id_list all = {.count = 0};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        int64_t *regions = NULL;
        size_t found = 0;
        code = store_experiment_regions(store, ids[i], &regions, &found, reterr);
        for (size_t j = 0; j <= found && code == DUET_OK; j++) {
            int64_t id = j == 0 ? ids[i] : regions[j - 1];
            /* A region that is named by itself, too, is there once; what is named twice
             * twice. */
            bool there = id_is_among(all.ids, all.count, id);
            if (!there || (j == 0 && id_is_among(ids, i, id))) {
                code = id_list_add(&all, id, reterr);
            }
        }
        free(regions);
    }
    if (code != DUET_OK) {
        free(all.ids);
        return code;
    }
    *ret_ids = all.ids;
    *ret_count = all.count;
    return DUET_OK;
}

/* ---- Just measured ---- */

/* Analysed and kept as one of `family` regions. */
static enum duet_code make_one(struct store *store, int64_t id, size_t family,
                               struct answer *ret_answer, struct duet_error *reterr)
{
    struct store_experiment experiment;
    enum duet_code code = store_experiment_load(store, id, &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct model_analysis analysis = experiment.analysis;
    analysis.family = family;
    store_experiment_release(&experiment);
    code = store_analysis_save(store, id, &analysis, reterr);
    return code == DUET_OK ? answer_make(store, id, NULL, ret_answer, reterr) : code;
}

static enum duet_code make_all(struct store *store, const int64_t *ids, size_t count,
                               size_t family, struct answer *answers, size_t *made,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct store_experiment experiment;
        code = store_experiment_load(store, ids[i], &experiment, reterr);
        if (code != DUET_OK) {
            break;
        }
        bool region = experiment.region_of != 0;
        store_experiment_release(&experiment);
        if (region) {
            code = make_one(store, ids[i], family, &answers[*made], reterr);
            *made += code == DUET_OK;
        }
    }
    return code;
}

enum duet_code regions_answer(struct store *store, int64_t experiment, size_t family,
                              struct answer **ret_answers, size_t *ret_count,
                              struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    size_t made = 0;
    enum duet_code code =
        store_experiment_regions(store, experiment, &ids, &count, reterr);
    struct answer *answers =
        code == DUET_OK ? alloc_array(count, sizeof *answers) : NULL;
    if (code == DUET_OK && answers == NULL) {
        code = error_no_memory(reterr);
    }
    while (made < count && code == DUET_OK) {
        code = make_one(store, ids[made], family, &answers[made], reterr);
        made += code == DUET_OK;
        if (code == DUET_OK) {
            code = store_comparison_save(store, ids[made - 1],
                                         &answers[made - 1].comparison, BASE_VERSION,
                                         reterr);
        }
    }
    free(ids);
    if (code != DUET_OK) {
        answers_free(answers, made);
        return code;
    }
    *ret_answers = answers;
    *ret_count = count;
    return DUET_OK;
}

/* How many regions are judged together: not those of controls. */
static enum duet_code count_judged(struct store *store, const struct answer *answers,
                                   size_t count, size_t *ret_count,
                                   struct duet_error *reterr)
{
    int64_t *own = alloc_array(count, sizeof *own);
    int64_t *ids = NULL;
    size_t wholes = 0;
    size_t total = 0;
    if (own == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        own[wholes] = answers[i].experiment.id;
        wholes +=
            own[wholes] != 0 && answers[i].comparison.role == MODEL_ROLE_COMPARISON;
    }
    enum duet_code code = regions_expand(store, own, wholes, &ids, &total, reterr);
    free(own);
    free(ids);
    *ret_count = code == DUET_OK ? total - wholes : 0;
    return code;
}

/* Each answer, and behind it those of its regions. */
static struct answer *interleave(const struct answer *answers, size_t count,
                                 const struct answer *regions, size_t region_count)
{
    struct answer *all = alloc_array(count + region_count, sizeof *all);
    size_t at = 0;
    for (size_t i = 0; i < count && all != NULL; i++) {
        all[at++] = answers[i];
        for (size_t j = 0; j < region_count; j++) {
            if (regions[j].experiment.region_of == answers[i].experiment.id) {
                all[at++] = regions[j];
            }
        }
    }
    return all;
}

enum duet_code regions_conclude(struct store *store, struct answer **answers,
                                size_t *count, struct duet_error *reterr)
{
    int64_t *own = alloc_array(*count, sizeof *own);
    int64_t *ids = NULL;
    size_t total = 0;
    size_t made = 0;
    if (own == NULL) {
        return error_no_memory(reterr);
    }
    size_t stored = 0; /* what failed early has no experiment */
    for (size_t i = 0; i < *count; i++) {
        own[stored] = (*answers)[i].experiment.id;
        stored += own[stored] != 0;
    }
    enum duet_code code = regions_expand(store, own, stored, &ids, &total, reterr);
    free(own);
    if (code != DUET_OK || total == stored) {
        free(ids);
        return code;
    }
    size_t family = 0;
    struct answer *regions = alloc_array(total - stored, sizeof *regions);
    code = regions == NULL ? error_no_memory(reterr)
                           : count_judged(store, *answers, *count, &family, reterr);
    if (code == DUET_OK) {
        code = make_all(store, ids, total, family, regions, &made, reterr);
    }
    if (code == DUET_OK) {
        code = answers_conclude(store, regions, made, reterr);
    }
    struct answer *all = NULL;
    if (code == DUET_OK) {
        all = interleave(*answers, *count, regions, made);
        code = all == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    free(ids);
    if (code != DUET_OK) {
        answers_free(regions, made);
        return code;
    }
    free(regions);
    free(*answers);
    *answers = all;
    *count += made;
    return DUET_OK;
}
