#include "measure/page_check.h"

#include <string.h>

enum { STUCK_LOOKS = 3 };

bool page_is_used(const struct runner *runner)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        const struct sync_slot *own = &runner->map.page->slots[slot];
        if (atomic_load_explicit(&own->claim, memory_order_acquire) != 0 ||
            atomic_load_explicit(&own->state, memory_order_acquire) != SYNC_SLOT_FREE) {
            return true;
        }
    }
    return false;
}

static bool control_is_right(const struct runner *runner)
{
    const struct sync_control *control = &runner->map.page->control;
    uint64_t last = atomic_load_explicit(&control->last, memory_order_acquire);
    return atomic_load_explicit(&control->limit, memory_order_relaxed) ==
               runner->page_limit &&
           atomic_load_explicit(&control->stop, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&control->abort, memory_order_relaxed) ==
               SYNC_ABORT_NONE &&
           (last == SYNC_NEVER || last < runner->page_limit);
}

/* Nobody goes on after the last iteration, once it is decided. */
static bool last_is_right(const struct runner *runner, uint64_t ended)
{
    uint64_t last =
        atomic_load_explicit(&runner->map.page->control.last, memory_order_acquire);
    return last == SYNC_NEVER || ended <= last + 1;
}

static bool slot_is_right(const struct runner *runner, unsigned slot)
{
    const struct sync_slot *own = &runner->map.page->slots[slot];
    uint64_t drained = runner->map.drained[slot];
    /* In this order: a side writes the head first. */
    uint64_t ended = atomic_load_explicit(&own->ended, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&own->head, memory_order_acquire);
    uint32_t state = atomic_load_explicit(&own->state, memory_order_acquire);
    bool claimed = atomic_load_explicit(&own->claim, memory_order_acquire) != 0;
    if (!claimed && state != SYNC_SLOT_FREE) {
        /* Handed on between the two looks: it is free before it is claimed by nobody.
         */
        state = atomic_load_explicit(&own->state, memory_order_acquire);
    }
    return atomic_load_explicit(&own->drained, memory_order_relaxed) == drained &&
           head - drained <= SYNC_RING_RECORDS && ended <= head &&
           last_is_right(runner, ended) &&
           atomic_load_explicit(&own->regions, memory_order_relaxed) <=
               SYNC_REGIONS_MAX &&
           state < SYNC_SLOT_LOST && (claimed || state == SYNC_SLOT_FREE);
}

/* The word of a phase that the sides do not always come to. */
static bool is_behind(const _Atomic uint32_t *word, uint32_t rounds)
{
    uint32_t value = atomic_load_explicit(word, memory_order_acquire);
    return value % (1U << SYNC_MEETING_STATE_BITS) <= SYNC_MEETING_DONE_SLEPT &&
           value >> SYNC_MEETING_STATE_BITS <= rounds;
}

/* Of n meetings begun, who is at the n-th has ended n - 1, one more when it has ended
 * what it began there. The other one may still be in the iteration before. */
static bool meeting_is_right(const struct runner *runner)
{
    enum { TRIES = 8, STATES = 1U << SYNC_MEETING_STATE_BITS };
    const uint32_t rounds = UINT32_MAX >> SYNC_MEETING_STATE_BITS;
    struct sync_page *page = runner->map.page;
    for (int i = 0; i < TRIES; i++) {
        uint32_t word = atomic_load_explicit(&page->begin.first, memory_order_acquire);
        bool right = word % STATES <= SYNC_MEETING_DONE_SLEPT &&
                     is_behind(&page->begin.second, word / STATES) &&
                     is_behind(&page->end.first, word / STATES) &&
                     is_behind(&page->end.second, 0);
        uint32_t ahead[SYNC_SLOTS];
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            uint64_t ended =
                atomic_load_explicit(&page->slots[slot].ended, memory_order_acquire);
            ahead[slot] = (word / STATES - (uint32_t)ended) & rounds;
        }
        if (right && ahead[0] <= 2 && ahead[1] <= 2 && ahead[0] + ahead[1] <= 3) {
            return true;
        }
        /* The sides go on while we look: only a word that stays is judged. */
        if (word == atomic_load_explicit(&page->begin.first, memory_order_acquire)) {
            return false;
        }
    }
    return true;
}

const char *page_check(const struct runner *runner, bool solo)
{
    const struct sync_header *header = &runner->map.page->header;
    if (memcmp(header, &runner->page_header, sizeof *header) != 0) {
        return "its header";
    }
    if (!control_is_right(runner)) {
        return "the limits of the run";
    }
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        if (!slot_is_right(runner, slot)) {
            return "the state of a side";
        }
    }
    return solo || meeting_is_right(runner) ? NULL : "the meeting of the sides";
}

static struct page_look look_now(const struct runner *runner)
{
    struct page_look now = {.known = true};
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        struct sync_slot *own = &runner->map.page->slots[slot];
        uint32_t traits = atomic_load_explicit(&own->traits, memory_order_relaxed);
        uint32_t state = atomic_load_explicit(&own->state, memory_order_relaxed);
        now.asleep[slot] = (traits & SYNC_TRAIT_ASLEEP) != 0 || state == SYNC_SLOT_FULL;
        now.heads[slot] = atomic_load_explicit(&own->head, memory_order_relaxed);
        now.fillers[slot] = atomic_load_explicit(&own->fillers, memory_order_relaxed);
    }
    return now;
}

/* Asleep at both looks, or executing fillers for one that is: after one more it would
 * see that its peer has ended. */
static bool waits(const struct page_look *then, const struct page_look *now,
                  unsigned slot)
{
    bool fills = now->fillers[slot] > then->fillers[slot] + 1;
    return now->heads[slot] == then->heads[slot] &&
           ((then->asleep[slot] && now->asleep[slot]) || fills);
}

bool page_check_stuck(const struct runner *runner, uint64_t now_ns,
                      struct page_look *look)
{
    const uint64_t stuck_ns = UINT64_C(14000000000);
    struct page_look now = look_now(runner);
    bool waited = look->known && waits(look, &now, 0) && waits(look, &now, 1) &&
                  (now.asleep[0] || now.asleep[1]);
    now.waited = waited ? look->waited + 1 : 0;
    now.since_ns = waited ? look->since_ns : now_ns;
    *look = now;
    return now.waited >= STUCK_LOOKS && now_ns - now.since_ns >= stuck_ns;
}
