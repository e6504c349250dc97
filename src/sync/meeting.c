#include "sync/meeting.h"

#include "sync/clock.h"
#include "sync/futex.h"
#include "sync/page.h"

#include <stddef.h>

enum {
    SPINS_PER_CLOCK = 32,          /* looks at the word between looks at the clock */
    SPIN_LOST_NS = 20 * 1000,      /* they take 1 us: here the CPU was away */
    PATIENCE_FLOOR_NS = 20 * 1000, /* about what a sleep and a wake-up cost */
    PATIENCE_CAP_NS = 200 * 1000,
    SECOND_PATIENCE_NS = 20 * 1000 * 1000, /* the sleeper is on its way: wait for it */
    NAP_NS = 1000 * 1000                   /* of a side that nobody may wake */
};

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
static inline void patience_learn(struct sync_party *party)
{
    party->wait_ns = party->wait_ns - party->wait_ns / 4 + party->last_ns / 4;
    party->last_ns = 0;
}

static inline void preempt_arm(const struct sync_party *party)
{
    if (party->preempt != NULL) {
        preempt_probe_arm(party->preempt, preempt_section());
    }
}

/* Spins while *word == value, about bound_ns; returns the last value seen, and adds the
 * wait to the party's. The clock is not read before the first batch of looks, and the
 * wait is as long as the last look at the clock says: of two sides that arrive together
 * the first would otherwise miss the release by a clock read. Acquire, paired with the
 * release half of the peer's compare-and-swap in arrive(): what it wrote before it
 * arrived is visible here. */
static uint32_t spin_while(_Atomic uint32_t *word, uint32_t value, uint64_t bound_ns,
                           struct sync_party *party)
{
    uint64_t before_ns = 0;
    uint64_t waited_ns = 0;
    uint64_t spun_ns = 0;
    uint32_t seen = value;
    while (waited_ns < bound_ns) {
        for (int i = 0; i < SPINS_PER_CLOCK; i++) {
            seen = atomic_load_explicit(word, memory_order_acquire);
            if (seen != value) {
                goto done;
            }
            spin_pause();
        }
        uint64_t now_ns = clock_mono_ns();
        uint64_t batch_ns = before_ns == 0 ? 0 : now_ns - before_ns;
        before_ns = now_ns;
        waited_ns += batch_ns;
        spun_ns += batch_ns < SPIN_LOST_NS ? batch_ns : 0;
    }
done:
    party->last_ns += waited_ns;
    party->spun_ns += spun_ns;
    return seen;
}

/* How long to sleep before looking again. Relaxed: nothing else is read through it, and
 * a stale value costs one nap. */
static uint64_t nap_ns(const struct sync_party *party)
{
    bool woken = party->peer_traits == NULL ||
                 (atomic_load_explicit(party->peer_traits, memory_order_relaxed) &
                  SYNC_TRAIT_FUTEX) != 0;
    return woken ? SYNC_ORPHAN_CHECK_NS : NAP_NS;
}

/* Sleeps while *word == value. Acquire for the same reason as in spin_while(). */
static uint32_t sleep_while(_Atomic uint32_t *word, uint32_t value,
                            const struct sync_party *party,
                            const struct sync_guard *guard)
{
    uint64_t checked_ns = clock_mono_ns();
    bool orphaned = false;
    for (;;) {
        uint32_t seen = atomic_load_explicit(word, memory_order_acquire);
        if (seen != value || orphaned) {
            return seen;
        }
        futex_wait(word, value, nap_ns(party));
        uint64_t now_ns = clock_mono_ns();
        if (guard != NULL && now_ns - checked_ns >= SYNC_ORPHAN_CHECK_NS) {
            checked_ns = now_ns;
            orphaned = guard->orphaned(guard->context);
        }
    }
}

/* What the early side makes of the value that ended its wait in state `mine`. */
static enum sync_outcome outcome_of(const struct sync_party *party, uint32_t seen,
                                    uint32_t round, uint32_t mine)
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
    if (seen == word_of(round, mine)) {
        return SYNC_ORPHANED;
    }
    /* The peer arrived, had a short iteration, and waits for us in the next round
     * before we could look (without an end meeting nothing holds it back). Only a
     * second phase would have. */
    bool ahead = seen == word_of(round + 1, SYNC_MEETING_WAITING) ||
                 seen == word_of(round + 1, SYNC_MEETING_ASLEEP);
    if (ahead && mine == SYNC_MEETING_WAITING) {
        return SYNC_MET;
    }
    if (ahead && (!party->spins || party->single)) {
        return SYNC_MET_SLEPT;
    }
    return SYNC_CONFUSED;
}

/* The early side's wait: spins, then sleeps. */
static enum sync_outcome wait_for_peer(_Atomic uint32_t *word, uint32_t round,
                                       uint64_t bound_ns, struct sync_party *party,
                                       const struct sync_guard *guard)
{
    uint32_t waiting = word_of(round, SYNC_MEETING_WAITING);
    uint32_t asleep = word_of(round, SYNC_MEETING_ASLEEP);
    uint32_t seen = spin_while(word, waiting, bound_ns, party);
    if (seen != waiting) {
        return outcome_of(party, seen, round, SYNC_MEETING_WAITING);
    }
    /* Success announces only that we sleep; failure is the peer's arrival and acquires
     * like any look at the word. */
    if (!atomic_compare_exchange_strong_explicit(
            word, &seen, asleep, memory_order_acquire, memory_order_acquire)) {
        return outcome_of(party, seen, round, SYNC_MEETING_WAITING);
    }
    uint64_t start_ns = clock_mono_ns();
    if (party->own_traits != NULL) {
        /* Relaxed, twice: the runner looks at it every few seconds. */
        (void)atomic_fetch_or_explicit(party->own_traits, SYNC_TRAIT_ASLEEP,
                                       memory_order_relaxed);
    }
    seen = sleep_while(word, asleep, party, guard);
    if (party->own_traits != NULL) {
        (void)atomic_fetch_and_explicit(party->own_traits, ~(uint32_t)SYNC_TRAIT_ASLEEP,
                                        memory_order_relaxed);
    }
    /* Not in a hurry: the second phase is still to come. */
    party->last_ns += clock_mono_ns() - start_ns;
    party->spun_ns = 0;
    if (party->woken != NULL) {
        party->woken(party->context);
    }
    preempt_arm(party);
    return outcome_of(party, seen, round, SYNC_MEETING_ASLEEP);
}

/* One phase. The first guess is that the peer waits and spins: when it does, this is
 * the only access to the line. A failed guess has fetched the line and tells the value.
 * acq_rel: publishes what this side did before (release) and sees what the peer did
 * before it arrived (acquire); its partner is the peer's same operation, or its load in
 * spin_while() and sleep_while(). */
static enum sync_outcome arrive(_Atomic uint32_t *word, uint32_t round,
                                uint64_t bound_ns, struct sync_party *party,
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
    if (next == word_of(round, SYNC_MEETING_DONE)) {
        return SYNC_MET;
    }
    if (next == word_of(round, SYNC_MEETING_WAITING)) {
        return wait_for_peer(word, round, bound_ns, party, guard);
    }
    futex_wake_all(word);
    return SYNC_MET_SLEPT;
}

enum sync_outcome sync_meet(struct sync_meeting *meeting, struct sync_party *party,
                            const struct sync_guard *guard)
{
    patience_learn(party);
    party->spun_ns = 0;
    party->round++;
    preempt_arm(party);
    enum sync_outcome outcome =
        arrive(&meeting->first, party->round, patience_ns(party), party, guard);
    if (outcome == SYNC_MET_SLEPT && party->spins && !party->single) {
        uint64_t first_ns = party->last_ns;
        party->second_round++;
        outcome = arrive(&meeting->second, party->second_round, SECOND_PATIENCE_NS,
                         party, guard);
        outcome = outcome == SYNC_MET ? SYNC_MET_SLEPT : outcome;
        party->last_ns =
            first_ns; /* the sleeper's wake-up says nothing about the peer */
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
