#include "session/dataset/dataset_load.h"

#include "base/alloc.h"
#include "session/dataset/dataset_source.h"

#include <stdlib.h>

struct dataset_options dataset_options_default(void)
{
    return (struct dataset_options){.outliers = 10};
}

void dataset_options_release(struct dataset_options *options)
{
    for (int role = 0; role < FORMATS_DATASET_ROLES; role++) {
        free(options->columns[role]);
        options->columns[role] = NULL;
    }
}

enum duet_code dataset_read(const struct dataset_options *options, char *const *words,
                            int count, struct model_dataset *ret_dataset,
                            struct formats_dataset_counts *ret_counts,
                            struct duet_error *reterr)
{
    struct dataset_sources sources = {.stores = NULL};
    bool old = options->csv.columns[FORMATS_DATASET_OLD] != NULL;
    if (old != (options->csv.columns[FORMATS_DATASET_NEW] != NULL)) {
        return error_set(reterr, DUET_E_USAGE, "--map: pairs need both old= and new=");
    }
    enum duet_code code =
        dataset_sources_find(options->store, words, (size_t)count, &sources, reterr);
    if (code == DUET_OK) {
        code = dataset_sources_read(&sources, options->kind, &options->csv, ret_dataset,
                                    ret_counts, reterr);
    }
    dataset_sources_release(&sources);
    return code;
}

static enum duet_code clean(const struct dataset_options *options,
                            struct dataset_loaded *loaded, struct duet_error *reterr)
{
    enum duet_code code = study_keep_first(&loaded->dataset, &options->limits, reterr);
    if (code != DUET_OK) {
        return code;
    }
    loaded->cleaned =
        alloc_array(loaded->dataset.configuration_count, sizeof *loaded->cleaned);
    if (loaded->cleaned == NULL) {
        return error_no_memory(reterr);
    }
    if (options->outliers > 0) {
        return study_clean(&loaded->dataset, options->outliers, loaded->cleaned,
                           reterr);
    }
    study_clean_none(&loaded->dataset, loaded->cleaned);
    return DUET_OK;
}

/* The cleaning's counts follow their configurations. */
static void keep_counts(struct dataset_loaded *loaded, const bool *keeps)
{
    size_t kept = 0;
    for (size_t c = 0; c < loaded->dataset.configuration_count; c++) {
        if (keeps[loaded->dataset.configurations[c].benchmark]) {
            loaded->cleaned[kept++] = loaded->cleaned[c];
        }
    }
}

static enum duet_code keep_ranks(unsigned ranks, struct dataset_loaded *loaded,
                                 struct duet_error *reterr)
{
    struct study_ranked ranked[STUDY_RANKS];
    enum duet_code code =
        study_rank_benchmarks(&loaded->dataset, ranked, &loaded->ranked_of, reterr);
    bool *keeps = alloc_array(loaded->dataset.benchmark_count, sizeof *keeps);
    if (code == DUET_OK && keeps == NULL) {
        code = error_no_memory(reterr);
    }
    for (int r = 0; r < STUDY_RANKS && code == DUET_OK; r++) {
        if ((ranks >> (unsigned)r & 1U) != 0) {
            keeps[ranked[r].benchmark] = true;
            loaded->ranked[loaded->ranked_count++] =
                (struct dataset_rank){(enum study_rank)r, ranked[r].cv,
                                      loaded->dataset.benchmarks[ranked[r].benchmark]};
        }
    }
    if (code == DUET_OK) {
        keep_counts(loaded, keeps);
        model_dataset_keep_benchmarks(&loaded->dataset, keeps);
    }
    free(keeps);
    return code;
}

enum duet_code dataset_load(const struct dataset_options *options, char *const *words,
                            int count, struct dataset_loaded *ret_loaded,
                            struct duet_error *reterr)
{
    struct dataset_loaded loaded = {.cleaned = NULL};
    enum duet_code code =
        dataset_read(options, words, count, &loaded.dataset, &loaded.counts, reterr);
    if (code == DUET_OK) {
        code = clean(options, &loaded, reterr);
    }
    if (code == DUET_OK && options->ranks != 0) {
        code = keep_ranks(options->ranks, &loaded, reterr);
    }
    if (code == DUET_OK) {
        *ret_loaded = loaded;
    } else {
        dataset_loaded_release(&loaded);
    }
    return code;
}

void dataset_loaded_release(struct dataset_loaded *loaded)
{
    model_dataset_release(&loaded->dataset);
    free(loaded->cleaned);
    loaded->cleaned = NULL;
}
