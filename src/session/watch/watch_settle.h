/* What a new watch is when all that was asked for is known. */
#ifndef DUET_SESSION_WATCH_WATCH_SETTLE_H
#define DUET_SESSION_WATCH_WATCH_SETTLE_H

#include "base/error.h"
#include "session/watch/watch_request.h"

/* The defaults; the seed is drawn. */
void watch_request_init(struct watch_request *ret_request);

/* `metric`: time, throughput or a regular expression; NULL: not given. With the
 * pattern it decides what is kept of an execution. Strings are borrowed. Errors:
 * DUET_E_USAGE (a metric that cannot be read, --release without --provision),
 * DUET_E_NOMEM, those of analysis_timetable_make(). */
BASE_MUST_USE enum duet_code watch_request_settle(struct watch_request *request,
                                                  const char *metric,
                                                  struct duet_error *reterr);

#endif
