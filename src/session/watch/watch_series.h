/* What a watch has measured so far, in order. */
#ifndef DUET_SESSION_WATCH_WATCH_SERIES_H
#define DUET_SESSION_WATCH_WATCH_SERIES_H

#include "store/store_watch.h"

/* Zeroed: empty. */
struct watch_series {
    double *values; /* one an execution: its metric, of a benchmark program the mean of
                       its iterations */
    uint64_t *indices; /* of the executions in the timetable, ascending */
    size_t count;
    size_t capacity;
};

/* Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code watch_series_append(struct watch_series *series,
                                                 uint64_t index, double value,
                                                 struct duet_error *reterr);
/* All that is stored of it. Errors: the store's. */
BASE_MUST_USE enum duet_code watch_series_load(struct store *store,
                                               const struct store_watch *watch,
                                               struct watch_series *ret_series,
                                               struct duet_error *reterr);
void watch_series_release(struct watch_series *series);

#endif
