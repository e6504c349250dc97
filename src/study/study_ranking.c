#include "study/study_ranking.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>

const char *const study_rank_names[STUDY_RANKS + 1] = {
    [STUDY_RANK_STABLE] = "stable", [STUDY_RANK_QUARTER_LOW] = "q1",
    [STUDY_RANK_MEDIAN] = "median", [STUDY_RANK_QUARTER_HIGH] = "q3",
    [STUDY_RANK_LEAST] = "least",
};

const char *study_rank_name(enum study_rank rank)
{
    return (unsigned)rank < STUDY_RANKS ? study_rank_names[rank] : "unknown";
}

static double cv_of(const struct model_dataset *dataset, size_t configuration)
{
    struct model_extent extent = model_dataset_extent(dataset, configuration);
    const struct stats_moments moments =
        stats_moments_of(dataset->values + extent.first_value, extent.values);
    return stats_moments_sd_sample(&moments) / moments.mean;
}

/* By CV, of equal ones by benchmark. */
static int compare_ranked(const void *left, const void *right)
{
    const struct study_ranked *a = left;
    const struct study_ranked *b = right;
    int by_cv = (a->cv > b->cv) - (a->cv < b->cv);
    return by_cv != 0 ? by_cv
                      : (a->benchmark > b->benchmark) - (a->benchmark < b->benchmark);
}

/* Mean CVs of the benchmarks that have one, in order; how many. counts: zeroed. */
static size_t rank_all(const struct model_dataset *dataset, size_t *counts,
                       struct study_ranked *ranked)
{
    size_t known = 0;
    for (size_t b = 0; b < dataset->benchmark_count; b++) {
        ranked[b] = (struct study_ranked){.benchmark = b};
    }
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        size_t benchmark = dataset->configurations[c].benchmark;
        double cv = cv_of(dataset, c);
        if (!isnan(cv)) {
            ranked[benchmark].cv += cv;
            counts[benchmark]++;
        }
    }
    for (size_t b = 0; b < dataset->benchmark_count; b++) {
        if (counts[b] > 0) {
            ranked[known++] = (struct study_ranked){
                .benchmark = b, .cv = ranked[b].cv / (double)counts[b]};
        }
    }
    qsort(ranked, known, sizeof *ranked, compare_ranked);
    return known;
}

enum duet_code study_rank_benchmarks(const struct model_dataset *dataset,
                                     struct study_ranked ret[STUDY_RANKS],
                                     size_t *ret_of, struct duet_error *reterr)
{
    struct study_ranked *ranked = alloc_array(dataset->benchmark_count, sizeof *ranked);
    size_t *counts = alloc_array(dataset->benchmark_count, sizeof *counts);
    enum duet_code code = DUET_OK;
    size_t known = 0;
    if (ranked == NULL || counts == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to rank %zu benchmarks",
                         dataset->benchmark_count);
    } else {
        known = rank_all(dataset, counts, ranked);
    }
    if (code == DUET_OK && known == 0) {
        code = error_set(
            reterr, DUET_E_TOO_FEW,
            "no benchmark has two values, so none can be ranked by how much it varies");
    }
    for (size_t r = 0; r < STUDY_RANKS && code == DUET_OK; r++) {
        /* (known - 1) * r / 4, rounded, halves up. */
        const size_t steps = STUDY_RANKS - 1;
        ret[r] = ranked[(2 * (known - 1) * r + steps) / (2 * steps)];
    }
    if (code == DUET_OK) {
        *ret_of = known;
    }
    free(ranked);
    free(counts);
    return code;
}
