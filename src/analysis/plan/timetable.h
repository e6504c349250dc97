/* When the executions of a performance test are due that goes on for days: at which
 * moments, in which interval, and which were missed. Knows no clock: the moments are
 * given. */
#ifndef DUET_ANALYSIS_TIMETABLE_H
#define DUET_ANALYSIS_TIMETABLE_H

#include "base/error.h"

#include <stdint.h>

/* Batch n (from 0) is due n periods after the start. A batch is so many executions, one
 * directly after the other; He 2021 executes 4 an hour for a day an interval
 * (s.III-C), and finds that number by thinning a series, which leaves executions at
 * equal distances: batches of one. Moments are wall-clock time in ns since 1970, which
 * goes on while the machine is down. */
struct analysis_timetable {
    int64_t start_utc_ns;
    double period_ns;       /* from one batch to the next */
    uint64_t batch_size;    /* executions */
    double interval_points; /* executions of an interval; need not be whole */
};

/* per_hour: executions. Errors: DUET_E_DOMAIN (a rate that is not positive, an empty
 * batch, an interval of fewer than two executions or of more than 10^9, batches closer
 * than a microsecond). */
BASE_MUST_USE enum duet_code
analysis_timetable_make(int64_t start_utc_ns, uint64_t every_ns, double per_hour,
                        uint64_t batch_size, struct analysis_timetable *ret_timetable,
                        struct duet_error *reterr);

/* When a batch is due, in ns since 1970. */
int64_t analysis_timetable_due_ns(const struct analysis_timetable *timetable,
                                  uint64_t batch);

struct analysis_due {
    uint64_t batch;
    int64_t due_utc_ns; /* may lie in the past: at once */
    uint64_t missed;    /* batches between the one asked for and this one */
};

/* The batch to execute next when `first` is the first that was neither executed nor
 * given up. One that is late by up to half a period is executed all the same; later
 * ones are missed and not made up for, so that no two are ever closer than half a
 * period to each other. */
struct analysis_due analysis_timetable_next(const struct analysis_timetable *timetable,
                                            uint64_t first, int64_t now_utc_ns);

/* The first batch behind so many intervals. */
uint64_t analysis_timetable_end(const struct analysis_timetable *timetable,
                                uint64_t intervals);

/* Intervals all of whose batches lie in [first, end). */
uint64_t analysis_timetable_whole(const struct analysis_timetable *timetable,
                                  uint64_t first, uint64_t end);

#endif
