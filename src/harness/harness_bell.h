/* The pipe by which a side wakes the runner. */
#ifndef DUET_HARNESS_BELL_H
#define DUET_HARNESS_BELL_H

#include "harness/harness_descriptor.h"

enum { HARNESS_PATH_BYTES = 64 };

struct harness_bell {
    struct harness_descriptor pipe;
    bool owned; /* opened here: close it */
    /* Where duet holds it, for a program that closes what it has inherited; "": that is
     * not visible from here. */
    char held[HARNESS_PATH_BYTES];
};

/* Wakes the runner. Its death is no reason for this process to get SIGPIPE. */
void harness_bell_ring(struct harness_bell *bell);
void harness_bell_close(struct harness_bell *bell);

#endif
