/* One batch of a watch: provide, execute, release. */
#ifndef DUET_SESSION_WATCH_WATCH_JOB_H
#define DUET_SESSION_WATCH_WATCH_JOB_H

#include "model/plan.h"
#include "session/listener.h"
#include "session/watch/watch_metric.h"
#include "session/watch/watch_series.h"
#include "stats/moments.h"

#include <stdbool.h>

struct watch_job {
    struct store *store;
    struct store_watch *watch;
    const struct model_plan *plan; /* of one execution a run */
    const struct watch_metric *metric;
    struct watch_series *series; /* what is measured is appended */
    int cancel_fd;
    const struct listener *listener;
    bool verbose; /* tell of each execution */
    /* Of the run under way. */
    struct model_sink next;
    struct stats_sum sum; /* of its iterations' times */
    uint64_t count;
};

/* Executes a batch: --provision, the executions, each in the store as soon as it has
 * ended, and --release, which is called whatever has happened. Both are tried
 * watch->attempts times. Errors: DUET_E_INTERRUPTED, DUET_E_WORKLOAD (the command, the
 * number that it prints, --provision, --release), those of measure_alone() and of the
 * store. */
BASE_MUST_USE enum duet_code watch_job_run(struct watch_job *job, uint64_t batch,
                                           struct duet_error *reterr);

/* Releases what a batch has left provided whose process is gone, if any. Errors:
 * DUET_E_WORKLOAD and the store's. */
BASE_MUST_USE enum duet_code watch_job_recover(struct watch_job *job,
                                               struct duet_error *reterr);

#endif
