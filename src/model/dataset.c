#include "model/dataset.h"

#include <stdlib.h>
#include <string.h>

struct model_extent model_dataset_extent(const struct model_dataset *dataset,
                                         size_t configuration)
{
    const struct model_configuration *of = &dataset->configurations[configuration];
    const struct model_instance *first = &dataset->instances[of->first];
    const struct model_instance *last = first + of->count - 1;
    const struct model_trial *first_trial = &dataset->trials[first->first];
    const struct model_trial *last_trial =
        &dataset->trials[last->first + last->count - 1];
    return (struct model_extent){
        .first_trial = first->first,
        .trials = last->first + last->count - first->first,
        .first_value = first_trial->first,
        .values = last_trial->first + last_trial->count - first_trial->first,
    };
}

const char *model_dataset_benchmark(const struct model_dataset *dataset,
                                    size_t configuration)
{
    return dataset->benchmarks[dataset->configurations[configuration].benchmark];
}

const char *model_dataset_environment(const struct model_dataset *dataset,
                                      size_t configuration)
{
    return dataset->environments[dataset->configurations[configuration].environment];
}

size_t model_dataset_find(const struct model_dataset *dataset, size_t benchmark,
                          size_t environment)
{
    size_t c = 0;
    while (c < dataset->configuration_count &&
           (dataset->configurations[c].benchmark != benchmark ||
            dataset->configurations[c].environment != environment)) {
        c++;
    }
    return c;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) {
        free(names[i]);
    }
    free(names);
}

void model_dataset_release(struct model_dataset *dataset)
{
    if (dataset != NULL) {
        free_names(dataset->benchmarks, dataset->benchmark_count);
        free_names(dataset->environments, dataset->environment_count);
        free_names(dataset->instance_names, dataset->instance_name_count);
        free_names(dataset->trial_names, dataset->trial_name_count);
        free(dataset->configurations);
        free(dataset->instances);
        free(dataset->trials);
        free(dataset->values);
        free(dataset->olds);
        *dataset = (struct model_dataset){0};
    }
}

/* ---- A part of the benchmarks ---- */

/* Where the next of each level is written. */
struct cursors {
    size_t value;
    size_t trial;
    size_t instance;
    size_t configuration;
};

/* Everything moves towards the front, and is read before it is written over. */
static void move_configuration(struct model_dataset *dataset,
                               const struct model_configuration *from,
                               struct model_extent extent, struct cursors *to)
{
    memmove(dataset->values + to->value, dataset->values + extent.first_value,
            extent.values * sizeof *dataset->values);
    if (dataset->olds != NULL) {
        memmove(dataset->olds + to->value, dataset->olds + extent.first_value,
                extent.values * sizeof *dataset->olds);
    }
    for (size_t t = 0; t < extent.trials; t++) {
        struct model_trial trial = dataset->trials[extent.first_trial + t];
        trial.first += to->value - extent.first_value;
        dataset->trials[to->trial + t] = trial;
    }
    for (size_t i = 0; i < from->count; i++) {
        struct model_instance instance = dataset->instances[from->first + i];
        instance.first += to->trial - extent.first_trial;
        dataset->instances[to->instance + i] = instance;
    }
    struct model_configuration made = *from;
    made.first = to->instance;
    dataset->configurations[to->configuration++] = made;
    to->value += extent.values;
    to->trial += extent.trials;
    to->instance += made.count;
}

/* Takes out the names that no configuration has. `index_of` is where a configuration
 * keeps the index of its name. */
static void drop_names(struct model_dataset *dataset, char **names, size_t *count,
                       size_t *(*index_of)(struct model_configuration *configuration))
{
    size_t kept = 0;
    for (size_t n = 0; n < *count; n++) {
        bool used = false;
        for (size_t c = 0; c < dataset->configuration_count; c++) {
            size_t *index = index_of(&dataset->configurations[c]);
            if (*index == n) {
                used = true;
                *index = kept;
            }
        }
        if (used) {
            names[kept++] = names[n];
        } else {
            free(names[n]);
        }
    }
    *count = kept;
}

static size_t *benchmark_of(struct model_configuration *configuration)
{
    return &configuration->benchmark;
}

static size_t *environment_of(struct model_configuration *configuration)
{
    return &configuration->environment;
}

void model_dataset_keep_benchmarks(struct model_dataset *dataset, const bool *keeps)
{
    struct cursors to = {0};
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        struct model_configuration from = dataset->configurations[c];
        if (keeps[from.benchmark]) {
            move_configuration(dataset, &from, model_dataset_extent(dataset, c), &to);
        }
    }
    dataset->value_count = to.value;
    dataset->trial_count = to.trial;
    dataset->instance_count = to.instance;
    dataset->configuration_count = to.configuration;
    drop_names(dataset, dataset->benchmarks, &dataset->benchmark_count, benchmark_of);
    drop_names(dataset, dataset->environments, &dataset->environment_count,
               environment_of);
}
