/* One side of a run under a runner: its iterations, in step with the other side. The
 * protocol is docs/protocol.md. */
#ifndef DUET_HARNESS_SIDE_H
#define DUET_HARNESS_SIDE_H

#include "sync/page.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct harness_side {
    struct sync_map map;
    struct sync_slot *mine;
    struct sync_slot *peer;
    struct sync_record *ring; /* mine */
    struct sync_guard guard;  /* its context points to this struct: don't move it */
    struct sync_party begin_party;
    struct sync_party end_party;
    struct preempt_probe watch;
    int bell_fd;
    bool bell_owned;    /* opened here: close it */
    int64_t runner_pid; /* 0: not visible from here, cannot be watched */

    uint64_t ended;            /* iterations ended so far; the next one's index */
    uint64_t written;          /* records, the ring's head */
    bool filler;               /* the iteration under way is one */
    bool lost_cpu;             /* between the begin meeting and the start */
    enum sync_outcome outcome; /* of the last meeting; bad ones stay */
    enum sync_outcome begun;   /* of the begin meeting of this iteration */
    uint64_t first_start_ns;
    uint64_t last_end_ns;
    uint64_t start_ns;
    uint64_t start_cpu_ns;
    uint32_t start_cpu;
    struct rusage start_usage;
};

/* Finds the page that `text` (of the environment variable) names, claims the slot and
 * rings the bell. *ret_side must stay where it is until harness_side_close().
 * *ret_owner: 0, or the process that had claimed the slot before us; then *ret_side is
 * not filled. Errors: DUET_E_PROTOCOL (malformed, not a page of this run, attached
 * twice by this process), DUET_E_VERSION, DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code harness_side_open(const char *text,
                                               struct harness_side *ret_side,
                                               uint64_t *ret_owner,
                                               struct duet_error *reterr);

/* As duet_next(), duet_begin() and duet_end(). */
bool harness_side_next(struct harness_side *side);
void harness_side_begin(struct harness_side *side);
void harness_side_end(struct harness_side *side);

/* What `side` (a struct harness_side) uses from here on is the next iteration's. Also
 * called back from the begin meeting (struct sync_party.woken). */
void harness_side_usage_begins(void *side);

/* The index of the iteration under way or, between iterations, of the last one. */
uint64_t harness_side_index(const struct harness_side *side);

/* Tells the runner that no iteration follows and releases everything. Returns NULL, or
 * why the run ended before its time, as half a sentence; static string. */
const char *harness_side_close(struct harness_side *side);

/* Wakes the runner. Its death is no reason for this process to get SIGPIPE. */
void harness_bell_ring(int bell_fd);

#endif
