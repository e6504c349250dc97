/* time_budget_sim [SUITES]: simulated suites of 100 benchmarks of which 5 changed by 3
 * %, measured within one time budget and with equal shares.
 *
 * Each benchmark has a noise of its own (standard deviation of a block's mean log
 * ratio: log-normal, median 1 %, sigma 0.7) of normal values, one in ten of which is
 * four times as far away. A block takes the same time everywhere.
 * - budget: the rule of session/suite/suite_measure, a betting confidence sequence at
 *   1 % / 100 each.
 * - stopped shares: the same sequences, as many blocks for each at most; what is
 * decided earlier gives its time to nobody.
 * - fixed shares: as many blocks for each; Student's t over blocks, Holm at 1 %.
 * A line for each number of blocks of the whole suite: which share of the changed ones
 * is found, and which share of the suites has a false alarm. */
#include "base/random.h"
#include "stats/sequential/betting.h"
#include "stats/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BENCHMARKS = 100,
    CHANGED = 5,
    LEVELS = 14,
    BLOCKS_MAX = 300,
    FIRST_SLICE = 4,
    SLICE = 2
};
static const double change = 0.03;
static const double alpha = 0.01;
static const double band = 0.01;
static const double suspicious = 0.2;
static const int lead = 16;
static const int levels[LEVELS] = {400,  600,  800,  1000, 1200, 1500, 2000,
                                   2500, 3000, 4000, 5000, 6500, 8000, 12000};

struct totals {
    double found[LEVELS];   /* of the changed ones */
    double alarms[LEVELS];  /* suites with any */
    double decided[LEVELS]; /* of all */
};

struct benchmark {
    double blocks[BLOCKS_MAX];
    struct stats_betting *betting;
    int count;
    double p;       /* of Student's t over its blocks: what analysis_suspicion() says */
    int decided_at; /* blocks; 0: not */
    bool changed;   /* is the decision */
};

static double gaussian(struct random_stream *stream)
{
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2.0 * log(1.0 - random_uniform(stream)));
    return radius * cos(two_pi * random_uniform(stream));
}

static double draw(struct random_stream *stream, double theta, double sd)
{
    double value = gaussian(stream) * (random_below(stream, 10) == 0 ? 4.0 : 1.0);
    return theta + sd * value;
}

static void fail(const struct duet_error *error)
{
    (void)fprintf(stderr, "time_budget_sim: %s\n", error->message);
    exit(1);
}

static double p_of(const double *blocks, int count)
{
    double mean = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
        mean += blocks[i] / count;
    }
    for (int i = 0; i < count; i++) {
        squares += (blocks[i] - mean) * (blocks[i] - mean);
    }
    return stats_t_p_value(mean, sqrt(squares / (count - 1) / count), count - 1);
}

static void look(struct benchmark *benchmark)
{
    struct stats_interval interval;
    bool conflict = false;
    double limit = log1p(band);
    benchmark->p = p_of(benchmark->blocks, benchmark->count);
    if (benchmark->count < 15 ||
        (benchmark->count > 100 && benchmark->count % 10 != 0)) {
        return; /* no interval yet; or a look less, which is only later */
    }
    stats_betting_interval(benchmark->betting, &interval, &conflict);
    benchmark->changed = interval.low > 0 || interval.high < 0;
    if (benchmark->changed || (interval.low > -limit && interval.high < limit)) {
        benchmark->decided_at = benchmark->count;
    }
}

static void measure(struct benchmark *benchmark)
{
    struct duet_error error;
    int slice = benchmark->count == 0 ? FIRST_SLICE : SLICE;
    for (int i = 0; i < slice && benchmark->count < BLOCKS_MAX; i++) {
        double block = benchmark->blocks[benchmark->count++];
        if (stats_betting_add(benchmark->betting, block, 1.0, &error) != DUET_OK) {
            fail(&error);
        }
    }
    look(benchmark);
}

/* The one that is nearest a change, unless it is far ahead of the others; else the one
 * that has had least. NULL: none is open. */
static struct benchmark *next_of(struct benchmark *all)
{
    struct benchmark *least = NULL;
    struct benchmark *suspect = NULL;
    for (int i = 0; i < BENCHMARKS; i++) {
        struct benchmark *one = &all[i];
        if (one->decided_at != 0 || one->count >= BLOCKS_MAX) {
            continue;
        }
        least = least == NULL || one->count < least->count ? one : least;
        if (one->p <= suspicious && (suspect == NULL || one->p < suspect->p)) {
            suspect = one;
        }
    }
    bool ahead = suspect != NULL && least != NULL && least->count > 0 &&
                 suspect->count < lead * least->count;
    return ahead ? suspect : least;
}

static int compare_p(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The largest p that Holm's rule rejects; below 0: none. */
static double holm_limit(const double *p)
{
    double sorted[BENCHMARKS];
    double limit = -1.0;
    for (int i = 0; i < BENCHMARKS; i++) {
        sorted[i] = p[i];
    }
    qsort(sorted, BENCHMARKS, sizeof *sorted, compare_p);
    for (int i = 0; i < BENCHMARKS && sorted[i] <= alpha / (BENCHMARKS - i); i++) {
        limit = sorted[i];
    }
    return limit;
}

/* What of it is known after `spent` blocks. */
static void count_found(const struct benchmark *all, const int *limits, int level,
                        struct totals *totals)
{
    bool alarm = false;
    for (int i = 0; i < BENCHMARKS; i++) {
        bool decided = all[i].decided_at != 0 && all[i].decided_at <= limits[i];
        totals->decided[level] += decided;
        totals->found[level] += decided && i < CHANGED && all[i].changed;
        alarm = alarm || (decided && i >= CHANGED && all[i].changed);
    }
    totals->alarms[level] += alarm;
}

static void fixed_shares(const struct benchmark *all, int level, struct totals *totals)
{
    double p[BENCHMARKS];
    bool alarm = false;
    int share = levels[level] / BENCHMARKS;
    share = share < BLOCKS_MAX ? share : BLOCKS_MAX;
    for (int i = 0; i < BENCHMARKS; i++) {
        p[i] = p_of(all[i].blocks, share);
    }
    double limit = holm_limit(p);
    for (int i = 0; i < BENCHMARKS; i++) {
        totals->found[level] += i < CHANGED && p[i] <= limit;
        alarm = alarm || (i >= CHANGED && p[i] <= limit);
    }
    totals->alarms[level] += alarm;
}

static void draw_suite(uint64_t suite, struct benchmark *all)
{
    struct random_stream stream = random_stream_at(20261125, suite);
    struct duet_error error;
    for (int i = 0; i < BENCHMARKS; i++) {
        double sd = 0.01 * exp(0.7 * gaussian(&stream));
        all[i].count = all[i].decided_at = 0;
        all[i].p = 1.0;
        for (int j = 0; j < BLOCKS_MAX; j++) {
            all[i].blocks[j] = draw(&stream, i < CHANGED ? log1p(change) : 0.0, sd);
        }
        if (all[i].betting == NULL &&
            stats_betting_new(alpha / BENCHMARKS, &all[i].betting, &error) != DUET_OK) {
            fail(&error);
        }
        stats_betting_reset(all[i].betting);
    }
}

static void simulate(struct benchmark *all, struct totals *budget,
                     struct totals *stopped, struct totals *fixed)
{
    int limits[BENCHMARKS];
    int spent = 0;
    for (int level = 0; level < LEVELS; level++) {
        struct benchmark *next = next_of(all);
        while (next != NULL && spent + SLICE <= levels[level]) {
            int before = next->count;
            measure(next);
            spent += next->count - before;
            next = next_of(all);
        }
        for (int i = 0; i < BENCHMARKS; i++) {
            limits[i] = all[i].count;
        }
        count_found(all, limits, level, budget);
        fixed_shares(all, level, fixed);
    }
    for (int i = 0; i < BENCHMARKS; i++) {
        while (all[i].decided_at == 0 && all[i].count < BLOCKS_MAX) {
            measure(&all[i]);
        }
    }
    for (int level = 0; level < LEVELS; level++) {
        for (int i = 0; i < BENCHMARKS; i++) {
            limits[i] = levels[level] / BENCHMARKS;
        }
        count_found(all, limits, level, stopped);
    }
}

int main(int argc, char **argv)
{
    static struct benchmark all[BENCHMARKS];
    int suites = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 200;
    struct totals budget = {{0}, {0}, {0}};
    struct totals stopped = budget;
    struct totals fixed = budget;
    for (int s = 0; s < suites; s++) {
        draw_suite((uint64_t)s, all);
        simulate(all, &budget, &stopped, &fixed);
    }
    (void)printf("%d suites of %d benchmarks, %d of them changed by %g %%\n", suites,
                 BENCHMARKS, CHANGED, 100 * change);
    (void)printf("%7s  %23s  %23s  %15s\n", "", "budget", "stopped shares",
                 "fixed shares");
    (void)printf("%7s  %7s %7s %7s  %7s %7s %7s  %7s %7s\n", "blocks", "found", "alarm",
                 "decided", "found", "alarm", "decided", "found", "alarm");
    for (int l = 0; l < LEVELS; l++) {
        double all_changed = (double)suites * CHANGED;
        double all_benchmarks = (double)suites * BENCHMARKS;
        (void)printf(
            "%7d  %6.1f%% %6.1f%% %6.1f%%  %6.1f%% %6.1f%% %6.1f%%  %6.1f%% %6.1f%%\n",
            levels[l], 100 * budget.found[l] / all_changed,
            100 * budget.alarms[l] / suites, 100 * budget.decided[l] / all_benchmarks,
            100 * stopped.found[l] / all_changed, 100 * stopped.alarms[l] / suites,
            100 * stopped.decided[l] / all_benchmarks,
            100 * fixed.found[l] / all_changed, 100 * fixed.alarms[l] / suites);
    }
    for (int i = 0; i < BENCHMARKS; i++) {
        stats_betting_free(all[i].betting);
    }
    return 0;
}
