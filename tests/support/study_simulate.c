#include "support/study_simulate.h"

#include "base/alloc.h"
#include "base/random.h"
#include "stats/gaussian.h"
#include "study/study_streams.h"

#include <math.h>
#include <stdbool.h>

static double draw_normal(struct random_stream *stream)
{
    return stats_gaussian_quantile(random_uniform(stream));
}

static char **copy_names(const char *const *names, size_t count)
{
    char **copies = alloc_array(count, sizeof *copies);
    for (size_t i = 0; copies != NULL && i < count; i++) {
        copies[i] = alloc_string(names[i]);
        if (copies[i] == NULL) {
            return copies; /* the caller sees the gap */
        }
    }
    return copies;
}

static bool is_whole(char **names, size_t count)
{
    return names != NULL && (count == 0 || names[count - 1] != NULL);
}

static bool allocate(const struct study_simulation *simulation,
                     struct model_dataset *made)
{
    size_t configurations = simulation->configuration_count;
    size_t instances = configurations * simulation->instances;
    size_t trials = instances * simulation->trials;
    size_t values = trials * simulation->iterations;
    *made = (struct model_dataset){
        .benchmarks = copy_names(simulation->benchmarks, simulation->benchmark_count),
        .benchmark_count = simulation->benchmark_count,
        .environments =
            copy_names(simulation->environments, simulation->environment_count),
        .environment_count = simulation->environment_count,
        .configurations = alloc_array(configurations, sizeof *made->configurations),
        .configuration_count = configurations,
        .instances = alloc_array(instances, sizeof *made->instances),
        .instance_count = instances,
        .trials = alloc_array(trials, sizeof *made->trials),
        .trial_count = trials,
        .values = alloc_array(values, sizeof *made->values),
        .value_count = values,
    };
    return is_whole(made->benchmarks, made->benchmark_count) &&
           is_whole(made->environments, made->environment_count) &&
           made->configurations != NULL && made->instances != NULL &&
           made->trials != NULL && made->values != NULL;
}

static void fill_values(const struct study_simulation *simulation, size_t configuration,
                        double *values)
{
    const struct study_simulated *like = &simulation->configurations[configuration];
    struct random_stream stream = random_stream_at(
        simulation->seed, study_stream(STUDY_USE_SIMULATION) + configuration);
    /* Of a log-normal with CV c the logarithm has the variance log(1 + c^2). */
    double variance = log1p(like->cv * like->cv);
    double of_instances = sqrt(variance * like->instance_share);
    double of_trials = sqrt(variance * like->trial_share);
    double rest = variance * (1.0 - like->instance_share - like->trial_share);
    double of_iterations = sqrt(fmax(0.0, rest));
    double center = log(like->mean) - variance / 2;
    for (size_t i = 0; i < simulation->instances; i++) {
        double instance = center + of_instances * draw_normal(&stream);
        for (size_t t = 0; t < simulation->trials; t++) {
            double trial = instance + of_trials * draw_normal(&stream);
            for (size_t v = 0; v < simulation->iterations; v++) {
                *values++ = exp(trial + of_iterations * draw_normal(&stream));
            }
        }
    }
}

static void fill(const struct study_simulation *simulation, struct model_dataset *made)
{
    size_t per_configuration =
        simulation->instances * simulation->trials * simulation->iterations;
    for (size_t c = 0; c < made->configuration_count; c++) {
        made->configurations[c] = (struct model_configuration){
            .benchmark = simulation->configurations[c].benchmark,
            .environment = simulation->configurations[c].environment,
            .first = c * simulation->instances,
            .count = simulation->instances};
        fill_values(simulation, c, made->values + c * per_configuration);
    }
    for (size_t i = 0; i < made->instance_count; i++) {
        made->instances[i] = (struct model_instance){.first = i * simulation->trials,
                                                     .count = simulation->trials};
    }
    for (size_t t = 0; t < made->trial_count; t++) {
        made->trials[t] = (struct model_trial){.first = t * simulation->iterations,
                                               .count = simulation->iterations};
    }
}

enum duet_code study_simulate(const struct study_simulation *simulation,
                              struct model_dataset *ret_dataset,
                              struct duet_error *reterr)
{
    struct model_dataset made = {0};
    if (simulation->configuration_count == 0 || simulation->instances == 0 ||
        simulation->trials == 0 || simulation->iterations == 0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a simulated data set needs at least one of each level");
    }
    if (!allocate(simulation, &made)) {
        model_dataset_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory for a simulated data set");
    }
    fill(simulation, &made);
    *ret_dataset = made;
    return DUET_OK;
}
