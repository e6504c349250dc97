/* One side of a run under a runner: its iterations, in step with the other side. The
 * protocol is docs/protocol.md. */
#ifndef DUET_HARNESS_SIDE_H
#define DUET_HARNESS_SIDE_H

#include "harness/harness_bell.h"
#include "harness/harness_delay.h"
#include "harness/harness_regions.h"
#include "sync/page.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct harness_side {
    struct sync_map map;
    struct sync_slot *mine;
    struct sync_slot *peer;
    struct sync_record *ring; /* mine */
    struct sync_guard guard;  /* its context points to this struct: don't move it */
    struct sync_party begin_party;
    struct sync_party end_party;
    struct preempt_probe preempt;
    struct harness_bell bell;
    /* Where duet holds the page as long as the runner lives; "": that is not visible
     * from here, and the runner's end goes unnoticed. */
    char held[HARNESS_PATH_BYTES];
    dev_t proc_device; /* of that /proc */

    uint64_t ended;            /* iterations ended so far; the next one's index */
    uint64_t written;          /* records, the ring's head */
    bool filler;               /* the iteration under way is one */
    uint64_t looked_ns;        /* during fillers, for the runner; 0: not yet */
    bool lost_cpu;             /* between the begin meeting and the start */
    enum sync_outcome outcome; /* of the last meeting; bad ones stay */
    enum sync_outcome begun;   /* of the begin meeting of this iteration */
    uint64_t first_start_ns;
    uint64_t last_end_ns;
    uint64_t start_ns;
    uint64_t start_cpu_ns;
    uint32_t start_cpu;
    struct rusage start_usage;
    struct harness_delay delay;
    bool start_delay_known;
    uint64_t start_delay_ns;
    uint64_t operations; /* of the iteration under way */
    uint64_t took_ns;    /* ... as duet_took() said; UINT64_MAX: it did not */
    struct harness_regions regions;
};

/* Finds the page that `text` (of the environment variable) names, claims the slot and
 * rings the bell. *ret_side must stay where it is until harness_side_close().
 * Errors: DUET_E_PROTOCOL (malformed, not a page of this run, attached twice by this
 * process, or by another one, which is named), DUET_E_VERSION, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code harness_side_open(const char *text,
                                               struct harness_side *ret_side,
                                               struct duet_error *reterr);

/* Before the first iteration: gives the slot up, for another process to claim, and
 * releases everything. */
void harness_side_hand_on(struct harness_side *side);

/* As duet_next(), duet_begin() and duet_end(). */
bool harness_side_next(struct harness_side *side);
void harness_side_begin(struct harness_side *side);
void harness_side_end(struct harness_side *side);

/* From now on no usage is recorded. false: the run compares CPU time. */
BASE_MUST_USE bool harness_side_elsewhere(struct harness_side *side);

/* As duet_region(). Returns NULL, or what is wrong with the name. */
const char *harness_side_region(struct harness_side *side, const char *name);

/* What `side` (a struct harness_side) uses from here on is the next iteration's. Also
 * called back from the begin meeting (struct sync_party.woken). */
void harness_side_usage_begins(void *side);

/* The index of the iteration under way or, between iterations, of the last one. */
uint64_t harness_side_index(const struct harness_side *side);

/* NULL, or why the run ended before its time, as half a sentence; static string. */
const char *harness_side_reason(const struct harness_side *side);

/* Tells the runner that no iteration follows and releases everything. */
void harness_side_close(struct harness_side *side);

#endif
