#include "analysis/remarks/fitness.h"

#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/rank/order.h"
#include "stats/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MIN = 8,
    BATCH_ROUNDS = 20, /* of a millisecond each */
    BATCHES_MIN = 10
};

/* Two series of logarithms, and room to work. */
struct logs {
    double *cpu[MODEL_PROBE_CPUS];
    double *ratio;
    double *scratch;
    size_t count;
};

static void logs_release(struct logs *logs)
{
    free(logs->cpu[0]);
    free(logs->cpu[1]);
    free(logs->ratio);
    free(logs->scratch);
}

static enum duet_code logs_init(const struct model_probe *probe, struct logs *logs,
                                struct duet_error *reterr)
{
    size_t count = probe->rounds;
    *logs = (struct logs){
        .cpu = {alloc_array(count, sizeof(double)), alloc_array(count, sizeof(double))},
        .ratio = alloc_array(count, sizeof(double)),
        .scratch = alloc_array(count, sizeof(double)),
        .count = count};
    if (logs->cpu[0] == NULL || logs->cpu[1] == NULL || logs->ratio == NULL ||
        logs->scratch == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        for (int cpu = 0; cpu < MODEL_PROBE_CPUS; cpu++) {
            double time_ns = probe->times_ns[cpu][i];
            if (!(time_ns > 0)) {
                return error_set(reterr, DUET_E_DOMAIN,
                                 "the clock does not advance during a millisecond");
            }
            logs->cpu[cpu][i] = log(time_ns);
        }
        logs->ratio[i] = logs->cpu[1][i] - logs->cpu[0][i];
    }
    return DUET_OK;
}

/* Quartiles' distance as a standard deviation (1.349: of the normal distribution), and
 * the median. Cannot fail: there are values, and the probabilities ascend. */
static double spread(struct logs *logs, const double *values, double *ret_median)
{
    static const double probabilities[] = {0.25, 0.5, 0.75};
    double quartiles[3] = {(double)NAN, (double)NAN, (double)NAN};
    memcpy(logs->scratch, values, logs->count * sizeof *values);
    (void)!stats_quantiles_type7(logs->scratch, logs->count, probabilities, 3,
                                 quartiles, NULL);
    *ret_median = quartiles[1];
    return (quartiles[2] - quartiles[0]) / 1.349;
}

/* NaN for a constant series. */
static double lag_1(const double *values, size_t count)
{
    double correlations[2] = {1, (double)NAN};
    struct duet_error ignored;
    return stats_autocorrelation(values, count, 1, correlations, &ignored) == DUET_OK
               ? correlations[1]
               : (double)NAN;
}

static void describe_rounds(const struct model_probe *probe, struct logs *logs,
                            struct model_fitness *fitness)
{
    double medians[MODEL_PROBE_CPUS];
    for (int cpu = 0; cpu < MODEL_PROBE_CPUS; cpu++) {
        fitness->spread_ratio[cpu] = spread(logs, logs->cpu[cpu], &medians[cpu]);
    }
    double median = 0;
    fitness->paired_spread_ratio = spread(logs, logs->ratio, &median);
    fitness->bias_ratio = expm1(medians[1] - medians[0]);
    fitness->autocorrelation_times =
        (lag_1(logs->cpu[0], logs->count) + lag_1(logs->cpu[1], logs->count)) / 2;
    fitness->autocorrelation_ratios = lag_1(logs->ratio, logs->count);
    size_t disturbed = 0;
    for (size_t i = 0; i < logs->count; i++) {
        disturbed += logs->cpu[0][i] - medians[0] >= log(1.2) ||
                     logs->cpu[1][i] - medians[1] >= log(1.2);
    }
    fitness->disturbed_ratio = (double)disturbed / (double)logs->count;
    /* Rounds half the probe apart have nothing in common but the machine. */
    for (size_t i = 0; i < logs->count; i++) {
        size_t far = (i + logs->count / 2) % logs->count;
        logs->ratio[i] = logs->cpu[1][far] - logs->cpu[0][i];
    }
    fitness->unpaired_spread_ratio = spread(logs, logs->ratio, &median);
    fitness->switches_per_s =
        probe->elapsed_s > 0
            ? (double)(probe->involuntary[0] + probe->involuntary[1]) / probe->elapsed_s
            : (double)NAN;
    fitness->taken_ratio =
        probe->elapsed_s > 0
            ? (probe->taken_s[0] + probe->taken_s[1]) / (2 * probe->elapsed_s)
            : (double)NAN;
}

/* Log ratio of batch `second` on CPU 1 to batch `first` on CPU 0. */
static double batch_ratio(const struct model_probe *probe, size_t first, size_t second)
{
    struct stats_sum sums[MODEL_PROBE_CPUS] = {{0}};
    for (size_t i = 0; i < BATCH_ROUNDS; i++) {
        stats_sum_add(&sums[0], probe->times_ns[0][first * BATCH_ROUNDS + i]);
        stats_sum_add(&sums[1], probe->times_ns[1][second * BATCH_ROUNDS + i]);
    }
    return log(stats_sum_value(&sums[1])) - log(stats_sum_value(&sums[0]));
}

/* Batches half the probe apart are unrelated, as the rounds are. */
static void describe_batches(const struct model_probe *probe,
                             struct model_fitness *fitness)
{
    size_t count = probe->rounds / BATCH_ROUNDS;
    struct stats_moments paired = {0};
    struct stats_moments unpaired = {0};
    fitness->paired_batch_sd = fitness->unpaired_batch_sd = (double)NAN;
    fitness->batches = count;
    if (count < BATCHES_MIN) {
        return;
    }
    for (size_t b = 0; b < count; b++) {
        stats_moments_add(&paired, batch_ratio(probe, b, b));
        stats_moments_add(&unpaired, batch_ratio(probe, b, (b + count / 2) % count));
    }
    fitness->paired_batch_sd = stats_moments_sd_sample(&paired);
    fitness->unpaired_batch_sd = stats_moments_sd_sample(&unpaired);
}

static enum duet_code describe_meetings(const struct model_probe *probe,
                                        struct model_fitness *fitness,
                                        struct duet_error *reterr)
{
    static const double probabilities[] = {0.5, 0.99};
    double quantiles[2];
    double *copy = alloc_array(probe->meetings, sizeof *copy);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    memcpy(copy, probe->skew_ns, probe->meetings * sizeof *copy);
    enum duet_code code = stats_quantiles_type7(copy, probe->meetings, probabilities, 2,
                                                quantiles, reterr);
    free(copy);
    if (code == DUET_OK) {
        fitness->skew_median_ns = quantiles[0];
        fitness->skew_p99_ns = quantiles[1];
        fitness->preempted_ratio =
            (double)probe->preempted / (double)(probe->preempted + probe->meetings);
    }
    return code;
}

enum duet_code fitness_of(const struct model_probe *probe,
                          struct model_fitness *ret_fitness, struct duet_error *reterr)
{
    if (probe->rounds < ROUNDS_MIN || probe->meetings == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "%zu rounds and %zu undisturbed meetings are too few; "
                         "probe for longer",
                         probe->rounds, probe->meetings);
    }
    struct model_fitness fitness = {.clock_read_ns = probe->clock_read_ns,
                                    .transfer_ns = probe->transfer_ns,
                                    .steal_ratio = (double)NAN};
    enum duet_code code = describe_meetings(probe, &fitness, reterr);
    struct logs logs = {0};
    if (code == DUET_OK) {
        code = logs_init(probe, &logs, reterr);
    }
    if (code == DUET_OK) {
        describe_rounds(probe, &logs, &fitness);
        describe_batches(probe, &fitness);
        *ret_fitness = fitness;
    }
    logs_release(&logs);
    return code;
}
