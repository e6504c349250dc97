/* stats_bench REPEATS: times the statistics, and beside them a plain loop that adds
 * values at random indices, all in one run. Prints one JSON object: for every figure
 * its times in milliseconds, one a repetition. Repetitions go round all figures, so
 * that what disturbs the machine hits all alike. */
#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "stats/bootstrap/resample.h"
#include "stats/moments.h"
#include "stats/rank/cliff.h"
#include "stats/rank/dominance.h"
#include "stats/rank/ranksum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MACHINES = 20,
    RUNS = 5,
    ITERATIONS = 50,
    VALUES = MACHINES * RUNS * ITERATIONS,
    REPLICATES = 10000,
    PAPER_RUNS = 10,
    PAPER_ITERATIONS = 100,
    SAMPLE = 1000000,
    SERIES = 3000,
    SERIES_REPLICATES = 1000,
    BLOCK_LENGTH = 12
};

struct data {
    double values[VALUES];
    double series[SERIES];
    double replicates[REPLICATES];
    uint32_t drawn[VALUES];
    double times[2][PAPER_RUNS * PAPER_ITERATIONS];
    double samples[2][SAMPLE];
    double tied[2][SAMPLE]; /* in whole thousandths */
    volatile double sink;   /* keeps the plain loop from being left out */
};

struct figure {
    const char *name;
    int threads;
    void (*run)(struct data *data);
};

static void must(enum duet_code code, const struct duet_error *error)
{
    if (code != DUET_OK) {
        (void)fprintf(stderr, "stats_bench: %s\n", error->message);
        exit(1);
    }
}

static void resample(struct data *data, const struct stats_question *question,
                     size_t replicates)
{
    struct duet_error error;
    struct stats_resampling how = {.seed = 1, .replicates = replicates};
    double estimate = 0.0;
    must(stats_resample(question, &how, &estimate, data->replicates, &error), &error);
}

/* From the times of the pairs to the interval. */
static void paper(struct data *data)
{
    struct duet_error error;
    struct stats_resampling how = {.seed = 1, .replicates = REPLICATES};
    struct stats_interval interval;
    double runs[PAPER_RUNS];
    for (size_t run = 0; run < PAPER_RUNS; run++) {
        double logs[PAPER_ITERATIONS];
        for (size_t i = 0; i < PAPER_ITERATIONS; i++) {
            size_t pair = run * PAPER_ITERATIONS + i;
            logs[i] = log(data->times[1][pair] / data->times[0][pair]);
        }
        must(stats_mean(logs, PAPER_ITERATIONS, &runs[run], &error), &error);
    }
    must(stats_bootstrap_percentile(runs, PAPER_RUNS, 0.99, &how, &interval, &error),
         &error);
}

/* U, its p value, delta and its interval. */
static void compare_samples(double samples[2][SAMPLE])
{
    static double copies[2][SAMPLE]; /* which the count sorts; too large for a stack */
    memcpy(copies, samples, sizeof copies);
    struct duet_error error;
    struct stats_dominance dominance;
    struct stats_ranksum test;
    struct stats_cliff cliff;
    must(
        stats_dominance_count(copies[0], SAMPLE, copies[1], SAMPLE, &dominance, &error),
        &error);
    must(stats_ranksum_test(&dominance, STATS_RANKSUM_AUTO, &test, &error), &error);
    must(stats_cliff_delta(&dominance, 0.95, &cliff, &error), &error);
}

static void ranksum(struct data *data)
{
    compare_samples(data->samples);
}

static void ranksum_tied(struct data *data)
{
    compare_samples(data->tied);
}

static void hierarchical(struct data *data)
{
    static const size_t machines[] = {MACHINES};
    size_t runs[MACHINES];
    size_t iterations[MACHINES * RUNS];
    for (size_t i = 0; i < (size_t)MACHINES * RUNS; i++) {
        runs[i / RUNS] = RUNS;
        iterations[i] = ITERATIONS;
    }
    const size_t *const sizes[] = {machines, runs, iterations};
    const struct stats_levels levels = {.depth = 3, .sizes = sizes};
    const struct stats_question question = {
        .groups = {{data->values, VALUES, &levels}}};
    resample(data, &question, REPLICATES);
}

static void plain(struct data *data)
{
    const struct stats_question question = {.groups = {{data->values, VALUES, NULL}}};
    resample(data, &question, REPLICATES);
}

static void circular(struct data *data, struct stats_statistic statistic)
{
    const struct stats_question question = {
        .statistic = statistic,
        .scheme = STATS_SCHEME_CIRCULAR,
        .block_length = BLOCK_LENGTH,
        .groups = {{data->series, SERIES, NULL}},
    };
    resample(data, &question, SERIES_REPLICATES);
}

static void circular_mean(struct data *data)
{
    circular(data, (struct stats_statistic){.kind = STATS_STATISTIC_MEAN});
}

static void circular_p90(struct data *data)
{
    circular(data, (struct stats_statistic){STATS_STATISTIC_QUANTILE, 0.9});
}

static void share(struct data *data, threads_body *body)
{
    threads_do(&(struct threads_loop){.count = REPLICATES,
                                      .threads = threads_usual(),
                                      .body = body,
                                      .context = data});
}

static enum duet_code gather_one_some(void *context, size_t first, size_t end,
                                      size_t thread, struct duet_error *reterr)
{
    (void)thread;
    (void)reterr;
    struct data *data = context;
    for (size_t b = first; b < end; b++) {
        double sum = 0.0;
        for (size_t i = 0; i < VALUES; i++) {
            sum += data->values[data->drawn[i]];
        }
        data->sink = sum;
    }
    return DUET_OK;
}

/* The plain loop: indices that were drawn before, one sum. */
static void gather_one(struct data *data)
{
    share(data, gather_one_some);
}

static enum duet_code gather_eight_some(void *context, size_t first, size_t end,
                                        size_t thread, struct duet_error *reterr)
{
    (void)thread;
    (void)reterr;
    struct data *data = context;
    for (size_t b = first; b < end; b++) {
        double sums[8] = {0};
        for (size_t i = 0; i < VALUES; i += 8) {
            for (size_t lane = 0; lane < 8; lane++) {
                sums[lane] += data->values[data->drawn[i + lane]];
            }
        }
        data->sink = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] +
                     sums[6] + sums[7];
    }
    return DUET_OK;
}

/* The same with eight sums, which do not wait for each other. */
static void gather_eight(struct data *data)
{
    share(data, gather_eight_some);
}

static const struct figure figures[] = {
    {"paper", 1, paper},
    {"hierarchical_1", 1, hierarchical},
    {"hierarchical_2", 2, hierarchical},
    {"plain_1", 1, plain},
    {"plain_2", 2, plain},
    {"gather_one_1", 1, gather_one},
    {"gather_one_2", 2, gather_one},
    {"gather_eight_1", 1, gather_eight},
    {"gather_eight_2", 2, gather_eight},
    {"circular_mean_1", 1, circular_mean},
    {"circular_p90_1", 1, circular_p90},
    {"circular_mean_2", 2, circular_mean},
    {"circular_p90_2", 2, circular_p90},
    {"ranksum_1", 1, ranksum},
    {"ranksum_2", 2, ranksum},
    {"ranksum_tied_1", 1, ranksum_tied},
    {"ranksum_tied_2", 2, ranksum_tied},
};

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void fill(struct data *data)
{
    struct random_stream stream = random_stream_at(1, 0);
    for (size_t i = 0; i < VALUES; i++) {
        data->values[i] = 1.0 + random_uniform(&stream);
        data->drawn[i] = random_below(&stream, VALUES);
    }
    double last = 0.0;
    for (size_t i = 0; i < SERIES; i++) {
        last = 0.7 * last + random_uniform(&stream);
        data->series[i] = 10.0 + last;
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < (size_t)PAPER_RUNS * PAPER_ITERATIONS; i++) {
            data->times[side][i] = 1.0 + random_uniform(&stream);
        }
        for (size_t i = 0; i < SAMPLE; i++) {
            double value = exp(0.1 * random_uniform(&stream) + 0.001 * (double)side);
            data->samples[side][i] = value;
            data->tied[side][i] = floor(1000.0 * value);
        }
    }
}

int main(int argc, char **argv)
{
    size_t repeats = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    size_t count = sizeof figures / sizeof figures[0];
    double *times = alloc_array(count, repeats * sizeof *times);
    struct data *data = alloc_array(1, sizeof *data);
    if (data == NULL || times == NULL) {
        (void)fprintf(stderr, "stats_bench: no memory\n");
        return 1;
    }
    fill(data);
    hierarchical(data); /* touches the memory */
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        for (size_t f = 0; f < count; f++) {
            /* banned-ok: as a user chooses it; no thread runs */
            (void)setenv("OMP_NUM_THREADS", figures[f].threads == 1 ? "1" : "2", 1);
            double begin = now_ms();
            figures[f].run(data);
            times[f * repeats + repeat] = now_ms() - begin;
        }
    }
    for (size_t f = 0; f < count; f++) {
        (void)printf("%s\"%s\": [", f == 0 ? "{" : ", ", figures[f].name);
        for (size_t repeat = 0; repeat < repeats; repeat++) {
            (void)printf("%s%.4f", repeat == 0 ? "" : ", ",
                         times[f * repeats + repeat]);
        }
        (void)printf("]");
    }
    (void)printf("}\n");
    free(times);
    free(data);
    return 0;
}
