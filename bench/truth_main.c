/* duet_truth KIND WORK [NUMBER] [--harness | --measure N]
 *
 * Executes an iteration of the kind, once: a command for `duet` to compare. With
 * --harness it is a benchmark program that attaches to `duet`; with --measure it prints
 * the elapsed time of each of N iterations and the CPU time of the process and its
 * children, in ns.
 *
 *   duet_truth calibrate                  operations of a millisecond of work
 *   duet_truth exec WORK COMMAND...       works, then becomes the command
 *   duet_truth pair CPU COUNT A... :: B...   executes two commands in turns
 *   duet_truth hog                        wants a CPU until it is killed
 */

#include "truth_sides.h"

#include <duet/duet.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { CALIBRATIONS = 1500, CALIBRATED_OPERATIONS = 200000 };

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t usage_ns(int who)
{
    struct rusage usage;
    (void)getrusage(who, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
           ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* The shortest time, which no interruption made longer. */
static int calibrate(void)
{
    int64_t least_ns = INT64_MAX;
    for (unsigned i = 0; i < CALIBRATIONS; i++) {
        int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
        truth_burn(CALIBRATED_OPERATIONS);
        int64_t took_ns = now_ns(CLOCK_MONOTONIC) - begin_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    (void)printf("%.0f\n", CALIBRATED_OPERATIONS * 1e6 / (double)least_ns);
    return 0;
}

static _Noreturn void hog(void)
{
    truth_die_with_parent();
    for (;;) {
        truth_burn(UINT64_C(1) << 32U);
    }
}

static const struct truth_kind *kind_find(const struct truth_kind *kinds,
                                          const char *name)
{
    for (; kinds->name != NULL; kinds++) {
        if (strcmp(kinds->name, name) == 0) {
            return kinds;
        }
    }
    return NULL;
}

static int run_harness(const struct truth_kind *kind, struct truth_side *side)
{
    struct duet *d = duet_open(kind->name);
    while (duet_next(d)) {
        duet_begin(d);
        kind->iterate(side);
        duet_end(d);
    }
    return duet_close(d);
}

static int run_measured(const struct truth_kind *kind, struct truth_side *side,
                        unsigned long count)
{
    for (; count > 0; count--) {
        int64_t cpu_ns = usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN);
        int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
        kind->iterate(side);
        int64_t took_ns = now_ns(CLOCK_MONOTONIC) - begin_ns;
        cpu_ns = usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN) - cpu_ns;
        (void)printf("%" PRId64 " %" PRId64 "\n", took_ns, cpu_ns);
    }
    return 0;
}

static int run(const struct truth_kind *kind, int argc, char **argv)
{
    struct truth_side side = {.work = strtoull(argv[2], NULL, 10), .file = -1};
    if (getrandom(&side.random_state, sizeof side.random_state, 0) < 0) {
        truth_fail("getrandom");
    }
    int next = 3;
    if (next < argc && strncmp(argv[next], "--", 2) != 0) {
        side.number = strtod(argv[next], NULL);
        next++;
    }
    const char *mode = next < argc ? argv[next] : "";
    if (kind->prepare != NULL) {
        kind->prepare(&side);
    }
    int status = 0;
    if (strcmp(mode, "--harness") == 0) {
        status = run_harness(kind, &side);
    } else if (strcmp(mode, "--measure") == 0 && next + 1 < argc) {
        status = run_measured(kind, &side, strtoul(argv[next + 1], NULL, 10));
    } else {
        kind->iterate(&side);
    }
    if (kind->finish != NULL) {
        kind->finish(&side);
    }
    return status;
}

static int usage(void)
{
    (void)fprintf(
        stderr,
        "usage: duet_truth KIND WORK [NUMBER] [--harness | --measure N]\n"
        "       duet_truth calibrate | hog | exec WORK COMMAND... | pair CPU COUNT A... :: B...\n"
        "kinds:");
    const struct truth_kind *lists[] = {truth_kinds_alone, truth_kinds_tasks};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const struct truth_kind *kind = lists[i]; kind->name != NULL; kind++) {
            (void)fprintf(stderr, " %s", kind->name);
        }
    }
    (void)fputc('\n', stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "calibrate") == 0) {
        return calibrate();
    }
    if (strcmp(word, "hog") == 0) {
        hog();
    }
    if (strcmp(word, "exec") == 0 && argc > 3) {
        truth_burn(strtoull(argv[2], NULL, 10));
        (void)execvp(argv[3], argv + 3);
        truth_fail(argv[3]);
    }
    if (strcmp(word, "pair") == 0 && argc > 6) {
        return truth_pair(argc - 2, argv + 2);
    }
    const struct truth_kind *kind = kind_find(truth_kinds_alone, word);
    if (kind == NULL) {
        kind = kind_find(truth_kinds_tasks, word);
    }
    return kind != NULL && argc > 2 ? run(kind, argc, argv) : usage();
}
