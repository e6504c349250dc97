#include "sync/meeting.h"

#include "sync/clock.h"
#include "sync/futex.h"

#include <stddef.h>

enum {
    SPINS_PER_CLOCK = 32,          /* looks at the word between looks at the clock */
    PATIENCE_FLOOR_NS = 20 * 1000, /* about what a sleep and a wake-up cost */
    PATIENCE_CAP_NS = 200 * 1000,
    SECOND_PATIENCE_NS = 20 * 1000 * 1000 /* the sleeper is on its way: wait for it */
};
static const uint64_t orphan_check_ns = 10U * 1000000000U;

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

static inline uint32_t word_of(uint32_t round, uint32_t state)
{
    return round << SYNC_MEETING_STATE_BITS | state;
}

/* Twice the smoothed wait, where spinning that long is cheaper than a sleep's late
 * wake-up; the floor otherwise. */
static uint64_t patience_ns(const struct sync_party *party)
{
    if (!party->spins) {
        return 0;
    }
    uint64_t bound_ns = 2 * party->wait_ns;
    if (bound_ns < PATIENCE_FLOOR_NS || bound_ns > PATIENCE_CAP_NS) {
        bound_ns = PATIENCE_FLOOR_NS;
    }
    return bound_ns;
}

/* Exponential smoothing, weight 1/4: follows a change within a few iterations. Done at
 * the next meeting's beginning, when nobody has been released yet. */
static void patience_learn(struct sync_party *party)
{
    party->wait_ns = party->wait_ns - party->wait_ns / 4 + party->last_ns / 4;
    party->last_ns = 0;
}

/* Spins while *word == value, at most bound_ns. *ret_waited_ns is as old as the last
 * look at the clock: another look after the release would delay this side's start.
 * Acquire, paired with the release half of the peer's compare-and-swap in arrive():
 * what the peer wrote before it arrived is visible here. Returns the last value seen.
 */
static uint32_t spin_while(_Atomic uint32_t *word, uint32_t value, uint64_t bound_ns,
                           uint64_t *ret_waited_ns)
{
    uint64_t start_ns = clock_mono_ns();
    uint64_t waited_ns = 0;
    while (waited_ns < bound_ns) {
        for (int i = 0; i < SPINS_PER_CLOCK; i++) {
            uint32_t seen = atomic_load_explicit(word, memory_order_acquire);
            if (seen != value) {
                *ret_waited_ns = waited_ns;
                return seen;
            }
            spin_pause();
        }
        waited_ns = clock_mono_ns() - start_ns;
    }
    *ret_waited_ns = waited_ns;
    return value;
}

/* Sleeps while *word == value. Acquire for the same reason as above. */
static uint32_t sleep_while(_Atomic uint32_t *word, uint32_t value,
                            const struct sync_guard *guard)
{
    for (;;) {
        uint32_t seen = atomic_load_explicit(word, memory_order_acquire);
        if (seen != value || (guard != NULL && guard->orphaned(guard->context))) {
            return seen;
        }
        futex_wait(word, value, orphan_check_ns);
    }
}

static enum sync_outcome outcome_of(uint32_t seen, uint32_t round, uint32_t unchanged)
{
    if (seen == word_of(round, SYNC_MEETING_DONE)) {
        return SYNC_MET;
    }
    if (seen == word_of(round, SYNC_MEETING_DONE_SLEPT)) {
        return SYNC_MET_SLEPT;
    }
    if (seen == SYNC_MEETING_POISON) {
        return SYNC_POISONED;
    }
    return seen == unchanged ? SYNC_ORPHANED : SYNC_CONFUSED;
}

/* The early side's wait: spins, then sleeps. */
static enum sync_outcome wait_for_peer(_Atomic uint32_t *word, uint32_t round,
                                       uint64_t bound_ns, uint64_t *ret_waited_ns,
                                       const struct sync_guard *guard)
{
    uint32_t waiting = word_of(round, SYNC_MEETING_WAITING);
    uint32_t asleep = word_of(round, SYNC_MEETING_ASLEEP);
    uint32_t seen = spin_while(word, waiting, bound_ns, ret_waited_ns);
    if (seen != waiting) {
        return outcome_of(seen, round, waiting);
    }
    /* Success announces only that we sleep; failure is the peer's arrival and acquires
     * like any look at the word. */
    if (!atomic_compare_exchange_strong_explicit(
            word, &seen, asleep, memory_order_acquire, memory_order_acquire)) {
        return outcome_of(seen, round, waiting);
    }
    uint64_t start_ns = clock_mono_ns();
    seen = sleep_while(word, asleep, guard);
    *ret_waited_ns +=
        clock_mono_ns() - start_ns; /* the second phase is still to come */
    return outcome_of(seen, round, asleep);
}

/* One phase. The first guess is that the peer waits and spins: when it does, this is
 * the only access to the line. A failed guess has fetched the line and tells the value.
 * acq_rel: publishes what this side did before (release) and sees what the peer did
 * before it arrived (acquire). */
static enum sync_outcome arrive(_Atomic uint32_t *word, uint32_t round,
                                uint64_t bound_ns, uint64_t *ret_waited_ns,
                                const struct sync_guard *guard)
{
    uint32_t seen = word_of(round, SYNC_MEETING_WAITING);
    uint32_t next = word_of(round, SYNC_MEETING_DONE);
    while (!atomic_compare_exchange_strong_explicit(
        word, &seen, next, memory_order_acq_rel, memory_order_acquire)) {
        if (seen == word_of(round, SYNC_MEETING_WAITING)) {
            next = word_of(round, SYNC_MEETING_DONE);
        } else if (seen == word_of(round, SYNC_MEETING_ASLEEP)) {
            next = word_of(round, SYNC_MEETING_DONE_SLEPT);
        } else if (seen == word_of(round - 1, SYNC_MEETING_DONE) ||
                   seen == word_of(round - 1, SYNC_MEETING_DONE_SLEPT)) {
            next = word_of(round, SYNC_MEETING_WAITING);
        } else {
            return seen == SYNC_MEETING_POISON ? SYNC_POISONED : SYNC_CONFUSED;
        }
    }
    if (next == word_of(round, SYNC_MEETING_WAITING)) {
        return wait_for_peer(word, round, bound_ns, ret_waited_ns, guard);
    }
    if (next == word_of(round, SYNC_MEETING_DONE_SLEPT)) {
        futex_wake_all(word);
        return SYNC_MET_SLEPT;
    }
    return SYNC_MET;
}

enum sync_outcome sync_meet(struct sync_meeting *meeting, struct sync_party *party,
                            const struct sync_guard *guard)
{
    patience_learn(party);
    party->round++;
    enum sync_outcome outcome = arrive(&meeting->first, party->round,
                                       patience_ns(party), &party->last_ns, guard);
    if (outcome == SYNC_MET_SLEPT && party->spins) {
        uint64_t unused_ns = 0;
        party->second_round++;
        outcome = arrive(&meeting->second, party->second_round, SECOND_PATIENCE_NS,
                         &unused_ns, guard);
        outcome = outcome == SYNC_MET ? SYNC_MET_SLEPT : outcome;
    }
    return outcome;
}

void sync_meeting_poison(struct sync_meeting *meeting)
{
    /* Release pairs with the waiters' acquire: they see why (the control word). */
    atomic_store_explicit(&meeting->first, SYNC_MEETING_POISON, memory_order_release);
    atomic_store_explicit(&meeting->second, SYNC_MEETING_POISON, memory_order_release);
    futex_wake_all(&meeting->first);
    futex_wake_all(&meeting->second);
}
