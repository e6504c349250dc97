/* Executing a side, inside its supervisor: hooks, launch, waiting, fillers, records. */
#ifndef DUET_MEASURE_EXECUTION_H
#define DUET_MEASURE_EXECUTION_H

#include "measure/environment.h"
#include "measure/launch.h"
#include "measure/supervisor.h"
#include "sync/page.h"

#include <signal.h>

struct execution {
    const struct supervisor_setup *setup;
    struct launch_stack *stack;
    sigset_t program_mask;           /* empty: programs start with no signal blocked */
    struct environment *environment; /* borrowed; of the current page */
    struct environment *hook_environment; /* borrowed; hooks have no page */
    const struct sync_guard
        *guard; /* borrowed; ends meetings when the runner is gone */
    int page_fd;
    struct counters counters; /* of the programs, from execve on */
    struct counters_reading counted[MODEL_COUNTERS]; /* until the last one's end */
    /* How long the last two executions took: both sides have been here in a block.
     * UINT64_MAX before them. */
    uint64_t last_ns[2];
    int tasks_fd; /* of this process: taken_tasks_open() */
    /* At what others have of the CPUs: once a program has been here whose losses may
     * not be known, one of several tasks or a benchmark that may wait. */
    bool looks;
    struct sync_slot *slot;            /* of the current page */
    const struct sync_slot *peer_slot; /* the other position's */
};

/* Prepares a supervisor process, whose signals are blocked from now on: SIGTERM ends
 * the order. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code execution_init(struct execution *execution,
                                            const struct supervisor_setup *setup,
                                            struct duet_error *reterr);

/* Carries out an order; the outcome, good or bad, is in *report. */
void execution_order(struct execution *execution, const struct supervisor_order *order,
                     struct supervisor_report *report);

void execution_release(struct execution *execution);

#endif
