#include "measure/ring.h"

#include "base/alloc.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DEFAULT_HARNESS_ITERATIONS = 100,
    TIMED_HARNESS_ITERATIONS = 1000,
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

/* Where time is the measure, many short iterations fit into it. */
static uint64_t iterations_of(const struct runner *runner)
{
    if (runner->plan->iterations != 0) {
        return runner->plan->iterations;
    }
    return runner->hooks->run_time != NULL ? TIMED_HARNESS_ITERATIONS
                                           : DEFAULT_HARNESS_ITERATIONS;
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
        .run_time_ns = runner->run_time_ns == 0 ? SYNC_NEVER : runner->run_time_ns,
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

uint64_t ring_iterations(const struct runner *runner, unsigned slot)
{
    return atomic_load_explicit(&runner->map.page->slots[slot].head,
                                memory_order_acquire);
}

bool ring_is_complete(const struct runner *runner, unsigned slot)
{
    uint64_t last =
        atomic_load_explicit(&runner->map.page->control.last, memory_order_acquire);
    return slot_state(runner, slot) == SYNC_SLOT_CLOSED && last != SYNC_NEVER &&
           ring_iterations(runner, slot) == last + 1;
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
                                           const struct model_cpu_set *cpus,
                                           uint64_t index)
{
    uint32_t flags = is_among(cpus, record->cpu) ? 0U : MODEL_ITERATION_STRAYED;
    flags |= (record->flags & SYNC_RECORD_SLEPT) != 0
                 ? MODEL_ITERATION_SLEPT | MODEL_ITERATION_SECOND
                 : 0U;
    flags |=
        (record->flags & SYNC_RECORD_NO_USAGE) != 0 ? MODEL_ITERATION_NO_USAGE : 0U;
    flags |=
        (record->flags & SYNC_RECORD_PREEMPTED) != 0 ? MODEL_ITERATION_PREEMPTED : 0U;
    flags |=
        (record->flags & SYNC_RECORD_CPU_MOVED) != 0 ? MODEL_ITERATION_CPU_CHANGED : 0U;
    return (struct model_iteration){.index = index,
                                    .start_ns = record->start_ns,
                                    .end_ns = record->end_ns,
                                    .cpu_ns = record->cpu_ns,
                                    .user_ns = record->user_ns,
                                    .system_ns = record->system_ns,
                                    .voluntary_switches = record->voluntary_switches,
                                    .involuntary_switches =
                                        record->involuntary_switches,
                                    .minor_faults = record->minor_faults,
                                    .major_faults = record->major_faults,
                                    .cpu = record->cpu,
                                    .flags = flags};
}

static enum duet_code drain_slot(struct runner *runner, unsigned slot,
                                 enum model_side side, uint64_t count,
                                 uint64_t began_ns, struct duet_error *reterr)
{
    struct model_iteration batch[DRAIN_AT_ONCE];
    uint64_t now_ns = clock_mono_ns();
    const struct model_sink *sink = &runner->hooks->sink;
    bool two_places = runner->plan->schedule == MODEL_SCHEDULE_DUET;
    const struct model_cpu_set *cpus = &runner->plan->cpus[two_places ? slot : 0];
    for (uint64_t done = 0; done < count;) {
        uint64_t n = count - done < DRAIN_AT_ONCE ? count - done : DRAIN_AT_ONCE;
        for (uint64_t i = 0; i < n; i++) {
            /* A copy: the page may change under our eyes. */
            struct sync_record record = *sync_ring_at(&runner->map, slot, done + i);
            uint64_t index = runner->map.drained[slot] + done + i;
            if (record.start_ns < began_ns || record.end_ns < record.start_ns ||
                record.end_ns > now_ns) {
                return error_set(
                    reterr, DUET_E_PROTOCOL,
                    "%s wrote impossible times into its page in iteration %" PRIu64
                    " (start %" PRIu64 ", end %" PRIu64
                    "); does the program write to descriptors it inherited?",
                    model_side_name(side), index + 1, record.start_ns, record.end_ns);
            }
            batch[i] = iteration_of(&record, cpus, index);
            runner->slice_cpu_ns += record.cpu_ns;
            runner->slice_switches +=
                (uint64_t)record.voluntary_switches + record.involuntary_switches;
        }
        enum duet_code code = sink->iterations(sink->context, side, batch, n, reterr);
        if (code != DUET_OK) {
            return code;
        }
        done += n;
    }
    return DUET_OK;
}

/* What a pair took: the longer of both. */
static void add_longer(struct runner *runner, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct sync_record *a = sync_ring_at(&runner->map, 0, i);
        const struct sync_record *b = sync_ring_at(&runner->map, 1, i);
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
        add_longer(runner, counts[0] < counts[1] ? counts[0] : counts[1]);
    }
    for (unsigned slot = 0; slot < slots; slot++) {
        enum duet_code code =
            drain_slot(runner, slot, sides[slot], counts[slot], began_ns, reterr);
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
