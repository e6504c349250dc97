/* Kinds of one thread. The counts of structure are fixed: only `work` is adjusted. */

#include "truth_sides.h"

#include <duet/duet.h>

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    SLEEP_NS = 2000000,
    NAP_NS = 1000,
    NAPS = 20,
    YIELDS = 200,
    READS = 60,
    READ_BYTES = 65536,
    ALLOCATIONS = 4000,
    ALLOCATIONS_LIVE = 64,
    MAPS = 8,
    MAP_BYTES = 256 * 1024,
    PAGE_BYTES = 4096,
    CALLS = 3000,
    OPENS = 400,
    ALARM_US = 1000,
    CHAIN_COUNT = 65536, /* of cache lines: 4 MB */
    CHAIN_STEPS = 40000,
    LINE_WORDS = 8,
    DIVISIONS = 100000,
};

static void plain(struct truth_side *side)
{
    truth_burn(side->work);
}

/* Waits by itself: elapsed time only. */
static void sleeps(struct truth_side *side)
{
    truth_burn(side->work / 2);
    truth_sleep_ns(SLEEP_NS);
    truth_burn(side->work - side->work / 2);
}

/* A single wait of a microsecond (some 60 with the kernel's timer slack). */
static void naps_once(struct truth_side *side)
{
    truth_burn(side->work / 2);
    truth_sleep_ns(NAP_NS);
    truth_burn(side->work - side->work / 2);
}

static void naps(struct truth_side *side)
{
    for (unsigned i = 0; i < NAPS; i++) {
        truth_burn(side->work / NAPS);
        truth_sleep_ns(NAP_NS);
    }
}

/* Ready all the time, and yet it gives its CPU to whoever wants it. */
static void yields(struct truth_side *side)
{
    for (unsigned i = 0; i < YIELDS; i++) {
        truth_burn(side->work / YIELDS);
        (void)sched_yield();
    }
}

static void reads_prepare(struct truth_side *side)
{
    side->file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    side->memory = malloc(READ_BYTES);
    if (side->file < 0 || side->memory == NULL) {
        truth_fail("reads");
    }
}

/* From the page cache: the program's own file. */
static void reads(struct truth_side *side)
{
    for (unsigned i = 0; i < READS; i++) {
        truth_burn(side->work / READS);
        if (pread(side->file, side->memory, READ_BYTES, 0) <= 0) {
            truth_fail("pread");
        }
    }
}

static void file_finish(struct truth_side *side)
{
    free(side->memory);
    (void)close(side->file);
}

static void allocates(struct truth_side *side)
{
    void *live[ALLOCATIONS_LIVE] = {NULL};
    for (unsigned i = 0; i < ALLOCATIONS; i++) {
        unsigned slot = i % ALLOCATIONS_LIVE;
        free(live[slot]);
        live[slot] = malloc(16 + (size_t)(i * 37 % 4096));
        if (live[slot] == NULL) {
            truth_fail("malloc");
        }
        *(char *)live[slot] = 1;
        truth_burn(side->work / ALLOCATIONS);
    }
    for (unsigned slot = 0; slot < ALLOCATIONS_LIVE; slot++) {
        free(live[slot]);
    }
}

/* Page faults: time of the kernel. */
static void maps(struct truth_side *side)
{
    for (unsigned i = 0; i < MAPS; i++) {
        char *memory = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            truth_fail("mmap");
        }
        for (size_t at = 0; at < MAP_BYTES; at += PAGE_BYTES) {
            memory[at] = 1;
        }
        truth_burn(side->work / MAPS);
        (void)munmap(memory, MAP_BYTES);
    }
}

static void calls(struct truth_side *side)
{
    for (unsigned i = 0; i < CALLS; i++) {
        truth_burn(side->work / CALLS);
        (void)syscall(SYS_getppid);
    }
}

static void opens(struct truth_side *side)
{
    for (unsigned i = 0; i < OPENS; i++) {
        truth_burn(side->work / OPENS);
        int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            truth_fail("/dev/null");
        }
        (void)close(file);
    }
}

static void on_alarm(int number)
{
    (void)number;
}

static void alarms_set(long interval_us)
{
    const struct itimerval timer = {.it_interval = {.tv_usec = interval_us},
                                    .it_value = {.tv_usec = interval_us}};
    if (setitimer(ITIMER_REAL, &timer, NULL) != 0) {
        truth_fail("setitimer");
    }
}

static void alarms_prepare(struct truth_side *side)
{
    (void)side;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) != 0) {
        truth_fail("sigaction");
    }
}

/* A signal each millisecond. */
static void alarms(struct truth_side *side)
{
    alarms_set(ALARM_US);
    truth_burn(side->work);
    alarms_set(0);
}

/* A random cycle through 4 MB (Sattolo's algorithm). */
static void memory_prepare(struct truth_side *side)
{
    size_t *chain = calloc((size_t)CHAIN_COUNT * LINE_WORDS, sizeof *chain);
    if (chain == NULL) {
        truth_fail("calloc");
    }
    for (size_t i = 0; i < CHAIN_COUNT; i++) {
        chain[i * LINE_WORDS] = i;
    }
    for (size_t i = CHAIN_COUNT - 1; i > 0; i--) {
        size_t other = (size_t)(truth_uniform(side) * (double)i);
        size_t kept = chain[i * LINE_WORDS];
        chain[i * LINE_WORDS] = chain[other * LINE_WORDS];
        chain[other * LINE_WORDS] = kept;
    }
    side->memory = chain;
}

/* Waits for caches most of the time. */
static void memory(struct truth_side *side)
{
    const size_t *chain = side->memory;
    size_t at = 0;
    for (unsigned i = 0; i < CHAIN_STEPS; i++) {
        at = chain[at * LINE_WORDS];
    }
    duet_keep(&at);
    truth_burn(side->work);
}

static void memory_finish(struct truth_side *side)
{
    free(side->memory);
}

/* Another bottleneck: divisions. */
static void floats(struct truth_side *side)
{
    double value = 1.5;
    for (unsigned i = 0; i < DIVISIONS; i++) {
        value = 1.0 + 1.0 / value;
    }
    duet_keep(&value);
    truth_burn(side->work);
}

/* Log-normal with the standard deviation `number`: the median is that of a plain loop,
 * the mean exp(number^2 / 2) of it. */
static void noisy(struct truth_side *side)
{
    const double turn = 6.283185307179586;
    double normal =
        sqrt(-2.0 * log(truth_uniform(side))) * cos(turn * truth_uniform(side));
    truth_burn((uint64_t)((double)side->work * exp(side->number * normal)));
}

/* 15 of 100 iterations take 30 % longer: the same median, a mean of +4.5 %. */
static void rare(struct truth_side *side)
{
    double factor = truth_uniform(side) < 0.15 ? 1.30 : 1.0;
    truth_burn((uint64_t)((double)side->work * factor));
}

/* 10 of 100 take 27 % longer, the others 3 % less: the same mean, a median of -3 %. */
static void balanced(struct truth_side *side)
{
    double factor = truth_uniform(side) < 0.10 ? 1.27 : 0.97;
    truth_burn((uint64_t)((double)side->work * factor));
}

const struct truth_kind truth_kinds_alone[] = {
    {.name = "plain", .iterate = plain},
    {.name = "sleeps", .iterate = sleeps},
    {.name = "naps-once", .iterate = naps_once},
    {.name = "naps", .iterate = naps},
    {.name = "yields", .iterate = yields},
    {"reads", reads_prepare, reads, file_finish},
    {.name = "allocates", .iterate = allocates},
    {.name = "maps", .iterate = maps},
    {.name = "calls", .iterate = calls},
    {.name = "opens", .iterate = opens},
    {.name = "alarms", .prepare = alarms_prepare, .iterate = alarms},
    {"memory", memory_prepare, memory, memory_finish},
    {.name = "floats", .iterate = floats},
    {.name = "noisy", .iterate = noisy},
    {.name = "rare", .iterate = rare},
    {.name = "balanced", .iterate = balanced},
    {.name = NULL},
};
