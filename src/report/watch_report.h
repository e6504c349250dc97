/* Watches, for people and for programs. */
#ifndef DUET_REPORT_WATCH_REPORT_H
#define DUET_REPORT_WATCH_REPORT_H

#include "base/text.h"
#include "model/watching.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A header and a line a watch. Moments are the machine's local time. */
void report_watch_table(struct text *text, const struct model_watch_status *statuses,
                        size_t count, bool unicode);

/* One watch in full: what is known of its result, its timetable, what is next. */
void report_watch_one(struct text *text, const struct model_watch_status *status,
                      bool unicode);

/* "1.023 s", "512.3": a value of the watch's metric. */
void report_watch_value(struct text *text, const struct model_watch_status *status,
                        double value, bool unicode);

/* {"schema_version": 1, "watches": [...]} (docs/schema/duet-watch-1.schema.json); a new
 * reference, NULL when memory is short. */
json_t *report_watch_json(const struct model_watch_status *statuses, size_t count);

#endif
