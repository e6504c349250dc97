#include "study/study_cleaning.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double all_of_them = (double)INFINITY;

void study_clean_none(const struct model_dataset *dataset,
                      struct study_cleaned *ret_counts)
{
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        size_t count = model_dataset_extent(dataset, c).values;
        ret_counts[c] = (struct study_cleaned){count, count};
    }
}

/* From which value on they are dropped. */
static enum duet_code limit_of(const double *values, size_t count, double factor,
                               double *scratch, double *ret_limit,
                               struct duet_error *reterr)
{
    double median = 0;
    if (values == NULL) {
        *ret_limit = all_of_them;
        return DUET_OK;
    }
    memcpy(scratch, values, count * sizeof *values);
    enum duet_code code = stats_quantile_type7(scratch, count, 0.5, &median, reterr);
    if (code == DUET_OK) {
        *ret_limit = factor * median;
    }
    return code;
}

/* What stays, value by value. */
static enum duet_code mark(const struct model_dataset *dataset, double factor,
                           double *scratch, bool *keeps,
                           struct study_cleaned *ret_counts, struct duet_error *reterr)
{
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        struct model_extent extent = model_dataset_extent(dataset, c);
        const double *values = dataset->values + extent.first_value;
        const double *olds =
            dataset->olds == NULL ? NULL : dataset->olds + extent.first_value;
        double limit = 0;
        double old_limit = 0;
        size_t kept = 0;
        enum duet_code code =
            limit_of(values, extent.values, factor, scratch, &limit, reterr);
        if (code == DUET_OK) {
            code = limit_of(olds, extent.values, factor, scratch, &old_limit, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
        for (size_t i = 0; i < extent.values; i++) {
            bool keep = values[i] < limit && (olds == NULL || olds[i] < old_limit);
            keeps[extent.first_value + i] = keep;
            kept += keep;
        }
        if (kept == 0) {
            return error_set(reterr, DUET_E_TOO_FEW, "cleaning leaves nothing of '%s'",
                             model_dataset_benchmark(dataset, c));
        }
        ret_counts[c] = (struct study_cleaned){extent.values, kept};
    }
    return DUET_OK;
}

/* Where the next of each level is written. */
struct cursors {
    size_t value;
    size_t trial;
    size_t instance;
};

static void keep_trial(struct model_dataset *dataset, const bool *keeps, size_t trial,
                       struct cursors *to)
{
    struct model_trial from = dataset->trials[trial];
    struct model_trial made = {.first = to->value, .name = from.name};
    for (size_t i = from.first; i < from.first + from.count; i++) {
        if (keeps[i]) {
            dataset->values[to->value] = dataset->values[i];
            if (dataset->olds != NULL) {
                dataset->olds[to->value] = dataset->olds[i];
            }
            to->value++;
            made.count++;
        }
    }
    if (made.count > 0) {
        dataset->trials[to->trial++] = made;
    }
}

/* Everything moves towards the front, and is read before it is written over. */
static void compact(struct model_dataset *dataset, const bool *keeps)
{
    struct cursors to = {0};
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        struct model_configuration *of = &dataset->configurations[c];
        size_t first = of->first;
        size_t count = of->count;
        of->first = to.instance;
        for (size_t i = first; i < first + count; i++) {
            struct model_instance from = dataset->instances[i];
            struct model_instance made = {.first = to.trial, .name = from.name};
            for (size_t t = from.first; t < from.first + from.count; t++) {
                keep_trial(dataset, keeps, t, &to);
            }
            made.count = to.trial - made.first;
            if (made.count > 0) {
                dataset->instances[to.instance++] = made;
            }
        }
        of->count = to.instance - of->first;
    }
    dataset->value_count = to.value;
    dataset->trial_count = to.trial;
    dataset->instance_count = to.instance;
}

enum duet_code study_clean(struct model_dataset *dataset, double factor,
                           struct study_cleaned *ret_counts, struct duet_error *reterr)
{
    if (!(factor > 1)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "values are dropped from a multiple of the median above 1, got %g", factor);
    }
    size_t most = 0;
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        size_t count = model_dataset_extent(dataset, c).values;
        most = count > most ? count : most;
    }
    bool *keeps = alloc_array(dataset->value_count, sizeof *keeps);
    double *scratch = alloc_array(most, sizeof *scratch);
    enum duet_code code = DUET_OK;
    if (keeps == NULL || scratch == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory to clean %zu values",
                         dataset->value_count);
    } else {
        code = mark(dataset, factor, scratch, keeps, ret_counts, reterr);
    }
    if (code == DUET_OK) {
        compact(dataset, keeps);
    }
    free(keeps);
    free(scratch);
    return code;
}

static bool is_within(size_t index, size_t limit)
{
    return limit == 0 || index < limit;
}

static void mark_first(const struct model_dataset *dataset,
                       const struct model_configuration *of,
                       const struct study_limits *limits, bool *keeps)
{
    for (size_t i = 0; i < of->count; i++) {
        const struct model_instance *instance = &dataset->instances[of->first + i];
        for (size_t t = 0; t < instance->count; t++) {
            const struct model_trial *trial = &dataset->trials[instance->first + t];
            bool kept = is_within(i, limits->instances) && is_within(t, limits->trials);
            for (size_t v = 0; v < trial->count; v++) {
                keeps[trial->first + v] = kept && is_within(v, limits->iterations);
            }
        }
    }
}

enum duet_code study_keep_first(struct model_dataset *dataset,
                                const struct study_limits *limits,
                                struct duet_error *reterr)
{
    bool *keeps = alloc_array(dataset->value_count, sizeof *keeps);
    if (keeps == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values",
                         dataset->value_count);
    }
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        mark_first(dataset, &dataset->configurations[c], limits, keeps);
    }
    compact(dataset, keeps);
    free(keeps);
    return DUET_OK;
}
