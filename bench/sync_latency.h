/* What sync_latency measures, and what its two sides leave for it. */
#ifndef BENCH_SYNC_LATENCY_H
#define BENCH_SYNC_LATENCY_H

#include "sync/page.h"

#include <stdint.h>

enum {
    ROUNDS_MOST = 4000, /* of a run: fits a ring, so that nobody has to drain it */
    TRANSFER_BATCHES = 40,
    TRANSFER_TRIPS = 200 /* round trips a batch */
};

/* How the two sides arrive; side 1 is the late one. */
struct scenario {
    const char *name;
    const char *text;
    uint32_t flags; /* of the page */
    unsigned rounds;
    unsigned runs;
    uint64_t late_ns; /* what side 1 does before it arrives, busily */
    uint64_t work_ns; /* what side 1 does inside the timed section */
    int cold;         /* both throw their caches away before */
    int is_cost;      /* report the harness cost of side 1, not the start skew */
};

/* Shared by the two sides of a run and the process that started them. */
struct results {
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t ping;
    _Alignas(SYNC_LINE_BYTES) _Atomic uint32_t pong;
    _Alignas(SYNC_LINE_BYTES) double transfer_ns[TRANSFER_BATCHES];
    double clock_ns;             /* one read, hot */
    double cost_ns[ROUNDS_MOST]; /* of side 1, beyond two clock reads */
};

/* The body of a side's process; `slot` 0 or 1, DUET_ATTACH is set. Returns its exit
 * status. */
int side_main(const struct scenario *scenario, unsigned slot, struct results *results);

#endif
