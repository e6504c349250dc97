#include "session/watch/watch_clock.h"

#include "sync/clock.h"

struct watch_clock watch_clock_begin(int64_t least_utc_ns, int64_t *ret_behind_ns)
{
    int64_t wall_ns = (int64_t)clock_read_ns(CLOCK_REALTIME);
    int64_t begin_ns = wall_ns > least_utc_ns ? wall_ns : least_utc_ns;
    *ret_behind_ns = begin_ns - wall_ns;
    return (struct watch_clock){begin_ns - (int64_t)clock_read_ns(CLOCK_BOOTTIME)};
}

int64_t watch_clock_now(const struct watch_clock *clock)
{
    return (int64_t)clock_read_ns(CLOCK_BOOTTIME) + clock->ahead_ns;
}
