#include "workloads/stress.h"

#include "base/alloc.h"
#include "workloads/stress_plan.h"
#include "workloads/workload_clock.h"
#include "workloads/workload_state.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum {
    CPU_LIMIT = 8192, /* the largest NR_CPUS of Linux */
    PARTS_MAX = 2,    /* workloads that a load is made of */
    SEED = 1,
};

union cpu_mask {
    cpu_set_t set;
    unsigned char bytes[CPU_LIMIT / 8];
};

/* One workload of a load, in chunks of 5 to 20 us: what a thread may overrun by. */
struct part {
    const struct workload_kind *kind;
    uint64_t chunk_operations;
};

static const struct part integer_part = {&workload_integer, 8192};
static const struct part cache_part = {&workload_cache, 2048};
static const struct part memory_part = {&workload_memory, 128};

static size_t load_parts(enum stress_load load, struct part ret_parts[PARTS_MAX])
{
    switch (load) {
    case STRESS_LOAD_CPU:
        ret_parts[0] = integer_part;
        return 1;
    case STRESS_LOAD_CACHE:
        ret_parts[0] = cache_part;
        return 1;
    case STRESS_LOAD_MEMORY:
        ret_parts[0] = memory_part;
        return 1;
    case STRESS_LOAD_MIX:
        break;
    }
    ret_parts[0] = integer_part;
    ret_parts[1] = cache_part;
    return 2;
}

enum gate { GATE_CLOSED, GATE_OPEN, GATE_CANCELLED };

struct worker {
    struct crew *crew;
    unsigned cpu;
    pthread_t thread;
    /* Written by the thread, read by the caller's for its samples; nothing else is
     * published with it, so relaxed order suffices. */
    _Atomic uint64_t cpu_ns;
    enum duet_code code; /* written before the gate's mutex is taken, read after */
    struct duet_error error;
};

struct crew {
    const struct stress_plan *plan;
    const atomic_bool *stop;
    struct worker *workers;
    size_t count;
    pthread_mutex_t mutex; /* for the four below */
    pthread_cond_t changed;
    size_t ready;
    enum gate gate;
    uint64_t start_ns;
    uint64_t end_ns; /* UINT64_MAX: none */
};

/* The flag carries no data, and seeing it a chunk later does no harm: relaxed. Its
 * partner is the caller, or a signal handler of the caller's. */
static bool stopped(const struct crew *crew)
{
    return atomic_load_explicit(crew->stop, memory_order_relaxed);
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec until = workload_timespec(time_ns);
    /* Woken early by a signal: every caller looks at the clock and the flag again. */
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* On the thread of the worker. */
static enum duet_code worker_bind(const struct worker *worker,
                                  struct duet_error *reterr)
{
    union cpu_mask mask = {.bytes = {0}};
    if (worker->cpu < CPU_LIMIT) {
        CPU_SET_S(worker->cpu, sizeof mask, &mask.set);
    }
    if (worker->cpu >= CPU_LIMIT || sched_setaffinity(0, sizeof mask, &mask.set) != 0) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "CPU %u is not one that this process may use; leave the CPUs of the competing load out to load all "
            "that it may",
            worker->cpu);
    }
    return DUET_OK;
}

static void burn_until(const struct crew *crew, struct workload *const *workloads,
                       const struct part *parts, size_t part_count, uint64_t until_ns)
{
    size_t i = 0;
    while (workload_mono_ns() < until_ns && !stopped(crew)) {
        (void)workload_execute(workloads[i], parts[i].chunk_operations);
        i = (i + 1) % part_count;
    }
}

static void slices_run(struct worker *worker, struct workload *const *workloads,
                       const struct part *parts, size_t part_count)
{
    const struct crew *crew = worker->crew;
    uint64_t slice_ns = crew->plan->slice_ns;
    uint64_t cpu_start_ns = workload_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    /* Slices begin at the same moments on all CPUs; one that was missed (no CPU time
     * for a while) is over at once. */
    for (uint64_t offset_ns = 0; !stopped(crew); offset_ns += slice_ns) {
        uint64_t begin_ns = crew->start_ns + offset_ns;
        if (begin_ns >= crew->end_ns) {
            break;
        }
        double level = stress_level_ratio(crew->plan, offset_ns);
        uint64_t busy_ns = (uint64_t)(level * (double)slice_ns);
        burn_until(crew, workloads, parts, part_count,
                   earlier(begin_ns + busy_ns, crew->end_ns));
        atomic_store_explicit(&worker->cpu_ns,
                              workload_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_start_ns,
                              memory_order_relaxed);
        sleep_until(earlier(begin_ns + slice_ns, crew->end_ns));
    }
    atomic_store_explicit(&worker->cpu_ns,
                          workload_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_start_ns,
                          memory_order_relaxed);
}

/* Says that this worker is ready and waits for all the others; false: don't start. */
static bool gate_pass(struct crew *crew)
{
    (void)pthread_mutex_lock(&crew->mutex);
    crew->ready++;
    (void)pthread_cond_broadcast(&crew->changed);
    while (crew->gate == GATE_CLOSED) {
        (void)pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    bool open = crew->gate == GATE_OPEN;
    (void)pthread_mutex_unlock(&crew->mutex);
    return open;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct workload *workloads[PARTS_MAX] = {NULL};
    struct part parts[PARTS_MAX] = {{NULL, 0}};
    size_t part_count = load_parts(worker->crew->plan->load, parts);
    /* Bound first, so that the data lie near the CPU. */
    worker->code = worker_bind(worker, &worker->error);
    for (size_t i = 0; i < part_count && worker->code == DUET_OK; i++) {
        worker->code = workload_new(parts[i].kind, SEED, &workloads[i], &worker->error);
    }
    if (gate_pass(worker->crew)) {
        slices_run(worker, workloads, parts, part_count);
    }
    for (size_t i = 0; i < part_count; i++) {
        workload_free(workloads[i]);
    }
    return NULL;
}

/* Starts the threads with all signals blocked, so that they go to the caller's. */
static enum duet_code workers_start(struct crew *crew, size_t *ret_started,
                                    struct duet_error *reterr)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int errnum = 0;
    size_t started = 0;
    while (started < crew->count && errnum == 0) {
        struct worker *worker = &crew->workers[started];
        errnum = pthread_create(&worker->thread, NULL, worker_main, worker);
        started += errnum == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    *ret_started = started;
    if (errnum != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errnum,
                               "cannot start thread %zu of %zu for the competing load",
                               started + 1, crew->count);
    }
    return DUET_OK;
}

/* Waits until the started workers are ready, then opens the gate, or cancels when
 * `code` or a worker says so. */
static enum duet_code gate_open(struct crew *crew, size_t started, enum duet_code code,
                                struct duet_error *reterr)
{
    (void)pthread_mutex_lock(&crew->mutex);
    while (crew->ready < started) {
        (void)pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    for (size_t i = 0; i < started && code == DUET_OK; i++) {
        code = crew->workers[i].code;
        if (code != DUET_OK && reterr != NULL) {
            *reterr = crew->workers[i].error;
        }
    }
    crew->start_ns = workload_mono_ns();
    crew->end_ns = crew->plan->duration_ns == 0
                       ? UINT64_MAX
                       : crew->start_ns + crew->plan->duration_ns;
    crew->gate = code == DUET_OK ? GATE_OPEN : GATE_CANCELLED;
    (void)pthread_cond_broadcast(&crew->changed);
    (void)pthread_mutex_unlock(&crew->mutex);
    return code;
}

static uint64_t crew_cpu_ns(const struct crew *crew)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < crew->count; i++) {
        sum_ns += atomic_load_explicit(&crew->workers[i].cpu_ns, memory_order_relaxed);
    }
    return sum_ns;
}

static double crew_share(const struct crew *crew, uint64_t cpu_ns, uint64_t elapsed_ns)
{
    return elapsed_ns == 0 ? 0.0
                           : (double)cpu_ns / (double)elapsed_ns / (double)crew->count;
}

/* Sleeps and reports until the end. Wakes at least once a slice for the flag: a signal
 * that sets it may arrive just before the sleep, or on another thread. */
static void report_until_end(const struct crew *crew, stress_report_fn *report,
                             void *context)
{
    uint64_t last_ns = crew->start_ns;
    uint64_t last_cpu_ns = 0;
    uint64_t now_ns = workload_mono_ns();
    while (now_ns < crew->end_ns && !stopped(crew)) {
        if (report != NULL && now_ns - last_ns >= WORKLOAD_NS_PER_S) {
            uint64_t cpu_ns = crew_cpu_ns(crew);
            struct stress_sample sample = {
                .elapsed_ns = now_ns - crew->start_ns,
                .level_ratio = stress_level_ratio(crew->plan, now_ns - crew->start_ns),
                .achieved_ratio =
                    crew_share(crew, cpu_ns - last_cpu_ns, now_ns - last_ns),
            };
            last_ns = now_ns;
            last_cpu_ns = cpu_ns;
            report(&sample, context);
        }
        sleep_until(earlier(now_ns + crew->plan->slice_ns, crew->end_ns));
        now_ns = workload_mono_ns();
    }
}

/* Runs a crew whose workers know their CPUs; no thread is left on return. */
static enum duet_code crew_run(struct crew *crew, stress_report_fn *report,
                               void *context, struct stress_result *ret_result,
                               struct duet_error *reterr)
{
    size_t started = 0;
    (void)pthread_mutex_init(&crew->mutex, NULL); /* neither fails on Linux */
    (void)pthread_cond_init(&crew->changed, NULL);
    enum duet_code code = workers_start(crew, &started, reterr);
    code = gate_open(crew, started, code, reterr);
    if (code == DUET_OK) {
        report_until_end(crew, report, context);
    }
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(crew->workers[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&crew->changed);
    (void)pthread_mutex_destroy(&crew->mutex);
    if (code == DUET_OK) {
        uint64_t elapsed_ns = workload_mono_ns() - crew->start_ns;
        uint64_t cpu_ns = crew_cpu_ns(crew);
        *ret_result = (struct stress_result){
            .elapsed_ns = elapsed_ns,
            .cpu_ns = cpu_ns,
            .cpu_count = crew->count,
            .asked_ratio = stress_asked_ratio(crew->plan, elapsed_ns),
            .achieved_ratio = crew_share(crew, cpu_ns, elapsed_ns),
        };
    }
    return code;
}

/* The CPUs of the plan, or all allowed ones; `workers` has room for them. */
static void workers_assign(struct crew *crew, const union cpu_mask *allowed)
{
    size_t next = 0;
    for (unsigned cpu = 0; cpu < CPU_LIMIT && crew->plan->cpu_count == 0; cpu++) {
        if (CPU_ISSET_S(cpu, sizeof *allowed, &allowed->set)) {
            crew->workers[next++].cpu = cpu;
        }
    }
    for (size_t i = 0; i < crew->plan->cpu_count; i++) {
        crew->workers[next++].cpu = crew->plan->cpus[i];
    }
    for (size_t i = 0; i < crew->count; i++) {
        crew->workers[i].crew = crew;
    }
}

enum duet_code stress_run(const struct stress_plan *plan, const atomic_bool *stop,
                          stress_report_fn *report, void *context,
                          struct stress_result *ret_result, struct duet_error *reterr)
{
    enum duet_code code = stress_plan_check(plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    union cpu_mask allowed = {.bytes = {0}};
    struct crew crew = {.plan = plan, .stop = stop, .count = plan->cpu_count};
    if (plan->cpu_count == 0) {
        if (sched_getaffinity(0, sizeof allowed, &allowed.set) != 0) {
            return error_set_errno(
                reterr, DUET_E_SYSTEM, errno,
                "cannot tell which CPUs this process may use; name the CPUs for the competing load");
        }
        crew.count = (size_t)CPU_COUNT_S(sizeof allowed, &allowed.set);
    }
    crew.workers = alloc_array(crew.count, sizeof *crew.workers);
    if (crew.workers == NULL) {
        return error_set(reterr, DUET_E_NOMEM,
                         "no memory for the %zu threads of the competing load",
                         crew.count);
    }
    workers_assign(&crew, &allowed);
    code = crew_run(&crew, report, context, ret_result, reterr);
    free(crew.workers);
    return code;
}
