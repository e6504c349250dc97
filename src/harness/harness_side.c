#include "harness/harness_side.h"

#include "sync/clock.h"
#include "sync/futex.h"

#include <sched.h>
#include <stddef.h>

/* A peer with less than this part of our iteration left is waited for. A filler would
 * take the whole of one; without it the peer ends alone, which takes from a difference
 * between the sides, and only from one below 1/16, what it runs faster alone. */
enum {
    FILL_WORTH = 16,
    EXPECTED_WEIGHT = 4, /* the latest iteration's: a quarter */
    EXPECTED_RISE = 32,  /* but upwards at most by so small a part */
    TOOK_SHARE = 8       /* of the window: what the program's own time may lack */
};

static bool has_flag(const struct harness_side *side, enum sync_page_flag flag)
{
    return (side->map.flags & (uint32_t)flag) != 0;
}

static bool outcome_good(enum sync_outcome outcome)
{
    return outcome == SYNC_MET || outcome == SYNC_MET_SLEPT;
}

/* Without a system call where the thread shares its CPU number with the kernel. */
static uint32_t cpu_here(const struct harness_side *side)
{
    return side->preempt.cpu != NULL ? *side->preempt.cpu : (uint32_t)sched_getcpu();
}

/* Of the iteration that begins now, after the start of the first one, when it takes as
 * long as those before it, with all that lay between them. After at least one. */
static uint64_t expected_end_ns(const struct harness_side *side)
{
    uint64_t elapsed_ns = side->last_end_ns - side->first_start_ns;
    return elapsed_ns + elapsed_ns / side->ended;
}

/* Both sides agree on the last iteration although each decides by itself: a side that
 * wishes iteration k to be the last writes k into `last` before it arrives at begin
 * meeting k, and only over SYNC_NEVER.
 * - No other value can come to stand there. The side is past meeting k-1, so the peer
 *   has arrived there and can write only k or more; it writes k+1 or more only after
 *   meeting k, and what was written before that meeting it then sees (the meeting's
 *   release and acquire), so that its compare-and-swap finds a decided word.
 * - Nobody stops before k: in harness_side_next() an index up to `last` goes on.
 * - Nobody goes on after k: who asks about k+1 is past meeting k and sees `last`.
 * Relaxed would do for the same reason; release keeps it evident. */
static void decide_last(struct harness_side *side)
{
    struct sync_control *control = &side->map.page->control;
    /* Relaxed: a limit or stop seen one iteration late is as good. */
    uint64_t limit = atomic_load_explicit(&control->limit, memory_order_relaxed);
    uint32_t stop = atomic_load_explicit(&control->stop, memory_order_relaxed);
    bool time_ends = side->ended > 0 && side->ended >= side->map.least_iterations &&
                     expected_end_ns(side) >= side->map.run_time_ns;
    if (side->ended + 1 >= limit || stop != 0 || time_ends) {
        uint64_t never = SYNC_NEVER;
        (void)atomic_compare_exchange_strong_explicit(&control->last, &never,
                                                      side->ended, memory_order_release,
                                                      memory_order_relaxed);
    }
}

void harness_side_usage_begins(void *context)
{
    struct harness_side *side = context;
    (void)getrusage(RUSAGE_SELF, &side->start_usage);
    side->start_delay_known = harness_delay_read(&side->delay, &side->start_delay_ns);
}

void harness_side_begin(struct harness_side *side)
{
    if (side->filler) {
        return;
    }
    struct sync_page *page = side->map.page;
    sync_meeting_prefetch(&page->begin);
    decide_last(side);
    harness_regions_begin(&side->regions);
    if (has_flag(side, SYNC_PAGE_USAGE)) {
        harness_side_usage_begins(side);
    }
    side->preempt = preempt_probe_here(); /* not the thread of duet_open(), perhaps */
    side->start_cpu = cpu_here(side);
    enum sync_outcome outcome = SYNC_MET;
    if (has_flag(side, SYNC_PAGE_SOLO)) {
        preempt_probe_arm(&side->preempt, preempt_section());
    } else {
        outcome = sync_meet(&page->begin, &side->begin_party, &side->guard);
    }
    side->begun = outcome;
    /* Between this look and the clock lie some 20 ns in which a preemption goes
     * unnoticed; behind the clock the look would be timed. */
    side->lost_cpu = preempt_probe_end(&side->preempt);

    /* The timed window is from here to the second clock_mono_ns() in
     * harness_side_end(). What the harness does in it: return, be called, ask for the
     * end word's line. System calls left in it: none where the clock source is read in
     * user space (tsc, arch_sys_counter; clock_gettime(2) otherwise), and with
     * SYNC_PAGE_CPU_TIME two clock_gettime(2) of the CPU clock: innermost, since there
     * the CPU time is what is compared, and the wall time may contain them. */
    side->start_ns = clock_mono_ns();
    if (has_flag(side, SYNC_PAGE_CPU_TIME)) {
        side->start_cpu_ns = clock_cpu_ns();
    }
}

static uint64_t timeval_ns(struct timeval after, struct timeval before)
{
    int64_t us = ((int64_t)after.tv_sec - before.tv_sec) * 1000000 +
                 ((int64_t)after.tv_usec - before.tv_usec);
    return us > 0 ? (uint64_t)us * 1000U : 0;
}

/* The snapshot before the iteration was taken before the meeting, or when it had slept
 * there. What it has spun since is not the program's work: it is subtracted. */
static void record_usage(struct harness_side *side, struct sync_record *record)
{
    /* First: getrusage() makes the kernel look whose turn it is, and a thread whose
     * time is over loses its CPU when the call returns. In harness_side_usage_begins()
     * the same is why it comes last. */
    uint64_t delay_ns = 0;
    bool delay_known =
        side->start_delay_known && harness_delay_read(&side->delay, &delay_ns);
    struct rusage now;
    (void)getrusage(RUSAGE_SELF, &now);
    const struct rusage *then = &side->start_usage;
    uint64_t user_ns = timeval_ns(now.ru_utime, then->ru_utime);
    uint64_t spun_ns = side->begin_party.spun_ns;
    record->user_ns = user_ns > spun_ns ? user_ns - spun_ns : 0;
    record->system_ns = timeval_ns(now.ru_stime, then->ru_stime);
    record->voluntary_switches = (uint32_t)(now.ru_nvcsw - then->ru_nvcsw);
    record->involuntary_switches = (uint32_t)(now.ru_nivcsw - then->ru_nivcsw);
    record->minor_faults = (uint32_t)(now.ru_minflt - then->ru_minflt);
    record->major_faults = (uint32_t)(now.ru_majflt - then->ru_majflt);
    /* What was taken between arrival and start is not the iteration's. */
    if (delay_known && !side->lost_cpu) {
        record->delay_ns = delay_ns - side->start_delay_ns;
        record->flags |= SYNC_RECORD_DELAY;
    }
}

static void record_put(struct harness_side *side, const struct sync_record *record)
{
    side->ring[side->written % SYNC_RING_RECORDS] = *record;
    side->written++;
}

/* Before that of the iteration, so that whoever has that has all of them. */
static void records_of_regions(struct harness_side *side)
{
    for (uint32_t i = 0; i < side->regions.count; i++) {
        const struct harness_visits *visits = &side->regions.visits[i];
        if (visits->any) {
            const struct sync_record record = {.start_ns = visits->first_ns,
                                               .end_ns =
                                                   visits->first_ns + visits->spent_ns,
                                               .cpu_ns = visits->spent_cpu_ns,
                                               .operations = side->operations,
                                               .cpu = side->start_cpu,
                                               .flags = SYNC_RECORD_NO_USAGE,
                                               .region = (uint16_t)(i + 1)};
            record_put(side, &record);
        }
    }
}

/* Whether the usage is of much more than the time that counts: none is recorded then.
 * Where CPU time is compared, it is of the whole window, whatever the program says. */
static bool measures_a_part(const struct harness_side *side, uint64_t end_ns)
{
    uint64_t window_ns = end_ns - side->start_ns;
    return !has_flag(side, SYNC_PAGE_CPU_TIME) &&
           side->took_ns < window_ns - window_ns / TOOK_SHARE;
}

static void record_write(struct harness_side *side, uint64_t end_ns,
                         uint64_t end_cpu_ns)
{
    uint64_t window_ns = end_ns - side->start_ns;
    uint64_t took_ns = side->took_ns < window_ns ? side->took_ns : window_ns;
    uint32_t flags = side->begun == SYNC_MET_SLEPT ? SYNC_RECORD_SLEPT : 0U;
    flags |= side->lost_cpu ? SYNC_RECORD_PREEMPTED : 0U;
    flags |= cpu_here(side) != side->start_cpu ? SYNC_RECORD_CPU_MOVED : 0U;
    struct sync_record record = {.start_ns = side->start_ns,
                                 .end_ns = side->start_ns + took_ns,
                                 .operations = side->operations,
                                 .cpu = side->start_cpu};
    records_of_regions(side);
    if (has_flag(side, SYNC_PAGE_USAGE) && !measures_a_part(side, end_ns)) {
        record_usage(side, &record);
        record.cpu_ns = record.user_ns + record.system_ns;
    } else {
        flags |= SYNC_RECORD_NO_USAGE;
    }
    if (has_flag(side, SYNC_PAGE_CPU_TIME)) {
        record.cpu_ns = end_cpu_ns - side->start_cpu_ns;
    }
    record.flags = (uint16_t)(record.flags | flags);
    record_put(side, &record);
    /* Release, paired with the acquire in sync_ring_waiting(): the record is there. */
    atomic_store_explicit(&side->mine->head, side->written, memory_order_release);
}

/* Only this side writes it; a peer that reads the value before serves itself as well.
 * One disturbed iteration must not make the peer fill after the next ones. */
static void expect_again(struct harness_side *side, uint64_t took_ns)
{
    _Atomic uint64_t *expected = &side->mine->expected_ns;
    uint64_t before_ns = atomic_load_explicit(expected, memory_order_relaxed);
    uint64_t after_ns = took_ns;
    if (before_ns != 0) {
        uint64_t most_ns = before_ns + before_ns / EXPECTED_RISE;
        after_ns = before_ns - before_ns / EXPECTED_WEIGHT + took_ns / EXPECTED_WEIGHT;
        after_ns = after_ns < most_ns ? after_ns : most_ns;
    }
    atomic_store_explicit(expected, after_ns, memory_order_relaxed);
}

void harness_side_end(struct harness_side *side)
{
    struct sync_page *page = side->map.page;
    /* The peer that has ended holds the line: let it travel while we read the clock and
     * write the record (bench/sync_latency: 210 ns an iteration instead of 245). When
     * the peer has not ended, this changes nothing. */
    sync_meeting_prefetch(&page->end);
    uint64_t end_cpu_ns = has_flag(side, SYNC_PAGE_CPU_TIME) ? clock_cpu_ns() : 0;
    uint64_t end_ns = clock_mono_ns();

    harness_regions_leave(&side->regions, end_ns, end_cpu_ns);
    if (side->filler) {
        /* Relaxed: a count for the runner, which reads it after the run. */
        (void)atomic_fetch_add_explicit(&side->mine->fillers, 1, memory_order_relaxed);
        return;
    }
    if (!outcome_good(side->begun)) {
        side->outcome = side->begun;
        return;
    }
    side->first_start_ns = side->ended == 0 ? side->start_ns : side->first_start_ns;
    side->last_end_ns = end_ns;
    record_write(side, end_ns, end_cpu_ns);
    side->ended++;
    if (has_flag(side, SYNC_PAGE_FILL)) {
        expect_again(side, end_ns - side->start_ns);
    }
    /* Release, paired with the acquire in must_fill(); and the runner's: it sees the
     * head. */
    atomic_store_explicit(&side->mine->ended, side->ended, memory_order_release);
    if (!has_flag(side, SYNC_PAGE_FILL) && !has_flag(side, SYNC_PAGE_SOLO) &&
        !has_flag(side, SYNC_PAGE_NO_END_MEETING)) {
        side->outcome = sync_meet(&page->end, &side->end_party, &side->guard);
    }
}

/* Is the peer still inside the iteration that we have ended? */
static bool peer_works(const struct harness_side *side)
{
    /* Acquire, paired with the release in harness_side_end(). */
    return atomic_load_explicit(&side->peer->ended, memory_order_acquire) <
               side->ended &&
           atomic_load_explicit(&side->peer->state, memory_order_acquire) <
               SYNC_SLOT_CLOSED;
}

/* By what it usually takes. Both began together, so that our clock serves. */
static bool peer_about_to_end(const struct harness_side *side)
{
    uint64_t expected_ns =
        atomic_load_explicit(&side->peer->expected_ns, memory_order_relaxed);
    uint64_t mine_ns =
        atomic_load_explicit(&side->mine->expected_ns, memory_order_relaxed);
    return expected_ns != 0 &&
           expected_ns < clock_mono_ns() - side->start_ns + mine_ns / FILL_WORTH;
}

static bool must_fill(const struct harness_side *side)
{
    return has_flag(side, SYNC_PAGE_FILL) && !has_flag(side, SYNC_PAGE_SOLO) &&
           peer_works(side) && !peer_about_to_end(side);
}

static bool has_room(const struct harness_side *side)
{
    /* Acquire, paired with the release in sync_ring_drained(): the runner has read the
     * records that the next iteration overwrites, however many regions it has. */
    uint64_t drained = atomic_load_explicit(&side->mine->drained, memory_order_acquire);
    return side->written - drained <= SYNC_RING_RECORDS - SYNC_ITERATION_RECORDS;
}

static bool aborted(const struct harness_side *side)
{
    /* Acquire: sees everything from before the abort, the reason itself suffices. */
    return atomic_load_explicit(&side->map.page->control.abort, memory_order_acquire) !=
           SYNC_ABORT_NONE;
}

/* Who executes fillers never sleeps at a meeting, where the runner is looked for. */
static bool deserted(struct harness_side *side)
{
    uint64_t now_ns = clock_mono_ns();
    bool due = now_ns - side->start_ns >= SYNC_ORPHAN_CHECK_NS &&
               now_ns - side->looked_ns >= SYNC_ORPHAN_CHECK_NS;
    side->looked_ns = due ? now_ns : side->looked_ns;
    return due && side->guard.orphaned(side->guard.context);
}

/* The ring is full: waits until the runner has emptied it. */
static void wait_for_room(struct harness_side *side)
{
    struct sync_slot *mine = side->mine;
    /* Release: the runner that sees FULL sees the head. */
    atomic_store_explicit(&mine->state, SYNC_SLOT_FULL, memory_order_release);
    harness_bell_ring(&side->bell);
    uint64_t checked_ns = clock_mono_ns();
    for (;;) {
        /* Acquire, paired with the release in sync_ring_drained() and in
         * sync_page_abort(), and before the looks at what they announce: a change that
         * the looks miss has changed the word, and the sleep does not begin. */
        uint32_t wake = atomic_load_explicit(&mine->wake, memory_order_acquire);
        if (has_room(side)) {
            break;
        }
        if (aborted(side)) {
            side->outcome = SYNC_POISONED;
            break;
        }
        futex_wait(&mine->wake, wake, SYNC_ORPHAN_CHECK_NS);
        uint64_t now_ns = clock_mono_ns();
        if (now_ns - checked_ns >= SYNC_ORPHAN_CHECK_NS) {
            checked_ns = now_ns;
            if (side->guard.orphaned(side->guard.context)) {
                side->outcome = SYNC_ORPHANED;
                break;
            }
        }
    }
    atomic_store_explicit(&mine->state, SYNC_SLOT_ATTACHED, memory_order_release);
}

bool harness_side_elsewhere(struct harness_side *side)
{
    side->map.flags &= ~(uint32_t)SYNC_PAGE_USAGE;
    side->begin_party.woken = NULL;
    return !has_flag(side, SYNC_PAGE_CPU_TIME);
}

const char *harness_side_region(struct harness_side *side, const char *name)
{
    if (side->filler) {
        return NULL;
    }
    bool added = false;
    uint64_t now_cpu_ns = has_flag(side, SYNC_PAGE_CPU_TIME) ? clock_cpu_ns() : 0;
    const char *wrong = harness_regions_enter(&side->regions, name, clock_mono_ns(),
                                              now_cpu_ns, &added);
    if (added) { /* cannot fail: both have room for as many */
        (void)sync_region_add(side->mine, name);
    }
    return wrong;
}

bool harness_side_next(struct harness_side *side)
{
    side->filler = false;
    side->operations = 1;
    side->took_ns = UINT64_MAX;
    if (!outcome_good(side->outcome)) {
        return false;
    }
    if (side->ended > 0 && must_fill(side) && !aborted(side)) {
        if (deserted(side)) {
            side->outcome = SYNC_ORPHANED;
            return false;
        }
        side->filler = true;
        return true;
    }
    /* Acquire: see decide_last(). First, since after the last iteration an abort that
     * is meant for the peer is none of our business. */
    uint64_t last =
        atomic_load_explicit(&side->map.page->control.last, memory_order_acquire);
    if (last != SYNC_NEVER && side->ended > last) {
        return false;
    }
    if (aborted(side)) {
        side->outcome = SYNC_POISONED;
        return false;
    }
    if (!has_room(side)) {
        wait_for_room(side);
    }
    /* When little is prepared and the peer waits already, this much earlier. */
    sync_meeting_prefetch(&side->map.page->begin);
    return outcome_good(side->outcome);
}

uint64_t harness_side_index(const struct harness_side *side)
{
    return side->ended > 0 && side->filler ? side->ended - 1 : side->ended;
}
