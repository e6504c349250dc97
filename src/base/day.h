/* Days of the calendar, in UTC, as "2026-11-22", and moments of them. */
#ifndef DUET_BASE_DAY_H
#define DUET_BASE_DAY_H

#include <stdbool.h>
#include <stdint.h>

enum { DAY_BYTES = sizeof "2026-11-22" };

/* The day of a moment, ms since 1970; "" when it is 0, unknown, or after the year 9999.
 */
void day_name(int64_t utc_ms, char ret_name[DAY_BYTES]);

/* Its begin; false, and nothing set: no such day, or written in another way. */
bool day_read(const char *name, int64_t *ret_utc_ms);

enum { DAY_MOMENT_BYTES = sizeof "2026-11-22T01:02:03Z" };

/* A moment, ms since 1970: "2026-11-22T01:02:03Z", and in local time "2026-11-22
 * 01:02:03"; "" when it is after the year 9999. */
void day_utc(int64_t utc_ms, char ret_moment[DAY_MOMENT_BYTES]);
void day_local(int64_t utc_ms, char ret_moment[DAY_MOMENT_BYTES]);

void day_today(char ret_name[DAY_BYTES]);

#endif
