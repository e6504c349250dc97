/* Start skew and harness cost, measured with two processes on two CPUs, against the
 * time that a cache line takes from one of the CPUs to the other.
 *
 *     sync_latency [CPU_A CPU_B [REPEAT [SCENARIO]]]
 *
 * Prints a table and, last, the same as one line of JSON. Other load on the machine
 * shows: what is reported is, for each run, the median, the 90th and the 99th
 * percentile over its pairs in which neither side lost its CPU, and of these the median
 * over the runs. The transfer time is measured at the beginning of each run by the same
 * two processes. */
#include "sync_latency.h"

#include "base/parse.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MOST = 400 };

static const struct scenario scenarios[] = {
    {.name = "skew_together",
     .text = "start skew, both arrive together",
     .rounds = 4000,
     .runs = 10},
    {.name = "skew_late",
     .text = "start skew, one is 3 us late",
     .rounds = 4000,
     .runs = 10,
     .late_ns = 3000},
    {.name = "skew_slept",
     .text = "start skew, the early one slept",
     .rounds = 300,
     .runs = 6,
     .late_ns = 400000},
    {.name = "cost_hot",
     .text = "harness cost, peer waits, hot",
     .rounds = 4000,
     .runs = 10,
     .late_ns = 2000,
     .work_ns = 2000,
     .is_cost = 1},
    {.name = "cost_hot_begin_only",
     .text = "... without the end meeting",
     .flags = SYNC_PAGE_NO_END_MEETING,
     .rounds = 4000,
     .runs = 10,
     .late_ns = 2000,
     .work_ns = 2000,
     .is_cost = 1},
    {.name = "cost_hot_solo",
     .text = "... without any meeting",
     .flags = SYNC_PAGE_SOLO,
     .rounds = 4000,
     .runs = 10,
     .late_ns = 2000,
     .work_ns = 2000,
     .is_cost = 1},
    {.name = "cost_hot_usage",
     .text = "... with resource usage",
     .flags = SYNC_PAGE_USAGE,
     .rounds = 4000,
     .runs = 10,
     .late_ns = 2000,
     .work_ns = 2000,
     .is_cost = 1},
    {.name = "cost_cold",
     .text = "harness cost, peer waits, cold caches",
     .rounds = 60,
     .runs = 6,
     .late_ns = 30000,
     .work_ns = 2000,
     .cold = 1,
     .is_cost = 1},
    {.name = "cost_cold_usage",
     .text = "... with resource usage",
     .flags = SYNC_PAGE_USAGE,
     .rounds = 60,
     .runs = 6,
     .late_ns = 30000,
     .work_ns = 2000,
     .cold = 1,
     .is_cost = 1},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* What one scenario's runs gave; [run]. */
struct summary {
    unsigned runs;
    double p50_ns[RUNS_MOST];
    double p90_ns[RUNS_MOST];
    double p99_ns[RUNS_MOST];
    double transfer_ns[RUNS_MOST];
    double clock_ns[RUNS_MOST];
    unsigned long pairs;
    unsigned long preempted;
    unsigned long slept;
};

static void die(const char *what)
{
    (void)fprintf(stderr, "sync_latency: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts the values. */
static double quantile(double *values, size_t count, double q)
{
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof *values, compare_doubles);
    size_t at = (size_t)(q * (double)(count - 1) + 0.5);
    return values[at];
}

static pid_t side_start(const struct scenario *scenario, unsigned slot, int cpu,
                        const char *attach, struct results *results)
{
    pid_t pid = fork();
    if (pid < 0) {
        die("fork");
    }
    if (pid == 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0 ||
            setenv(SYNC_ATTACH_VARIABLE, attach, 1) != 0) {
            _exit(1);
        }
        _exit(side_main(scenario, slot, results));
    }
    return pid;
}

/* One run: fresh page, fresh processes. */
static void run_execute(const struct scenario *scenario, const int cpus[2],
                        struct sync_map *ret_map, struct results *results)
{
    struct sync_setup setup = {scenario->flags, scenario->rounds, SYNC_NEVER, 0};
    struct duet_error error;
    int page_fd = -1;
    int bell[2];
    if (sync_page_create(&setup, &page_fd, ret_map, &error) != DUET_OK) {
        (void)fprintf(stderr, "sync_latency: %s\n", error.message);
        exit(1);
    }
    if (pipe(bell) != 0) {
        die("pipe");
    }
    atomic_store(&results->ping, 0);
    atomic_store(&results->pong, 0);
    pid_t pids[2];
    for (unsigned slot = 0; slot < 2; slot++) {
        char attach[SYNC_ATTACH_BYTES];
        sync_attach_format(&(struct sync_attach){SYNC_PAGE_VERSION, page_fd, bell[1],
                                                 getpid(), slot,
                                                 ret_map->page->header.nonce},
                           attach);
        pids[slot] = side_start(scenario, slot, cpus[slot], attach, results);
    }
    for (unsigned slot = 0; slot < 2; slot++) {
        int status = 0;
        if (waitpid(pids[slot], &status, 0) < 0 || status != 0) {
            errno = 0;
            die("a side failed");
        }
    }
    (void)close(bell[0]);
    (void)close(bell[1]);
    (void)close(page_fd);
}

static void run_summarize(const struct scenario *scenario, const struct sync_map *map,
                          struct results *results, struct summary *summary)
{
    static double values[ROUNDS_MOST];
    size_t count = 0;
    int solo = (scenario->flags & SYNC_PAGE_SOLO) != 0;
    double clock_ns = results->clock_ns;
    unsigned skipped = scenario->rounds / 10; /* first touches, learning the waits */
    for (unsigned i = skipped; i < scenario->rounds; i++) {
        const struct sync_record *a = sync_ring_at(map, solo ? 1 : 0, i);
        const struct sync_record *b = sync_ring_at(map, 1, i);
        uint32_t flags = a->flags | b->flags;
        summary->pairs++;
        summary->slept += (flags & SYNC_RECORD_SLEPT) != 0;
        if ((flags & SYNC_RECORD_PREEMPTED) != 0) {
            summary->preempted++;
            continue;
        }
        /* The cost is asked for with the peer spinning; waking it is another matter. */
        if (scenario->is_cost && (flags & SYNC_RECORD_SLEPT) != 0) {
            continue;
        }
        if (scenario->is_cost) {
            double inner_ns = (double)(b->end_ns - b->start_ns);
            values[count++] = results->cost_ns[i] - inner_ns - 2.0 * clock_ns;
        } else {
            values[count++] = fabs((double)a->start_ns - (double)b->start_ns);
        }
    }
    unsigned run = summary->runs++;
    summary->p50_ns[run] = quantile(values, count, 0.5);
    summary->p90_ns[run] = quantile(values, count, 0.9);
    summary->p99_ns[run] = quantile(values, count, 0.99);
    summary->clock_ns[run] = clock_ns;
    summary->transfer_ns[run] = quantile(results->transfer_ns, TRANSFER_BATCHES, 0.5);
}

static double load_average(void)
{
    double load = 0.0;
    return getloadavg(&load, 1) == 1 ? load : (double)NAN;
}

static void table_print(struct summary *summaries)
{
    (void)printf("%-38s %8s %8s %8s %9s %8s %7s %7s\n", "ns", "median", "p90", "p99",
                 "transfer", "ratio", "slept", "preempt");
    for (unsigned i = 0; i < SCENARIOS; i++) {
        struct summary *s = &summaries[i];
        if (s->runs == 0) {
            continue;
        }
        double p50 = quantile(s->p50_ns, s->runs, 0.5);
        double transfer = quantile(s->transfer_ns, s->runs, 0.5);
        (void)printf("%-38s %8.0f %8.0f %8.0f %9.0f %8.2f %6.1f%% %6.2f%%\n",
                     scenarios[i].text, p50, quantile(s->p90_ns, s->runs, 0.5),
                     quantile(s->p99_ns, s->runs, 0.5), transfer, p50 / transfer,
                     100.0 * (double)s->slept / (double)s->pairs,
                     100.0 * (double)s->preempted / (double)s->pairs);
    }
}

/* JSON has no NaN: what could not be measured is null. */
static void json_number(const char *key, double value)
{
    if (isnan(value)) {
        (void)printf("\"%s\":null,", key);
    } else {
        (void)printf("\"%s\":%.2f,", key, value);
    }
}

static void json_print(struct summary *summaries, const int cpus[2], double load)
{
    double clock_ns = (double)NAN;
    for (unsigned i = 0; i < SCENARIOS && isnan(clock_ns); i++) {
        clock_ns = quantile(summaries[i].clock_ns, summaries[i].runs, 0.5);
    }
    (void)printf("{\"bench\":\"sync_latency\",\"cpus\":[%d,%d],", cpus[0], cpus[1]);
    json_number("load_before", load);
    json_number("load_after", load_average());
    json_number("clock_read_ns", clock_ns);
    (void)printf("\"scenarios\":[");
    const char *comma = "";
    for (unsigned i = 0; i < SCENARIOS; i++) {
        struct summary *s = &summaries[i];
        if (s->runs == 0) {
            continue;
        }
        double p50 = quantile(s->p50_ns, s->runs, 0.5);
        double transfer = quantile(s->transfer_ns, s->runs, 0.5);
        (void)printf("%s{\"name\":\"%s\",", comma, scenarios[i].name);
        json_number("median_ns", p50);
        json_number("p90_ns", quantile(s->p90_ns, s->runs, 0.5));
        json_number("p99_ns", quantile(s->p99_ns, s->runs, 0.5));
        json_number("transfer_ns", transfer);
        json_number("ratio", p50 / transfer);
        (void)printf("\"runs\":%u,\"pairs\":%lu,\"slept\":%lu,\"preempted\":%lu}",
                     s->runs, s->pairs, s->slept, s->preempted);
        comma = ",";
    }
    (void)printf("]}\n");
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    struct duet_error error;
    uint64_t value = otherwise;
    if (argc > at && parse_whole(argv[at], "CPU or REPEAT", 0, CPU_SETSIZE - 1, &value,
                                 &error) != DUET_OK) {
        (void)fprintf(stderr, "sync_latency: %s\n", error.message);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    int cpus[2] = {(int)argument(argc, argv, 1, 0), (int)argument(argc, argv, 2, 1)};
    unsigned repeat = (unsigned)argument(argc, argv, 3, 3);
    const char *only = argc > 4 ? argv[4] : "";
    static struct summary summaries[SCENARIOS];
    double load = load_average();
    struct results *results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) {
        die("mmap");
    }
    for (unsigned round = 0; round < repeat; round++) {
        for (unsigned i = 0; i < SCENARIOS; i++) {
            unsigned runs = strncmp(scenarios[i].name, only, strlen(only)) == 0
                                ? scenarios[i].runs
                                : 0;
            for (unsigned run = 0; run < runs && summaries[i].runs < RUNS_MOST; run++) {
                struct sync_map map;
                run_execute(&scenarios[i], cpus, &map, results);
                run_summarize(&scenarios[i], &map, results, &summaries[i]);
                sync_page_unmap(&map);
            }
        }
    }
    table_print(summaries);
    json_print(summaries, cpus, load);
    return 0;
}
