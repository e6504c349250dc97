/* How far a watch has come. */
#ifndef DUET_SESSION_WATCH_WATCH_STATUS_H
#define DUET_SESSION_WATCH_WATCH_STATUS_H

#include "analysis/plan/timetable.h"
#include "analysis/stop/stop_rule.h"
#include "model/watching.h"
#include "session/watch/watch_series.h"

#include <stdbool.h>

/* Wall-clock time in ns since 1970. */
int64_t watch_now_utc_ns(void);

/* The watch's timetable, and what its rule is asked. Errors: DUET_E_DOMAIN,
 * DUET_E_USAGE: of a store that another program has written to. */
BASE_MUST_USE enum duet_code
watch_timetable_of(const struct store_watch *watch,
                   struct analysis_timetable *ret_timetable, struct duet_error *reterr);
BASE_MUST_USE enum duet_code watch_question_of(
    const struct store_watch *watch, const struct analysis_timetable *timetable,
    struct analysis_stop_question *ret_question, struct duet_error *reterr);

/* pid: of the process that works on it; 0: none. The status borrows from `watch`.
 * Errors: DUET_E_NOMEM and the two above. */
BASE_MUST_USE enum duet_code watch_status_make(const struct store_watch *watch,
                                               const struct watch_series *series,
                                               int64_t pid, int64_t now_utc_ns,
                                               struct model_watch_status *ret_status,
                                               struct duet_error *reterr);

/* The same of what is stored of it. Errors: as above, and the store's. */
BASE_MUST_USE enum duet_code watch_status_load(struct store *store,
                                               const struct store_watch *watch,
                                               struct model_watch_status *ret_status,
                                               struct duet_error *reterr);

#endif
