#include "model/dataset.h"

#include <stdlib.h>

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
