/* The shared page: what the runner and the two sides have in common while a run lasts.
 * A memfd without a name, sealed against resizing, one for each run. Layout version 2;
 * docs/protocol.md documents every field for other languages. The runner trusts nothing
 * in it: any process of the same user could write there. */
#ifndef DUET_SYNC_PAGE_H
#define DUET_SYNC_PAGE_H

#include "base/error.h"
#include "sync/meeting.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYNC_PAGE_MAGIC UINT64_C(0x3147415054455544) /* "DUETPAG1", little-endian */
#define SYNC_NEVER UINT64_MAX

enum {
    SYNC_PAGE_VERSION = 2,
    SYNC_SLOTS = 2,
    SYNC_RING_RECORDS = 4096, /* of each slot: 320 KiB */
    SYNC_REGIONS_MAX = 16,    /* names a side may give to parts of its iterations */
    SYNC_REGION_BYTES = 32,   /* of a name, its end included */
    /* Of one iteration: its own record behind those of its regions. */
    SYNC_ITERATION_RECORDS = SYNC_REGIONS_MAX + 1,
    SYNC_ATTACH_BYTES = 128 /* of sync_attach_format()'s text, at most */
};

enum sync_page_flag {
    SYNC_PAGE_SOLO = 1U << 0U,          /* one side only: nobody to meet */
    SYNC_PAGE_NO_SPIN = 1U << 1U,       /* the sides share a CPU */
    SYNC_PAGE_USAGE = 1U << 2U,         /* record resource usage */
    SYNC_PAGE_CPU_TIME = 1U << 3U,      /* read the CPU clock inside the timed window */
    SYNC_PAGE_FILL = 1U << 4U,          /* execute fillers until the peer has ended */
    SYNC_PAGE_NO_END_MEETING = 1U << 5U /* don't wait for the peer after an iteration */
};

/* Written by the runner before any side can see it, then constant. */
struct sync_header {
    uint64_t magic;
    uint32_t version;
    uint32_t page_bytes;
    uint32_t slot_count;              /* SYNC_SLOTS */
    uint32_t ring_records;            /* capacity of each ring */
    uint32_t record_bytes;            /* sizeof(struct sync_record) */
    uint32_t flags;                   /* of enum sync_page_flag */
    uint32_t ring_offset[SYNC_SLOTS]; /* from the page's beginning, bytes */
    uint64_t nonce;       /* as in the attach text: this page and no other */
    uint64_t run_time_ns; /* the first iteration that begins so late is the last */
    int64_t runner_pid;
    uint64_t least_iterations; /* run_time_ns ends no run before one of them more */
};

/* Written by the runner (limit, stop, abort) and by the sides (last). */
struct sync_control {
    _Atomic uint64_t limit; /* iterations of this run; may be raised (extend) */
    _Atomic uint32_t stop;  /* 1: the iteration that begins next is the last */
    _Atomic uint32_t abort; /* a reason of enum sync_abort; the meetings are poisoned */
    _Atomic uint64_t last;  /* index of the last iteration; SYNC_NEVER: not decided */
};

enum sync_abort {
    SYNC_ABORT_NONE,
    SYNC_ABORT_PEER_DIED,
    SYNC_ABORT_PEER_STOPPED,
    SYNC_ABORT_PEER_LEFT,
    SYNC_ABORT_PEER_NEVER_CAME,
    SYNC_ABORT_TIMEOUT,
    SYNC_ABORT_INTERRUPTED,
    SYNC_ABORT_RUNNER /* the runner failed */
};
/* The reason as half a sentence: "the other side died". */
const char *sync_abort_text(uint32_t reason);

enum sync_slot_state {
    SYNC_SLOT_FREE,
    SYNC_SLOT_ATTACHED,
    SYNC_SLOT_FULL,   /* its ring is full: waits until the runner has emptied it */
    SYNC_SLOT_CLOSED, /* duet_close(): no more iterations */
    SYNC_SLOT_LOST    /* the same, since a meeting held what no peer writes there */
};

enum sync_slot_trait {
    SYNC_TRAIT_FUTEX = 1U << 0U, /* wakes a sleeping peer; 0: it can only spin */
    SYNC_TRAIT_ASLEEP = 1U << 1U /* sleeps at a meeting: of two, at most one for long */
};

/* One side's part; its position's, not its role's. */
struct sync_slot {
    _Alignas(SYNC_LINE_BYTES) _Atomic uint64_t claim; /* pid of its owner; 0: free */
    _Atomic uint32_t state;                           /* of enum sync_slot_state */
    _Atomic uint32_t traits;  /* of enum sync_slot_trait; set before the state */
    _Atomic uint64_t head;    /* records written so far */
    _Atomic uint64_t fillers; /* filler iterations so far */
    _Atomic uint64_t ended;   /* iterations ended so far */
    /* With SYNC_PAGE_FILL: how long an iteration is expected to take. From the runner,
     * by earlier runs (0: not known), then kept up to date by the side. */
    _Atomic uint64_t expected_ns;
    _Atomic uint32_t regions; /* names below that are complete */
    /* Written by the runner: records read so far, and a word that changes whenever a
     * side whose ring is full should look again. */
    _Alignas(SYNC_LINE_BYTES) _Atomic uint64_t drained;
    _Atomic uint32_t wake;
    /* Region n of a record (from 1) is names[n - 1]; written once, before `regions`. */
    _Alignas(SYNC_LINE_BYTES) char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
};

enum sync_record_flag {
    SYNC_RECORD_SLEPT = 1U << 0U,    /* a side had slept at the begin meeting */
    SYNC_RECORD_NO_USAGE = 1U << 1U, /* the usage fields were not measured */
    SYNC_RECORD_PREEMPTED = 1U
                            << 2U, /* lost its CPU between the meeting and the start */
    SYNC_RECORD_CPU_MOVED = 1U << 3U, /* ended on another CPU than it began on */
    SYNC_RECORD_DELAY = 1U << 4U      /* delay_ns was measured */
};

/* An iteration of one side, or what it spent in one of its regions: then the times are
 * of the first visit's start and, from there, of all visits' length together; usage is
 * not measured. 80 bytes. */
struct sync_record {
    uint64_t start_ns; /* CLOCK_MONOTONIC */
    uint64_t end_ns;
    uint64_t cpu_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t delay_ns;   /* the thread was ready and had no CPU */
    uint64_t operations; /* that the iteration executed; 1 to SYNC_OPERATIONS_MAX */
    uint32_t voluntary_switches;
    uint32_t involuntary_switches;
    uint32_t minor_faults;
    uint32_t major_faults;
    uint32_t cpu;
    uint16_t flags;  /* of enum sync_record_flag */
    uint16_t region; /* 0: the whole iteration */
};
/* A double holds every such number. */
#define SYNC_OPERATIONS_MAX (UINT64_C(1) << 53U)

struct sync_page {
    struct sync_header header;
    _Alignas(SYNC_LINE_BYTES) struct sync_control control;
    struct sync_meeting begin;
    struct sync_meeting end;
    struct sync_slot slots[SYNC_SLOTS];
    /* Two rings of records follow, at header.ring_offset. */
};

/* What the runner decides before a run. */
struct sync_setup {
    uint32_t flags;
    uint64_t iterations;  /* >= 1 */
    uint64_t run_time_ns; /* SYNC_NEVER: no limit */
    uint64_t least_iterations;
};

/* A mapped page, on either side. */
struct sync_map {
    struct sync_page *page;
    size_t bytes;
    /* Copies of header fields, checked once: never read again from shared memory. */
    uint32_t flags;
    uint64_t run_time_ns;
    uint64_t least_iterations;
    struct sync_record *rings[SYNC_SLOTS];
    uint64_t drained[SYNC_SLOTS]; /* the runner's own count */
};

/* Makes a page: *ret_fd is the sealed memfd (close-on-exec), *ret_map its mapping.
 * Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code sync_page_create(const struct sync_setup *setup,
                                              int *ret_fd, struct sync_map *ret_map,
                                              struct duet_error *reterr);

/* Maps a page that a runner made. Checks seals, size, magic, version, nonce, flags and
 * offsets. The descriptor is borrowed. Errors: DUET_E_PROTOCOL, DUET_E_VERSION,
 * DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code sync_page_map(int fd, uint64_t nonce,
                                           struct sync_map *ret_map,
                                           struct duet_error *reterr);

void sync_page_unmap(struct sync_map *map);

/* Takes the slot for process `pid`, which can use futexes; false when somebody has it.
 */
bool sync_slot_claim(struct sync_slot *slot, pid_t pid);
/* Gives it up again, before the first meeting, for another process to take. */
void sync_slot_hand_on(struct sync_slot *slot);

/* Whether a text may name a region: 1 to SYNC_REGION_BYTES - 1 printable characters of
 * ASCII. */
bool sync_region_name_fits(const char *name);
/* The slot's next name, which fits; false when there is no room. Of its owner alone. */
bool sync_region_add(struct sync_slot *slot, const char *name);
/* A copy of the slot's names. Returns how many there are; of a page that somebody wrote
 * into, only those before the first that does not fit. */
uint32_t sync_region_names(const struct sync_slot *slot,
                           char ret_names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES]);

/* Ends the run for whoever waits: sets the reason (the first one stays), poisons the
 * meetings and wakes sides that wait for their ring. */
void sync_page_abort(struct sync_page *page, enum sync_abort reason);

/* The runner's side of a ring: how many records wait in it (at most its capacity,
 * whatever the page says), the `offset`-th of them, and their acknowledgement, which
 * wakes a side that waits for room. */
uint64_t sync_ring_waiting(const struct sync_map *map, unsigned slot);
const struct sync_record *sync_ring_at(const struct sync_map *map, unsigned slot,
                                       uint64_t offset);
void sync_ring_drained(struct sync_map *map, unsigned slot, uint64_t count);

/* How a side finds its page, in the environment variable SYNC_ATTACH_VARIABLE. Of the
 * same length for both slots, so that the environment does not differ between sides. */
#define SYNC_ATTACH_VARIABLE "DUET_ATTACH"
/* Of one that works alone: how many iterations; SYNC_REPORT_NONE: prints none of its
 * times. */
#define SYNC_ITERATIONS_VARIABLE "DUET_ITERATIONS"
#define SYNC_REPORT_VARIABLE "DUET_REPORT"
#define SYNC_REPORT_NONE "none"
struct sync_attach {
    unsigned version;
    int page_fd; /* inherited descriptor */
    int bell_fd; /* inherited pipe: a byte wakes the runner */
    int64_t pid; /* of the process that holds both, for /proc/PID/fd/N */
    unsigned slot;
    uint64_t nonce;
};
/* Writes "v2:page=0062:bell=0063:pid=...:slot=0:nonce=..." into text. */
void sync_attach_format(const struct sync_attach *attach, char text[SYNC_ATTACH_BYTES]);
/* Errors: DUET_E_PROTOCOL (malformed), DUET_E_VERSION (not v2). */
BASE_MUST_USE enum duet_code sync_attach_parse(const char *text,
                                               struct sync_attach *ret_attach,
                                               struct duet_error *reterr);

#endif
