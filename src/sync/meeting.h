/* A meeting: two sides wait for each other on one 32-bit word in shared memory, and
 * both know how it went: whether the early one was still spinning or had gone to sleep.
 *
 * The word is round << 3 | state. Rounds count from 1. Every change is one
 * compare-and-swap, so that the cache line travels once to the late side and once back,
 * and both read the outcome from the same value:
 *
 *     (n-1, done) --first arrives--> (n, waiting) --second arrives--> (n, done)
 *                                         |
 *                            first gives up spinning
 *                                         v
 *                                    (n, asleep)  --second arrives--> (n, done-slept)
 *
 * After `done-slept` the early side wakes some 30 us late: a bias if nothing were done.
 * So both meet again on a second word, this time spinning, and only then are released.
 * A word is poisoned to tell a waiting side that the run is over. docs/protocol.md has
 * the same for other languages. */
#ifndef DUET_SYNC_MEETING_H
#define DUET_SYNC_MEETING_H

#include "base/error.h"
#include "sync/preempt.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SYNC_LINE_BYTES = 128 }; /* two cache lines: they are fetched in pairs */

enum sync_meeting_state {
    SYNC_MEETING_DONE = 0,
    SYNC_MEETING_WAITING = 1,
    SYNC_MEETING_ASLEEP = 2,
    SYNC_MEETING_DONE_SLEPT = 3,
    SYNC_MEETING_STATE_BITS = 3
};
#define SYNC_MEETING_POISON UINT32_MAX

/* One meeting point: the word, and the word of the second phase. */
struct sync_meeting {
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t first;
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t second;
};

/* One side's own view of a meeting point: how often it met there, and how long it is
 * worth spinning for the peer before sleeping. Private to the side. */
struct sync_party {
    uint32_t round;        /* rounds begun at the first word */
    uint32_t second_round; /* and at the second */
    uint64_t wait_ns;      /* smoothed waiting time of the last meetings */
    uint64_t last_ns;      /* the last one's, not yet smoothed in */
    uint64_t spun_ns; /* of the last one, spent spinning since the last sleep, without
                         what the CPU was taken away for: CPU time that is not the
                         program's */
    bool spins;       /* false: the sides share a CPU; sleep at once, no second phase */
    bool single;      /* no second phase: nothing that is timed follows this meeting */
    /* The peer's struct sync_slot.traits: while it lacks SYNC_TRAIT_FUTEX (not attached
     * yet, or a participant that can only spin) this side naps instead of relying on
     * being woken. NULL: the peer wakes. */
    const _Atomic uint32_t *peer_traits;
    /* The own struct sync_slot.traits: SYNC_TRAIT_ASLEEP is set in it while this side
     * sleeps. NULL: nobody is told. */
    _Atomic uint32_t *own_traits;
    /* Armed before arriving and again after a sleep; whoever calls sync_meet() ends it
     * right before the start timestamp. NULL: none. */
    const struct preempt_probe *preempt;
    /* Called after each sleep, when nobody is in a hurry: what is counted from here on
     * leaves out what the sleep cost. NULL: nothing is. */
    void (*woken)(void *context);
    void *context;
};

enum sync_outcome {
    SYNC_MET,       /* both were there */
    SYNC_MET_SLEPT, /* somebody had slept; released by the second phase */
    SYNC_POISONED,  /* the run is over */
    SYNC_ORPHANED,  /* nobody came and the runner is gone */
    SYNC_CONFUSED   /* the word holds what no peer in the same round writes */
};

/* Asked every SYNC_ORPHAN_CHECK_NS of sleeping: is there nobody left to release us? */
#define SYNC_ORPHAN_CHECK_NS (UINT64_C(10) * 1000000000)
struct sync_guard {
    bool (*orphaned)(void *context);
    void *context;
};

/* Asks for the line of the meeting's word, to have it on the way while the caller does
 * something else; changes nothing. */
static inline void sync_meeting_prefetch(struct sync_meeting *meeting)
{
#if defined(__x86_64__)
    /* __builtin_prefetch would fetch a shared copy on the baseline CPU, and the
     * compare-and-swap would have to ask a second time. A no-op where not known. */
    __asm__ __volatile__("prefetchw %0" : : "m"(meeting->first));
#else
    __builtin_prefetch(&meeting->first, 1, 3);
#endif
}

/* Meets the peer in the party's next round. Sleeps for as long as it takes, unless the
 * guard (NULL: none) gives up. */
BASE_MUST_USE enum sync_outcome sync_meet(struct sync_meeting *meeting,
                                          struct sync_party *party,
                                          const struct sync_guard *guard);

/* Releases whoever waits or will wait here, with SYNC_POISONED. */
void sync_meeting_poison(struct sync_meeting *meeting);

#endif
