/* Named parts of an iteration: which is open, and how long each took so far. */
#ifndef DUET_HARNESS_REGIONS_H
#define DUET_HARNESS_REGIONS_H

#include "sync/page.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed storage is ready. */
struct harness_regions {
    uint32_t count;
    uint32_t open;                          /* from 1; 0: none */
    const char *pointers[SYNC_REGIONS_MAX]; /* the caller's, compared first */
    char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
    uint64_t opened_ns; /* since when one is open; both clocks */
    uint64_t opened_cpu_ns;
    struct harness_visits {
        bool any;
        uint64_t first_ns; /* start of the first visit */
        uint64_t spent_ns; /* in all visits of this iteration */
        uint64_t spent_cpu_ns;
    } visits[SYNC_REGIONS_MAX];
};

/* Forgets the visits, not the names. */
void harness_regions_begin(struct harness_regions *regions);

/* Ends the region that is open and begins `name` (NULL: none) at the given moment.
 * *ret_added: the name is a new one, the last. Returns NULL, or what is wrong with the
 * name, as a whole sentence. */
const char *harness_regions_enter(struct harness_regions *regions, const char *name,
                                  uint64_t now_ns, uint64_t now_cpu_ns,
                                  bool *ret_added);

/* Ends the region that is open, if any. */
void harness_regions_leave(struct harness_regions *regions, uint64_t now_ns,
                           uint64_t now_cpu_ns);

#endif
