/* The runner's wait: asleep until a side has ended, wants its ring emptied, or
 * something goes wrong. */
#ifndef DUET_MEASURE_RUNNER_WAIT_H
#define DUET_MEASURE_RUNNER_WAIT_H

#include "measure/claimant.h"
#include "measure/page_check.h"
#include "measure/runner.h"

struct runner_wait {
    struct runner *runner;
    const struct runner_task *task;
    struct model_run *run;
    bool ordered[BOARD_POSITIONS];          /* in: an order is out */
    enum model_side sides[BOARD_POSITIONS]; /* in: for which side */
    bool reported[BOARD_POSITIONS];
    struct supervisor_report reports[BOARD_POSITIONS]; /* out */
    /* The first error, while the rest is being wound up. */
    enum duet_code code;
    struct duet_error error;
    uint64_t give_up_ns; /* then the next step is taken against who has not reported */
    bool told;           /* the first one has been: supervisors were told to end */
    /* While nothing is wrong: */
    uint64_t tick_ns; /* the next look at what does not announce itself */
    unsigned stopped[BOARD_POSITIONS]; /* looks in a row that found it stopped */
    uint64_t steps;                    /* of all supervisors, and since when */
    uint64_t steps_ns;
    struct page_look page;
    struct claimants claimants;
    /* Looks in a row for a full ring that found the other side at work; the next one.
     */
    unsigned room_looks;
    uint64_t room_ns;
};

/* Waits until every order is answered. `code`: of sending the orders; an error there, a
 * side's trouble, or the user's interruption winds up what is still under way, and is
 * returned when nothing is. */
BASE_MUST_USE enum duet_code runner_wait_until_reported(struct runner_wait *wait,
                                                        enum duet_code code,
                                                        struct duet_error *reterr);

#endif
