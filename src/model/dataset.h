/* Measurements of many benchmarks in many environments, three levels each: instances
 * (machines or VMs), trials on an instance (runs, forks), iterations of a trial. */
#ifndef DUET_MODEL_DATASET_H
#define DUET_MODEL_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values first to first + count - 1 of the set. */
struct model_trial {
    size_t first;
    size_t count; /* >= 1 */
    size_t name;  /* index of its name */
};

/* Trials first to first + count - 1 of the set. */
struct model_instance {
    size_t first;
    size_t count; /* >= 1 */
    size_t name;  /* index of its name */
};

/* One benchmark in one environment; instances first to first + count - 1 of the set. */
struct model_configuration {
    size_t benchmark;   /* index of its name */
    size_t environment; /* index of its name */
    size_t first;
    size_t count; /* >= 1 */
};

/* Everything lies in one block a level, in the order of the levels, so that the values
 * of a trial, of an instance and of a configuration each lie together. */
struct model_dataset {
    char **benchmarks;
    size_t benchmark_count;
    char **environments;
    size_t environment_count;
    char **instance_names; /* each once, whosever instances are called so */
    size_t instance_name_count;
    char **trial_names;
    size_t trial_name_count;
    struct model_configuration *configurations;
    size_t configuration_count;
    struct model_instance *instances;
    size_t instance_count;
    struct model_trial *trials;
    size_t trial_count;
    double *values; /* > 0, any unit of time; of pairs the new side */
    double *olds;   /* the old side, value by value; NULL: the data has no pairs */
    size_t value_count;
    /* When the first and the last experiments began, ms since 1970; 0: unknown. */
    int64_t first_utc_ms;
    int64_t last_utc_ms;
};

/* The values of a configuration, and where they begin. */
struct model_extent {
    size_t first_trial;
    size_t trials;
    size_t first_value;
    size_t values;
};
struct model_extent model_dataset_extent(const struct model_dataset *dataset,
                                         size_t configuration);

const char *model_dataset_benchmark(const struct model_dataset *dataset,
                                    size_t configuration);
const char *model_dataset_environment(const struct model_dataset *dataset,
                                      size_t configuration);

/* The configuration of a benchmark in an environment; configuration_count: none. */
size_t model_dataset_find(const struct model_dataset *dataset, size_t benchmark,
                          size_t environment);

/* Keeps, in place, the benchmarks of which `keeps` (one each) is true, with all that is
 * theirs; environments that nothing is left of go, too. At least one configuration must
 * stay. Names of instances and trials stay as they are. */
void model_dataset_keep_benchmarks(struct model_dataset *dataset, const bool *keeps);

/* Frees what it holds; it is empty afterwards. */
void model_dataset_release(struct model_dataset *dataset);

#endif
