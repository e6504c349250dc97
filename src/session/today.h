/* The day, for what expires. */
#ifndef DUET_SESSION_TODAY_H
#define DUET_SESSION_TODAY_H

enum { TODAY_BYTES = sizeof "2026-12-31" };

/* UTC, as "2026-12-31". */
void today_utc(char ret_day[TODAY_BYTES]);

#endif
