/* fleet_saving [FLEETS [FILE]] or fleet_saving scale: how many machines a fleet needs
 * that stops when its verdict is certain (`duet fleet submit --until decided`), beside
 * one of a fixed number.
 *
 * Each instance gives one log ratio: the change, plus what the instance and its runs
 * add (normal values, a standard deviation of 1 %, one in ten four times as far away).
 * A fleet has 50 instances at most. A line for each change: how many instances it took
 * on average until every verdict was certain, how often a change was found, and how
 * often the fixed fleet of 50 finds it by Student's t. FLEETS: 2000. FILE: log ratios
 * of recorded instances without a change, one a line: they are drawn with replacement,
 * each with a random sign, as if a coin had said which side is new.
 * scale: instead, the CPU time of one answer over 10^2 to 10^5 instances of the same
 * kind with a change of 0.1 %, and what it says. */
#include "analysis/instances.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INSTANCES = 50, CHANGES = 7, FLEETS = 2000 };
static const double changes[CHANGES] = {0, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1};
static const double sd = 0.01;
enum { RECORDED_MAX = 10000 };
static double recorded[RECORDED_MAX];
static uint32_t recorded_count;

static void load(const char *path)
{
    char line[64];
    FILE *file = fopen(path, "r");
    while (file != NULL && recorded_count < RECORDED_MAX &&
           fgets(line, sizeof line, file) != NULL) {
        recorded[recorded_count++] = strtod(line, NULL);
    }
    if (file == NULL || recorded_count == 0) {
        (void)fprintf(stderr, "fleet_saving: no numbers in '%s'\n", path);
        exit(1);
    }
    (void)fclose(file);
}

static double gaussian(struct random_stream *stream)
{
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2.0 * log(1.0 - random_uniform(stream)));
    return radius * cos(two_pi * random_uniform(stream));
}

/* What an instance adds to the log ratio. */
static double draw(struct random_stream *stream)
{
    if (recorded_count > 0) {
        double value = recorded[random_below(stream, recorded_count)];
        return random_below(stream, 2) == 0 ? value : -value;
    }
    double far = random_below(stream, 10) == 0 ? 4.0 : 1.0;
    return sd * far * gaussian(stream);
}

static struct model_fleet_answer answer(const double *logs, size_t count, bool anytime)
{
    const struct analysis_instances question = {
        .confidence = 0.99, .family = 1, .same_within = 0.01, .anytime = anytime};
    struct model_fleet_answer result = {.name = ""};
    struct duet_error error;
    if (analysis_instances(&question, logs, count, &result, &error) != DUET_OK) {
        (void)fprintf(stderr, "fleet_saving: %s\n", error.message);
        exit(1);
    }
    return result;
}

/* Of the prefix at which the fleet would have stopped. */
static enum model_verdict stopped(const double *logs, size_t count)
{
    const struct analysis_instances question = {
        .confidence = 0.99, .family = 1, .same_within = 0.01, .anytime = true};
    struct model_fleet_answer result = {.name = ""};
    struct duet_error error;
    return analysis_instances(&question, logs, count, &result, &error) == DUET_OK
               ? result.verdict
               : MODEL_VERDICT_FAILED;
}

static void scale(void)
{
    enum { MOST = 100000 };
    static double logs[MOST];
    struct random_stream stream = random_stream_at(1, 1);
    for (size_t i = 0; i < MOST; i++) {
        logs[i] = log1p(0.001) + draw(&stream);
    }
    (void)printf("instances  way              CPU s  interval\n");
    for (size_t count = 100; count <= MOST; count *= 10) {
        for (int anytime = 0; anytime < 2; anytime++) {
            clock_t began = clock();
            struct model_fleet_answer got = answer(logs, count, anytime != 0);
            double took = (double)(clock() - began) / CLOCKS_PER_SEC;
            (void)printf("%9zu  %-13s %8.3f  %+.3f %% to %+.3f %%\n", count,
                         anytime != 0 ? "until decided" : "fixed", took,
                         100 * (got.low - 1), 100 * (got.high - 1));
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "scale") == 0) {
        scale();
        return 0;
    }
    long fleets = argc > 1 ? strtol(argv[1], NULL, 10) : FLEETS;
    if (argc > 2) {
        load(argv[2]);
    }
    (void)printf(
        "change    instances    saved  slower or faster    same  t of %d finds\n",
        INSTANCES);
    for (size_t c = 0; c < CHANGES; c++) {
        double used = 0;
        double found = 0;
        double same = 0;
        double fixed = 0;
        for (long fleet = 0; fleet < fleets; fleet++) {
            double logs[INSTANCES];
            struct random_stream stream = random_stream_at(c + 1, (uint64_t)fleet);
            for (size_t i = 0; i < INSTANCES; i++) {
                logs[i] = log1p(changes[c]) + draw(&stream);
            }
            size_t at = answer(logs, INSTANCES, true).decided_after;
            at = at == 0 ? INSTANCES : at;
            enum model_verdict verdict = stopped(logs, at);
            used += (double)at;
            found += verdict == MODEL_VERDICT_SLOWER || verdict == MODEL_VERDICT_FASTER;
            same += verdict == MODEL_VERDICT_SAME;
            enum model_verdict whole = answer(logs, INSTANCES, false).verdict;
            fixed += whole == MODEL_VERDICT_SLOWER || whole == MODEL_VERDICT_FASTER;
        }
        double n = (double)fleets;
        (void)printf("%5.2f %%   %10.1f  %5.0f %%  %14.1f %%  %4.1f %%  %11.1f %%\n",
                     100 * changes[c], used / n, 100 * (1 - used / n / INSTANCES),
                     100 * found / n, 100 * same / n, 100 * fixed / n);
    }
    return 0;
}
