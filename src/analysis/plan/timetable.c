#include "analysis/plan/timetable.h"

#include <math.h>

static const double hour_ns = 3.6e12;
static const double period_least_ns = 1e3;
static const double points_most = 1e9;
/* A batch may begin so late, in periods. */
static const double late_most = 0.5;

enum duet_code analysis_timetable_make(int64_t start_utc_ns, uint64_t every_ns,
                                       double per_hour, uint64_t batch_size,
                                       struct analysis_timetable *ret_timetable,
                                       struct duet_error *reterr)
{
    if (!(per_hour > 0.0 && isfinite(per_hour)) || batch_size == 0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a timetable needs executions, got %g an hour in batches "
                         "of %llu",
                         per_hour, (unsigned long long)batch_size);
    }
    struct analysis_timetable made = {
        .start_utc_ns = start_utc_ns,
        .period_ns = hour_ns * (double)batch_size / per_hour,
        .batch_size = batch_size,
        .interval_points = per_hour * (double)every_ns / hour_ns};
    if (!(made.interval_points >= 2.0 && made.interval_points <= points_most)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "%g executions an hour in intervals of %g s are %g in an interval, and "
            "2 to 10^9 are needed: change --every or --executions-per-hour",
            per_hour, (double)every_ns / 1e9, made.interval_points);
    }
    if (!(made.period_ns >= period_least_ns)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "%g executions an hour are more than one a microsecond; "
                         "use fewer",
                         per_hour);
    }
    *ret_timetable = made;
    return DUET_OK;
}

int64_t analysis_timetable_due_ns(const struct analysis_timetable *timetable,
                                  uint64_t batch)
{
    return timetable->start_utc_ns +
           (int64_t)llround((double)batch * timetable->period_ns);
}

struct analysis_due analysis_timetable_next(const struct analysis_timetable *timetable,
                                            uint64_t first, int64_t now_utc_ns)
{
    uint64_t batch = first;
    double late = (double)(now_utc_ns - analysis_timetable_due_ns(timetable, first)) /
                  timetable->period_ns;
    if (late > late_most) {
        batch = first + (uint64_t)ceil(late - late_most);
    }
    return (struct analysis_due){.batch = batch,
                                 .due_utc_ns =
                                     analysis_timetable_due_ns(timetable, batch),
                                 .missed = batch - first};
}

/* A hair for the rounding of quotients that are whole. */
static const double hair = 1e-9;

uint64_t analysis_timetable_end(const struct analysis_timetable *timetable,
                                uint64_t intervals)
{
    double points = (double)intervals * timetable->interval_points;
    return (uint64_t)ceil(points / (double)timetable->batch_size - hair);
}

/* Intervals that have gone by before a batch is due, and the share of the one it is in.
 */
static double intervals_before(const struct analysis_timetable *timetable,
                               uint64_t batch)
{
    return (double)batch * (double)timetable->batch_size / timetable->interval_points;
}

uint64_t analysis_timetable_whole(const struct analysis_timetable *timetable,
                                  uint64_t first, uint64_t end)
{
    double from = ceil(intervals_before(timetable, first) - hair);
    double to = floor(intervals_before(timetable, end) + hair);
    return to > from ? (uint64_t)(to - from) : 0;
}
