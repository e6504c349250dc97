/* stats_memory WHAT COUNT: the memory that a computation takes beyond its data. Makes
 * COUNT values, then prints the peak of the resident memory above what the values take,
 * in KiB. */
#include "base/alloc.h"
#include "base/random.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/bootstrap/resample.h"
#include "stats/moments.h"
#include "stats/rank/cliff.h"
#include "stats/rank/dominance.h"
#include "stats/rank/order.h"
#include "stats/rank/ranksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLICATES = 10 };

static enum duet_code summary(double *values, size_t count, struct duet_error *error)
{
    static const double probabilities[] = {0.05, 0.5, 0.95};
    double quantiles[3];
    double sd = 0.0;
    double mean = 0.0;
    enum duet_code code = stats_mean(values, count, &mean, error);
    if (code == DUET_OK) {
        code = stats_sd_sample(values, count, &sd, error);
    }
    return code == DUET_OK ? stats_quantiles_type7(values, count, probabilities, 3,
                                                   quantiles, error)
                           : code;
}

static enum duet_code bootstrap(double *values, size_t count, struct duet_error *error)
{
    const struct stats_resampling how = {.seed = 1, .replicates = REPLICATES};
    struct stats_interval interval;
    return stats_bootstrap_percentile(values, count, 0.95, &how, &interval, error);
}

static enum duet_code resample(double *values, size_t count, struct duet_error *error)
{
    const struct stats_question question = {.groups = {{values, count, NULL}},
                                            .rooms = {values}};
    const struct stats_resampling how = {.seed = 1, .replicates = REPLICATES};
    double replicates[REPLICATES];
    double estimate = 0.0;
    return stats_resample(&question, &how, &estimate, replicates, error);
}

static enum duet_code ranksum(double *values, size_t count, struct duet_error *error)
{
    struct stats_dominance dominance;
    struct stats_ranksum test;
    struct stats_cliff cliff;
    enum duet_code code = stats_dominance_count_in_place(
        values, count / 2, values + count / 2, count - count / 2, &dominance, error);
    if (code == DUET_OK) {
        code = stats_ranksum_test(&dominance, STATS_RANKSUM_AUTO, &test, error);
    }
    return code == DUET_OK ? stats_cliff_delta(&dominance, 0.95, &cliff, error) : code;
}

static const struct {
    const char *name;
    enum duet_code (*run)(double *values, size_t count, struct duet_error *error);
} computations[] = {
    {"summary", summary},
    {"bootstrap", bootstrap},
    {"resample", resample},
    {"ranksum", ranksum},
};

static long status_kib(const char *field)
{
    char row[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && fgets(row, sizeof row, status) != NULL) {
        if (strncmp(row, field, strlen(field)) == 0) {
            kib = strtol(row + strlen(field), NULL, 10);
        }
    }
    if (status != NULL) {
        (void)fclose(status);
    }
    return kib;
}

/* So that the peak is that of what follows. */
static void reset_peak(void)
{
    FILE *references = fopen("/proc/self/clear_refs", "we");
    if (references != NULL) {
        (void)fputs("5", references);
        (void)fclose(references);
    }
}

int main(int argc, char **argv)
{
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    double *values = alloc_array(count, sizeof *values);
    struct random_stream stream = random_stream_at(1, 0);
    if (values == NULL || count == 0) {
        (void)fprintf(stderr, "usage: stats_memory WHAT COUNT, with enough memory\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = 1.0 + random_uniform(&stream);
    }
    for (size_t c = 0; c < sizeof computations / sizeof computations[0]; c++) {
        struct duet_error error;
        if (strcmp(argv[1], computations[c].name) != 0) {
            continue;
        }
        reset_peak();
        long before = status_kib("VmRSS:");
        if (computations[c].run(values, count, &error) != DUET_OK) {
            (void)fprintf(stderr, "stats_memory: %s\n", error.message);
            return 1;
        }
        (void)printf("%ld\n", status_kib("VmHWM:") - before);
    }
    free(values);
    return 0;
}
