/* The processes that take part by the page: whether they are still there. One may be a
 * worker of the program that a supervisor has started, and end while that goes on. */
#ifndef DUET_MEASURE_CLAIMANT_H
#define DUET_MEASURE_CLAIMANT_H

#include "measure/runner.h"

/* Of each slot, what looks remember. Zeroed storage: nothing. */
struct claimants {
    uint64_t pids[SYNC_SLOTS];   /* who was seen to hold the page; 0: nobody */
    unsigned missed[SYNC_SLOTS]; /* looks in a row that did not find it */
};

/* After the bell: remembers who has claimed a slot and holds the page. Who cannot be
 * seen, as in a pid namespace of its own, is not remembered, nor ever missed; nor is
 * who has ended by then. */
void claimants_note(const struct runner *runner, struct claimants *claimants);

/* A look, some time after the one before. true: the owner of the slot, a worker of the
 * program, is gone without having closed it, and was at the look before. */
bool claimant_is_lost(const struct runner *runner, struct claimants *claimants,
                      unsigned slot);

#endif
