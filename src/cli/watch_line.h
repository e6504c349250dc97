/* The line that a terminal shows while a watch waits. */
#ifndef DUET_CLI_WATCH_LINE_H
#define DUET_CLI_WATCH_LINE_H

#include "analysis/timetable.h"
#include "session/watch/watch_series.h"

struct watch_line;

/* All borrowed. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code watch_line_new(const struct store_watch *watch,
                                            const struct analysis_timetable *timetable,
                                            const struct watch_series *series,
                                            struct watch_line **ret_line,
                                            struct duet_error *reterr);
/* line NULL: nothing. */
void watch_line_draw(struct watch_line *line, int64_t due_utc_ns);
void watch_line_erase(struct watch_line *line);
void watch_line_free(struct watch_line *line);

#endif
