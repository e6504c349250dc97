#include "measure/probe.h"

#include "base/alloc.h"
#include "machine/machine.h"
#include "machine/taken.h"
#include "sync/clock.h"
#include "sync/meeting.h"
#include "sync/preempt.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    MEETINGS = 4000,
    MEETINGS_MIN = 500,     /* however long they take */
    MEETINGS_DROPPED = 100, /* the first ones, until the waiting time is known */
    TRANSFER_BATCHES = 41,
    TRANSFER_TRIPS = 200,
    CLOCK_READS = 20000,
    ROUNDS_MIN = 50,
    ROUNDS_MAX = 100000
};
/* A piece of work: long against the meeting, short against what disturbs it. */
static const uint64_t round_ns = 1000000;
/* Meetings get this part of the duration at most: a moment of it on an idle machine,
 * but where other programs take the CPUs each one may wait for milliseconds. */
static const uint64_t meetings_part = 4;

/* What both threads see. */
struct pair {
    struct sync_meeting meeting;
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t ping;
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t pong;
    _Alignas(SYNC_LINE_BYTES) pthread_barrier_t barrier;
    struct model_probe *probe;
    uint64_t operations; /* of a piece of work */
    uint64_t duration_ns;
    size_t meetings; /* that were done, as the rounds */
    size_t rounds;
    atomic_size_t last; /* the step after which both go on or end; see decide() */
    atomic_bool failed; /* a thread could not be bound */
    double transfers_ns[TRANSFER_BATCHES];
};

struct prober {
    struct pair *pair;
    unsigned index;
    const struct model_cpu_set *cpus;
    struct sync_party party;
    uint64_t began_ns;
    enum duet_code code;
    struct duet_error error;
    uint64_t starts_ns[MEETINGS];
    bool lost[MEETINGS];
};

/* Dependent integer operations that no compiler can shorten. */
static uint64_t work(uint64_t operations)
{
    uint64_t value = operations | 1U;
    for (uint64_t i = 0; i < operations; i++) {
        value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ __volatile__("" : "+r"(value));
    }
    return value;
}

/* How many take round_ns here, by the fastest of a few tries. */
static uint64_t operations_of_a_round(void)
{
    enum { TRIES = 5, SAMPLE = 100000 };
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start_ns = clock_mono_ns();
        (void)work(SAMPLE);
        uint64_t took_ns = clock_mono_ns() - start_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return round_ns * SAMPLE / (best_ns > 0 ? best_ns : 1);
}

static void wait_for(_Atomic uint32_t *word, uint32_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value) {
    }
}

/* One line there, another one back: elapsed / 2N is a transfer. */
static void measure_transfers(struct pair *pair, unsigned index)
{
    uint32_t trip = 0;
    for (size_t batch = 0; batch < TRANSFER_BATCHES; batch++) {
        uint64_t start_ns = clock_mono_ns();
        for (unsigned i = 0; i < TRANSFER_TRIPS; i++) {
            trip++;
            if (index == 0) {
                atomic_store_explicit(&pair->ping, trip, memory_order_release);
                wait_for(&pair->pong, trip);
            } else {
                wait_for(&pair->ping, trip);
                atomic_store_explicit(&pair->pong, trip, memory_order_release);
            }
        }
        if (index == 0) {
            pair->transfers_ns[batch] =
                (double)(clock_mono_ns() - start_ns) / (2.0 * TRANSFER_TRIPS);
        }
    }
}

static void meet(struct prober *prober)
{
    /* Nobody poisons this word, and the other thread always comes. */
    (void)!sync_meet(&prober->pair->meeting, &prober->party, NULL);
}

/* Thread 0 decides before the meeting of a step whether it is the last one of its kind,
 * and the other reads that after it, so that both do the same steps. Steps are numbered
 * across both kinds: a thread that is late may already find the next decision, and sees
 * by the number that it is not about this step. The meeting orders write and read. */
static bool step(struct prober *prober, size_t number, bool may_end, uint64_t limit_ns)
{
    struct pair *pair = prober->pair;
    if (prober->index == 0 && may_end &&
        clock_mono_ns() - prober->began_ns >= limit_ns) {
        atomic_store_explicit(&pair->last, number, memory_order_relaxed);
    }
    meet(prober);
    return atomic_load_explicit(&pair->last, memory_order_relaxed) == number;
}

static void measure_meetings(struct prober *prober)
{
    struct preempt_probe preempt = preempt_probe_here();
    uint64_t limit_ns = prober->pair->duration_ns / meetings_part;
    bool last = false;
    size_t done = 0;
    prober->party.preempt = &preempt;
    while (done < MEETINGS && !last) {
        last = step(prober, done, done + 1 >= MEETINGS_MIN, limit_ns);
        prober->lost[done] = preempt_probe_end(&preempt);
        prober->starts_ns[done] = clock_mono_ns();
        done++;
    }
    prober->party.preempt = NULL;
    if (prober->index == 0) {
        prober->pair->meetings = done;
    }
}

static void measure_rounds(struct prober *prober)
{
    struct pair *pair = prober->pair;
    double *times_ns = pair->probe->times_ns[prober->index];
    size_t most = pair->probe->rounds;
    struct rusage before;
    struct rusage after;
    struct taken_tasks taken[2];
    int taken_fd = taken_thread_open();
    bool last = false;
    size_t done = 0;
    bool told = taken_tasks_read(taken_fd, &taken[0]);
    (void)getrusage(RUSAGE_THREAD, &before);
    uint64_t began_ns = clock_mono_ns();
    while (done < most && !last) {
        last = step(prober, MEETINGS + done, done + 1 >= ROUNDS_MIN, pair->duration_ns);
        uint64_t start_ns = clock_mono_ns();
        (void)work(pair->operations);
        times_ns[done] = (double)(clock_mono_ns() - start_ns);
        done++;
    }
    (void)getrusage(RUSAGE_THREAD, &after);
    pair->probe->involuntary[prober->index] =
        (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
    told = told && taken_tasks_read(taken_fd, &taken[1]);
    pair->probe->taken_s[prober->index] =
        told ? (double)(taken[1].delay_ns - taken[0].delay_ns) / 1e9 : (double)NAN;
    if (taken_fd >= 0) {
        (void)close(taken_fd);
    }
    if (prober->index == 0) {
        pair->rounds = done;
        pair->probe->elapsed_s = (double)(clock_mono_ns() - began_ns) / 1e9;
    }
}

static void *prober_main(void *argument)
{
    struct prober *prober = argument;
    struct pair *pair = prober->pair;
    prober->code = machine_bind_thread(prober->cpus, &prober->error);
    if (prober->code != DUET_OK) {
        atomic_store(&pair->failed, true);
    }
    (void)pthread_barrier_wait(&pair->barrier);
    if (atomic_load(&pair->failed)) {
        return NULL;
    }
    prober->began_ns = clock_mono_ns();
    measure_transfers(pair, prober->index);
    measure_meetings(prober);
    measure_rounds(prober);
    return NULL;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double clock_cost_ns(void)
{
    uint64_t start_ns = clock_mono_ns();
    for (unsigned i = 0; i < CLOCK_READS; i++) {
        uint64_t now_ns = clock_mono_ns();
        __asm__ __volatile__("" : : "r"(now_ns));
    }
    return (double)(clock_mono_ns() - start_ns) / CLOCK_READS;
}

/* What the two threads noted, put together. */
static void collect(struct pair *pair, const struct prober *probers)
{
    struct model_probe *probe = pair->probe;
    probe->rounds = pair->rounds;
    for (size_t i = MEETINGS_DROPPED; i < pair->meetings; i++) {
        if (probers[0].lost[i] || probers[1].lost[i]) {
            probe->preempted++;
            continue;
        }
        uint64_t a = probers[0].starts_ns[i];
        uint64_t b = probers[1].starts_ns[i];
        probe->skew_ns[probe->meetings++] = (double)(a > b ? a - b : b - a);
    }
    qsort(pair->transfers_ns, TRANSFER_BATCHES, sizeof pair->transfers_ns[0],
          compare_doubles);
    probe->transfer_ns = pair->transfers_ns[TRANSFER_BATCHES / 2];
}

static enum duet_code threads_run(struct pair *pair, struct prober *probers,
                                  struct duet_error *reterr)
{
    pthread_t other;
    int errnum = pthread_barrier_init(&pair->barrier, NULL, 2);
    if (errnum != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errnum, "cannot make a barrier");
    }
    pthread_t first;
    errnum = pthread_create(&first, NULL, prober_main, &probers[0]);
    if (errnum == 0) {
        errnum = pthread_create(&other, NULL, prober_main, &probers[1]);
        if (errnum != 0) {
            atomic_store(&pair->failed, true);
            (void)pthread_barrier_wait(&pair->barrier); /* in the second's stead */
        } else {
            (void)pthread_join(other, NULL);
        }
        (void)pthread_join(first, NULL);
    }
    (void)pthread_barrier_destroy(&pair->barrier);
    if (errnum != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errnum, "cannot start a thread");
    }
    for (int i = 0; i < MODEL_PROBE_CPUS; i++) {
        if (probers[i].code != DUET_OK) {
            return error_set(reterr, probers[i].code, "%s", probers[i].error.message);
        }
    }
    return DUET_OK;
}

static enum duet_code probe_init(struct model_probe *probe, size_t rounds,
                                 struct duet_error *reterr)
{
    probe->skew_ns = alloc_array(MEETINGS, sizeof *probe->skew_ns);
    bool failed = probe->skew_ns == NULL;
    for (int i = 0; i < MODEL_PROBE_CPUS; i++) {
        probe->times_ns[i] = alloc_array(rounds, sizeof *probe->times_ns[i]);
        failed = failed || probe->times_ns[i] == NULL;
    }
    probe->rounds = rounds;
    return failed ? error_no_memory(reterr) : DUET_OK;
}

enum duet_code probe_cpus(const struct model_cpu_set cpus[2], uint64_t duration_ns,
                          struct model_probe *ret_probe, struct duet_error *reterr)
{
    uint64_t wanted = duration_ns / round_ns;
    wanted = wanted > ROUNDS_MIN ? wanted : ROUNDS_MIN;
    struct model_probe probe = {.clock_read_ns = clock_cost_ns()};
    struct pair *pair =
        mmap(NULL, sizeof *pair, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
             -1, 0); /* a page's alignment */
    struct prober *probers = alloc_array(MODEL_PROBE_CPUS, sizeof *probers);
    enum duet_code code =
        pair == MAP_FAILED || probers == NULL
            ? error_no_memory(reterr)
            : probe_init(&probe, wanted < ROUNDS_MAX ? wanted : ROUNDS_MAX, reterr);
    if (code == DUET_OK) {
        pair->probe = &probe;
        pair->duration_ns = duration_ns;
        atomic_init(&pair->last, SIZE_MAX);
        pair->operations = operations_of_a_round();
        for (unsigned i = 0; i < MODEL_PROBE_CPUS; i++) {
            probers[i].pair = pair;
            probers[i].index = i;
            probers[i].cpus = &cpus[i];
            probers[i].party.spins = true;
        }
        code = threads_run(pair, probers, reterr);
    }
    if (code == DUET_OK) {
        collect(pair, probers);
    }
    if (pair != MAP_FAILED) {
        (void)munmap(pair, sizeof *pair);
    }
    free(probers);
    if (code != DUET_OK) {
        model_probe_release(&probe);
        return code;
    }
    *ret_probe = probe;
    return DUET_OK;
}
