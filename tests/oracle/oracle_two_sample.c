/* The two-sample tests for scipy to be asked about. Reads cases from standard input, a
 * sample a line ("COUNT VALUE VALUE ..."), two lines a case; writes a line a case:
 * U, p normal, p with continuity correction, p exact ("nan": not possible), delta and
 * its 95 % interval. With the argument "time", two samples: their count and seconds. */
#include "stats/cliff.h"
#include "stats/ranksum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sample {
    double *values;
    size_t count;
};

static bool read_sample(struct sample *sample)
{
    char word[64];
    if (scanf("%63s", word) != 1) {
        return false;
    }
    sample->count = strtoul(word, NULL, 10);
    sample->values = calloc(sample->count, sizeof *sample->values);
    for (size_t i = 0; i < sample->count && sample->values != NULL; i++) {
        if (scanf("%63s", word) != 1) {
            return false;
        }
        sample->values[i] = strtod(word, NULL);
    }
    return sample->values != NULL;
}

static double p_value(const struct stats_dominance *dominance,
                      enum stats_ranksum_method method)
{
    struct stats_ranksum result = {.p_value = (double)NAN};
    (void)!stats_ranksum_test(dominance, method, &result, NULL);
    return result.p_value;
}

static int answer(const struct sample *first, const struct sample *second)
{
    struct stats_dominance dominance;
    struct stats_ranksum ranksum;
    struct stats_cliff cliff;
    struct duet_error error;
    if (stats_dominance_count(first->values, first->count, second->values,
                              second->count, &dominance, &error) != DUET_OK ||
        stats_ranksum_test(&dominance, STATS_RANKSUM_NORMAL, &ranksum, &error) !=
            DUET_OK ||
        stats_cliff_delta(&dominance, 0.95, &cliff, &error) != DUET_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    (void)printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", ranksum.u,
                 ranksum.p_value, p_value(&dominance, STATS_RANKSUM_NORMAL_CONTINUITY),
                 p_value(&dominance, STATS_RANKSUM_EXACT), cliff.delta,
                 cliff.interval.low, cliff.interval.high);
    return 0;
}

/* Both the test and delta, from the unsorted samples. */
static int measure(const struct sample *first, const struct sample *second)
{
    struct timespec begin;
    struct timespec end;
    struct stats_dominance dominance;
    struct stats_cliff cliff;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    if (stats_dominance_count(first->values, first->count, second->values,
                              second->count, &dominance, NULL) != DUET_OK ||
        stats_cliff_delta(&dominance, 0.95, &cliff, NULL) != DUET_OK) {
        return 1;
    }
    double p = p_value(&dominance, STATS_RANKSUM_NORMAL_CONTINUITY);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    (void)printf("%.17g %.17g %.9f\n", p, cliff.delta,
                 (double)(end.tv_sec - begin.tv_sec) +
                     1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    return 0;
}

int main(int argc, char **argv)
{
    bool timed = argc > 1 && strcmp(argv[1], "time") == 0;
    int status = 0;
    for (;;) {
        struct sample first = {0};
        struct sample second = {0};
        bool more = read_sample(&first) && read_sample(&second);
        if (more) {
            status |= timed ? measure(&first, &second) : answer(&first, &second);
        }
        free(first.values);
        free(second.values);
        if (!more) {
            return status;
        }
    }
}
