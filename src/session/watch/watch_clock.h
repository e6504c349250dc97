/* The clock of a watch while a process is at it. */
#ifndef DUET_SESSION_WATCH_WATCH_CLOCK_H
#define DUET_SESSION_WATCH_WATCH_CLOCK_H

#include <stdint.h>

/* Wall-clock time as it was when the process began, going on with the time that passes,
 * also while the machine sleeps: setting the wall clock moves no execution. */
struct watch_clock {
    int64_t ahead_ns; /* of CLOCK_BOOTTIME */
};

/* Begins at the wall clock's time, but not before `least_utc_ns`, at which something of
 * the watch was done. *ret_behind_ns: how far the wall clock is behind that; 0: it is
 * not. */
struct watch_clock watch_clock_begin(int64_t least_utc_ns, int64_t *ret_behind_ns);

/* ns since 1970. */
int64_t watch_clock_now(const struct watch_clock *clock);

#endif
