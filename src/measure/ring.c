#include "measure/ring.h"

#include "base/alloc.h"
#include "model/analysis.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_HARNESS_ITERATIONS = 100,
    TIMED_HARNESS_ITERATIONS = 1000,
    FIRST_HARNESS_ITERATIONS = 20,
    DRAIN_AT_ONCE = 256
};

static uint32_t page_flags(const struct model_plan *plan)
{
    uint32_t flags = plan->usage ? SYNC_PAGE_USAGE : 0;
    switch (plan->schedule) {
    case MODEL_SCHEDULE_INTERLEAVED:
    case MODEL_SCHEDULE_SEQUENTIAL:
        flags |= SYNC_PAGE_SOLO;
        break;
    case MODEL_SCHEDULE_TIMESLICE:
        flags |= SYNC_PAGE_NO_SPIN | SYNC_PAGE_CPU_TIME;
        break;
    case MODEL_SCHEDULE_DUET:
    case MODEL_SCHEDULES:
        break;
    }
    bool paired = model_schedule_is_paired(plan->schedule);
    return flags | (paired && plan->fill[1] != MODEL_FILL_OFF ? SYNC_PAGE_FILL : 0);
}

/* A run that ends by time could end within its warm-up, which may take long on a busy
 * machine: it ends by the number of iterations that took so long the last time. */
static bool ends_by_number(const struct runner *runner)
{
    return runner->hooks->run_time != NULL && runner->plan->iterations == 0 &&
           runner->plan->warmup > 0;
}

static uint64_t behind_warmup(const struct runner *runner)
{
    uint64_t warmup = runner->plan->warmup;
    if (runner->iteration_ns == 0) {
        return warmup > FIRST_HARNESS_ITERATIONS ? warmup : FIRST_HARNESS_ITERATIONS;
    }
    uint64_t fitting = runner->run_time_ns / runner->iteration_ns;
    uint64_t at_least_one = fitting > 0 ? fitting : 1;
    return at_least_one < TIMED_HARNESS_ITERATIONS ? at_least_one
                                                   : TIMED_HARNESS_ITERATIONS;
}

/* Where time is the measure, many short iterations fit into it. */
static uint64_t iterations_of(const struct runner *runner)
{
    if (runner->plan->iterations != 0) {
        return runner->plan->iterations;
    }
    if (ends_by_number(runner)) {
        return runner->plan->warmup + behind_warmup(runner);
    }
    return runner->hooks->run_time != NULL
               ? TIMED_HARNESS_ITERATIONS
               : runner->plan->warmup + DEFAULT_HARNESS_ITERATIONS;
}

/* That are left out of the analysis: a run of no others says nothing. */
static uint64_t left_out(const struct model_plan *plan)
{
    const struct model_analysis *analysis = plan->analysis;
    bool drops = analysis != NULL && analysis->cleaning.warmup == MODEL_WARMUP_COUNT;
    return plan->warmup + (drops ? analysis->cleaning.warmup_count : 0);
}

enum duet_code ring_page_fresh(struct runner *runner, struct duet_error *reterr)
{
    if (runner->page_fd >= 0 && !ring_is_claimed(runner, 0) &&
        !ring_is_claimed(runner, 1)) {
        return DUET_OK;
    }
    const struct model_plan *plan = runner->plan;
    struct sync_setup setup = {
        .flags = page_flags(plan),
        .iterations = iterations_of(runner),
        .run_time_ns = runner->run_time_ns == 0 || ends_by_number(runner)
                           ? SYNC_NEVER
                           : runner->run_time_ns,
        .least_iterations = left_out(plan),
    };
    int fd = -1;
    struct sync_map map;
    enum duet_code code = sync_page_create(&setup, &fd, &map, reterr);
    if (code != DUET_OK) {
        return code;
    }
    sync_page_unmap(&runner->map);
    if (runner->page_fd >= 0) {
        (void)close(runner->page_fd);
    }
    runner->page_fd = fd;
    runner->map = map;
    runner->page_header = map.page->header;
    runner->page_limit = setup.iterations;
    runner->page_sent[0] = runner->page_sent[1] = false;
    memset(runner->read, 0, sizeof runner->read);
    memset(runner->regions_seen, 0, sizeof runner->regions_seen);
    return DUET_OK;
}

bool ring_is_claimed(const struct runner *runner, unsigned slot)
{
    /* Acquire pairs with the claim: the owner's page contents are visible. */
    return atomic_load_explicit(&runner->map.page->slots[slot].claim,
                                memory_order_acquire) != 0;
}

static uint32_t slot_state(const struct runner *runner, unsigned slot)
{
    return atomic_load_explicit(&runner->map.page->slots[slot].state,
                                memory_order_acquire);
}

bool ring_is_idle(const struct runner *runner, unsigned slot)
{
    uint32_t state = slot_state(runner, slot);
    return state == SYNC_SLOT_FULL || state == SYNC_SLOT_CLOSED;
}

bool ring_is_awaited(const struct runner *runner)
{
    uint32_t word =
        atomic_load_explicit(&runner->map.page->begin.first, memory_order_acquire);
    uint32_t state = word % (1U << SYNC_MEETING_STATE_BITS);
    return state == SYNC_MEETING_WAITING || state == SYNC_MEETING_ASLEEP;
}

bool ring_is_full(const struct runner *runner, unsigned slot)
{
    return slot_state(runner, slot) == SYNC_SLOT_FULL;
}

uint64_t ring_iterations(const struct runner *runner, unsigned slot)
{
    return atomic_load_explicit(&runner->map.page->slots[slot].ended,
                                memory_order_acquire);
}

bool ring_is_done(const struct runner *runner, unsigned slot)
{
    uint64_t last =
        atomic_load_explicit(&runner->map.page->control.last, memory_order_acquire);
    return last != SYNC_NEVER && ring_iterations(runner, slot) == last + 1;
}

bool ring_is_complete(const struct runner *runner, unsigned slot)
{
    return slot_state(runner, slot) == SYNC_SLOT_CLOSED && ring_is_done(runner, slot);
}

static bool is_among(const struct model_cpu_set *cpus, unsigned cpu)
{
    for (size_t i = 0; i < cpus->count; i++) {
        if (cpus->cpus[i] == cpu) {
            return true;
        }
    }
    return false;
}

static struct model_iteration iteration_of(const struct sync_record *record,
                                           const struct model_cpu_set *cpus)
{
    static const struct {
        uint32_t record;
        uint32_t iteration;
    } meanings[] = {{SYNC_RECORD_SLEPT, MODEL_ITERATION_SLEPT | MODEL_ITERATION_SECOND},
                    {SYNC_RECORD_NO_USAGE, MODEL_ITERATION_NO_USAGE},
                    {SYNC_RECORD_PREEMPTED, MODEL_ITERATION_PREEMPTED},
                    {SYNC_RECORD_CPU_MOVED, MODEL_ITERATION_CPU_CHANGED},
                    {SYNC_RECORD_DELAY, MODEL_ITERATION_TAKEN_KNOWN}};
    uint32_t flags = is_among(cpus, record->cpu) ? 0U : MODEL_ITERATION_STRAYED;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        flags |= (record->flags & meanings[i].record) != 0 ? meanings[i].iteration : 0U;
    }
    return (struct model_iteration){.start_ns = record->start_ns,
                                    .end_ns = record->end_ns,
                                    .cpu_ns = record->cpu_ns,
                                    .user_ns = record->user_ns,
                                    .system_ns = record->system_ns,
                                    .taken_ns = record->delay_ns,
                                    .operations = record->operations,
                                    .voluntary_switches = record->voluntary_switches,
                                    .involuntary_switches =
                                        record->involuntary_switches,
                                    .minor_faults = record->minor_faults,
                                    .major_faults = record->major_faults,
                                    .cpu = record->cpu,
                                    .flags = flags};
}

/* One slot that is being emptied. */
struct draining {
    struct runner *runner;
    unsigned slot;
    enum model_side side;
    const struct model_cpu_set *cpus;
    uint64_t began_ns;
    uint64_t now_ns;
    uint32_t names;                     /* that the side has given */
    uint32_t regions[SYNC_REGIONS_MAX]; /* the runner's numbers of them */
};

/* The number of a name, which is added when it is new; 0: no room. */
static uint32_t region_number(struct runner *runner, const char *name)
{
    for (uint32_t i = 0; i < runner->region_count; i++) {
        if (strcmp(runner->regions[i], name) == 0) {
            return i + 1;
        }
    }
    if (runner->region_count == MODEL_REGIONS_MAX) {
        return 0;
    }
    memcpy(runner->regions[runner->region_count], name, strlen(name) + 1);
    return ++runner->region_count;
}

static enum duet_code regions_read(struct draining *draining, struct duet_error *reterr)
{
    _Static_assert((int)SYNC_REGION_BYTES == (int)MODEL_REGION_BYTES, "names fit");
    char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
    draining->names =
        sync_region_names(&draining->runner->map.page->slots[draining->slot], names);
    for (uint32_t i = 0; i < draining->names; i++) {
        draining->regions[i] = region_number(draining->runner, names[i]);
        if (draining->regions[i] == 0) {
            return error_set(reterr, DUET_E_PROTOCOL,
                             "the programs name more than %d regions together, '%s' of "
                             "%s among them; give both sides the same names",
                             MODEL_REGIONS_MAX, names[i],
                             model_side_name(draining->side));
        }
    }
    return DUET_OK;
}

/* Of the iteration that is read next, each region once. */
static bool region_fits(struct draining *draining, uint32_t region)
{
    uint32_t *seen = &draining->runner->regions_seen[draining->slot];
    if (region > draining->names || (*seen & UINT32_C(1) << region) != 0) {
        return false;
    }
    *seen |= UINT32_C(1) << region;
    return true;
}

static enum duet_code record_take(struct draining *draining, uint64_t offset,
                                  struct model_iteration *ret_iteration,
                                  struct duet_error *reterr)
{
    struct runner *runner = draining->runner;
    unsigned slot = draining->slot;
    /* A copy: the page may change under our eyes. */
    const struct sync_record record = *sync_ring_at(&runner->map, slot, offset);
    uint64_t index = runner->read[slot];
    if (record.start_ns < draining->began_ns || record.end_ns < record.start_ns ||
        record.end_ns > draining->now_ns) {
        return error_set(
            reterr, DUET_E_PROTOCOL,
            "%s wrote impossible times into its page in iteration %" PRIu64
            " (start %" PRIu64 ", end %" PRIu64
            "); does it write to descriptors it inherited, or have another clock "
            "(time namespace: start duet in it)?",
            model_side_name(draining->side), index + 1, record.start_ns, record.end_ns);
    }
    bool counted = record.operations > 0 && record.operations <= SYNC_OPERATIONS_MAX;
    if (!counted || (record.region != 0 && !region_fits(draining, record.region))) {
        return error_set(
            reterr, DUET_E_PROTOCOL,
            "%s wrote an impossible record into its page in iteration %" PRIu64
            " (%" PRIu64
            " operations, region %u); does the program write to descriptors it inherited?",
            model_side_name(draining->side), index + 1, record.operations,
            record.region);
    }
    *ret_iteration = iteration_of(&record, draining->cpus);
    ret_iteration->index = index;
    if (record.region != 0) {
        ret_iteration->region = draining->regions[record.region - 1];
        ret_iteration->flags |= (runner->map.flags & SYNC_PAGE_CPU_TIME) != 0
                                    ? MODEL_ITERATION_CPU_KNOWN
                                    : 0U;
        return DUET_OK;
    }
    if ((runner->map.flags & SYNC_PAGE_CPU_TIME) != 0 && record.cpu_ns == 0 &&
        record.end_ns > record.start_ns) {
        /* The kernel subtracts what interrupts and the hypervisor had, in lumps: for a
         * short iteration the clock may stand still. Its resolution, then. */
        ret_iteration->cpu_ns = 1;
    }
    runner->regions_seen[slot] = 0;
    runner->read[slot]++;
    runner->slice_cpu_ns += record.cpu_ns;
    runner->slice_switches +=
        (uint64_t)record.voluntary_switches + record.involuntary_switches;
    return DUET_OK;
}

static enum duet_code drain_slot(struct draining *draining, uint64_t count,
                                 struct duet_error *reterr)
{
    struct model_iteration batch[DRAIN_AT_ONCE];
    const struct model_sink *sink = &draining->runner->hooks->sink;
    enum duet_code code = regions_read(draining, reterr);
    for (uint64_t done = 0; done < count && code == DUET_OK;) {
        uint64_t n = count - done < DRAIN_AT_ONCE ? count - done : DRAIN_AT_ONCE;
        for (uint64_t i = 0; i < n && code == DUET_OK; i++) {
            code = record_take(draining, done + i, &batch[i], reterr);
        }
        if (code == DUET_OK) {
            code = sink->iterations(sink->context, draining->side, batch, n, reterr);
        }
        done += n;
    }
    return code;
}

/* The next record of a whole iteration at or behind *offset, which moves behind it;
 * NULL: there is none among `count`. */
static const struct sync_record *next_whole(const struct sync_map *map, unsigned slot,
                                            uint64_t count, uint64_t *offset)
{
    while (*offset < count) {
        const struct sync_record *record = sync_ring_at(map, slot, (*offset)++);
        if (record->region == 0) {
            return record;
        }
    }
    return NULL;
}

/* What a pair took: the longer of both. */
static void add_longer(struct runner *runner, const uint64_t counts[SYNC_SLOTS])
{
    uint64_t offsets[SYNC_SLOTS] = {0};
    for (;;) {
        const struct sync_record *a =
            next_whole(&runner->map, 0, counts[0], &offsets[0]);
        const struct sync_record *b =
            next_whole(&runner->map, 1, counts[1], &offsets[1]);
        if (a == NULL || b == NULL) {
            return;
        }
        uint64_t a_ns = a->end_ns - a->start_ns;
        uint64_t b_ns = b->end_ns - b->start_ns;
        runner->result->longer_ns += a_ns > b_ns ? a_ns : b_ns;
    }
}

enum duet_code ring_drain(struct runner *runner, unsigned slots,
                          const enum model_side *sides, uint64_t began_ns,
                          struct duet_error *reterr)
{
    uint64_t counts[SYNC_SLOTS] = {0};
    for (unsigned slot = 0; slot < slots; slot++) {
        counts[slot] = sync_ring_waiting(&runner->map, slot);
    }
    if (slots == 2) {
        add_longer(runner, counts);
    }
    uint64_t now_ns = clock_mono_ns();
    bool two_cpus = runner->plan->schedule == MODEL_SCHEDULE_DUET;
    for (unsigned slot = 0; slot < slots; slot++) {
        struct draining draining = {.runner = runner,
                                    .slot = slot,
                                    .side = sides[slot],
                                    .cpus = &runner->plan->cpus[two_cpus ? slot : 0],
                                    .began_ns = began_ns,
                                    .now_ns = now_ns};
        enum duet_code code = drain_slot(&draining, counts[slot], reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    /* Only now: it wakes the sides, which must not execute while we are at work. */
    for (unsigned slot = 0; slot < slots; slot++) {
        sync_ring_drained(&runner->map, slot, counts[slot]);
    }
    return DUET_OK;
}

void ring_empty(struct runner *runner, unsigned slots)
{
    for (unsigned slot = 0; slot < slots; slot++) {
        sync_ring_drained(&runner->map, slot, sync_ring_waiting(&runner->map, slot));
    }
}
