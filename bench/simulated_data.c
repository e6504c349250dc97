/* simulated_data [SHARE [SEED]]: a data set of the size of Laaber 2019 (19 benchmarks,
 * 10 environments, 50 instances, 10 trials, 50 iterations: 4.75 million values) in the
 * columns of pa, with an environment, on standard output; of SHARE percent of the
 * benchmarks and environments. */
#include "support/study_simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BENCHMARKS = 19,
    ENVIRONMENTS = 10,
    INSTANCES = 50,
    TRIALS = 10,
    ITERATIONS = 50
};

static const char *const benchmarks[BENCHMARKS] = {
    "log4j2-1", "log4j2-2", "log4j2-3", "log4j2-4", "log4j2-5", "rxjava-1", "rxjava-2",
    "rxjava-3", "rxjava-4", "rxjava-5", "bleve-2",  "bleve-3",  "bleve-4",  "bleve-5",
    "etcd-1",   "etcd-2",   "etcd-3",   "etcd-4",   "etcd-5"};
static const char *const environments[ENVIRONMENTS] = {
    "AWS-GP",  "AWS-CPU",  "AWS-Mem",   "GCE-GP",    "GCE-CPU",
    "GCE-Mem", "Azure-GP", "Azure-CPU", "Azure-Mem", "Bluemix"};

/* CV in percent, table 5; where the copy at hand is not legible, a neighbour's. */
static const double cv_pct[BENCHMARKS][ENVIRONMENTS] = {
    {45.41, 42.17, 43.0, 41.40, 43.0, 44.38, 46.19, 46.0, 51.79, 41.0},
    {7.90, 4.89, 3.92, 10.75, 9.71, 11.29, 6.18, 6.06, 11.01, 5.0},
    {4.86, 3.76, 2.53, 10.12, 9.18, 10.15, 13.89, 7.55, 15.46, 4.0},
    {3.67, 3.17, 3.2, 10.69, 10.0, 10.52, 17.00, 10.0, 19.32, 3.0},
    {76.75, 86.02, 88.20, 83.42, 82.44, 80.75, 82.62, 86.93, 82.07, 77.82},
    {0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.05, 0.05, 0.27, 0.03},
    {0.7, 0.6, 1.68, 5.7, 5.6, 6.3, 6.0, 5.5, 11.0, 0.49},
    {4.55, 4.18, 1.91, 9.0, 8.28, 9.63, 8.0, 7.0, 13.0, 4.14},
    {3.0, 2.5, 7.08, 10.0, 10.46, 10.0, 9.0, 8.0, 14.0, 1.42},
    {1.7, 1.6, 2.0, 6.0, 6.0, 6.5, 6.0, 5.5, 11.0, 1.76},
    {1.57, 1.32, 4.79, 5.56, 6.09, 5.78, 5.97, 5.48, 13.29, 0.27},
    {1.13, 7.53, 7.77, 10.08, 10.74, 14.42, 7.62, 6.12, 14.41, 0.18},
    {4.95, 4.38, 4.5, 8.0, 8.0, 8.5, 8.18, 8.0, 15.24, 1.5},
    {10.23, 9.84, 10.0, 57.60, 58.42, 58.0, 52.29, 46.40, 52.74, 10.16},
    {1.03, 3.17, 3.0, 6.0, 6.0, 6.5, 6.36, 6.0, 11.46, 0.3},
    {4.06, 4.45, 6.28, 66.79, 69.07, 69.18, 100.68, 95.0, 90.19, 29.46},
    {1.25, 0.69, 1.24, 7.15, 6.57, 6.8, 4.95, 5.0, 9.89, 0.14},
    {6.80, 6.00, 6.5, 30.0, 30.0, 31.0, 28.0, 27.0, 30.0, 10.0},
    {43.59, 22.46, 43.44, 27.21, 27.86, 27.17, 30.54, 31.40, 24.98, 23.73}};

/* Parts of the variance between instances and between trials, by the benchmark's number
 * in turn: mostly the instance, mostly the trial, mostly the benchmark, all three
 * (figure 5). */
static const double shares[4][2] = {{0.7, 0.15}, {0.1, 0.7}, {0.1, 0.1}, {0.35, 0.3}};

static void fill(struct study_simulated *configurations)
{
    for (size_t b = 0; b < BENCHMARKS; b++) {
        for (size_t e = 0; e < ENVIRONMENTS; e++) {
            configurations[b * ENVIRONMENTS + e] =
                (struct study_simulated){.benchmark = b,
                                         .environment = e,
                                         .mean = 1000.0 * (double)(b + 1),
                                         .cv = cv_pct[b][e] / 100.0,
                                         .instance_share = shares[b % 4][0],
                                         .trial_share = shares[b % 4][1]};
        }
    }
}

static void print_instance(const struct model_dataset *dataset, size_t configuration,
                           size_t number, const struct model_instance *instance)
{
    for (size_t t = 0; t < instance->count; t++) {
        const struct model_trial *trial = &dataset->trials[instance->first + t];
        for (size_t i = 0; i < trial->count; i++) {
            (void)printf("simulated;0;%s;;%s;%zu;%zu;0;%zu;avgt;ns/op;1;%.3f\n",
                         model_dataset_benchmark(dataset, configuration),
                         model_dataset_environment(dataset, configuration), number, t,
                         i, dataset->values[trial->first + i]);
        }
    }
}

static int print(const struct model_dataset *dataset)
{
    (void)puts(
        "project;commit;benchmark;params;environment;instance;trial;fork;iteration;mode;unit;value_count;value");
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        const struct model_configuration *of = &dataset->configurations[c];
        for (size_t i = 0; i < of->count; i++) {
            print_instance(dataset, c, i, &dataset->instances[of->first + i]);
        }
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static struct study_simulated configurations[BENCHMARKS * ENVIRONMENTS];
    double share = argc > 1 ? strtod(argv[1], NULL) : 100;
    size_t wanted = (size_t)(share / 100.0 * BENCHMARKS * ENVIRONMENTS + 0.5);
    struct study_simulation simulation = {
        .benchmarks = benchmarks,
        .benchmark_count = BENCHMARKS,
        .environments = environments,
        .environment_count = ENVIRONMENTS,
        .configurations = configurations,
        .configuration_count = wanted,
        .instances = INSTANCES,
        .trials = TRIALS,
        .iterations = ITERATIONS,
        .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
    };
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    if (wanted == 0 || wanted > (size_t)BENCHMARKS * ENVIRONMENTS) {
        (void)fprintf(stderr,
                      "usage: simulated_data [SHARE [SEED]]: percent, above 0\n");
        return 2;
    }
    fill(configurations);
    if (study_simulate(&simulation, &dataset, &error) != DUET_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    int status = print(&dataset);
    model_dataset_release(&dataset);
    return status;
}
