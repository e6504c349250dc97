#include "study/grid/study_subject.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Both sides one after the other, and their log ratios in either direction. */
static bool fill_pairs(const struct model_dataset *dataset, size_t first,
                       struct study_subject *subject)
{
    size_t count = subject->count;
    subject->own_values = alloc_array(2 * count, sizeof *subject->own_values);
    subject->logs = alloc_array(2 * count, sizeof *subject->logs);
    if (subject->own_values == NULL || subject->logs == NULL) {
        return false;
    }
    memcpy(subject->own_values, dataset->values + first, count * sizeof(double));
    memcpy(subject->own_values + count, dataset->olds + first, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        double ratio = log(dataset->values[first + i] / dataset->olds[first + i]);
        subject->logs[i] = ratio;
        subject->logs[count + i] = -ratio;
    }
    subject->values = subject->own_values;
    return true;
}

static void fill(const struct model_dataset *dataset,
                 const struct model_configuration *of,
                 const struct model_extent *extent, struct study_subject *subject)
{
    size_t *firsts = subject->memory;
    size_t *offsets = firsts + of->count + 1;
    size_t *counts = offsets + extent->trials;
    for (size_t i = 0; i < of->count; i++) {
        firsts[i] = dataset->instances[of->first + i].first - extent->first_trial;
    }
    firsts[of->count] = extent->trials;
    for (size_t t = 0; t < extent->trials; t++) {
        const struct model_trial *trial = &dataset->trials[extent->first_trial + t];
        offsets[t] = trial->first - extent->first_value;
        counts[t] = trial->count;
        subject->longest =
            trial->count > subject->longest ? trial->count : subject->longest;
    }
    subject->nested = (struct stats_nested){
        .firsts = firsts, .units = of->count, .offsets = offsets, .counts = counts};
}

static bool sort_trials(struct study_subject *subject)
{
    size_t sides = subject->logs == NULL ? 1 : 2;
    subject->own_sorted = alloc_array(sides * subject->count, sizeof(double));
    if (subject->own_sorted == NULL) {
        return false;
    }
    memcpy(subject->own_sorted, subject->values,
           sides * subject->count * sizeof(double));
    for (size_t side = 0; side < sides; side++) {
        for (size_t t = 0; t < subject->trials; t++) {
            stats_sort(subject->own_sorted + side * subject->count +
                           subject->nested.offsets[t],
                       subject->nested.counts[t]);
        }
    }
    subject->sorted = subject->own_sorted;
    return true;
}

enum duet_code study_subject_init(const struct model_dataset *dataset,
                                  size_t configuration,
                                  struct study_subject *ret_subject,
                                  struct duet_error *reterr)
{
    const struct model_configuration *of = &dataset->configurations[configuration];
    struct model_extent extent = model_dataset_extent(dataset, configuration);
    struct study_subject made = {
        .number = configuration,
        .values = dataset->values + extent.first_value,
        .count = extent.values,
        .trials = extent.trials,
        .memory = alloc_array(of->count + 1 + 2 * extent.trials, sizeof *made.memory),
    };
    bool done = made.memory != NULL;
    if (done) {
        fill(dataset, of, &extent, &made);
        done = dataset->olds == NULL || fill_pairs(dataset, extent.first_value, &made);
        done = done && sort_trials(&made);
    }
    if (!done) {
        study_subject_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values",
                         extent.values);
    }
    *ret_subject = made;
    return DUET_OK;
}

void study_subject_release(struct study_subject *subject)
{
    free(subject->own_values);
    free(subject->own_sorted);
    free(subject->logs);
    free(subject->memory);
    *subject = (struct study_subject){0};
}
