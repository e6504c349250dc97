#include "session/watch/watch_status.h"

#include "analysis/series_estimate.h"
#include "session/stop_option.h"
#include "sync/clock.h"

#include <math.h>

int64_t watch_now_utc_ns(void)
{
    return (int64_t)clock_read_ns(CLOCK_REALTIME);
}

enum duet_code watch_timetable_of(const struct store_watch *watch,
                                  struct analysis_timetable *ret_timetable,
                                  struct duet_error *reterr)
{
    return analysis_timetable_make(watch->start_utc_ns, watch->watch.every_ns,
                                   watch->watch.per_hour, watch->watch.batch_size,
                                   ret_timetable, reterr);
}

enum duet_code watch_question_of(const struct store_watch *watch,
                                 const struct analysis_timetable *timetable,
                                 struct analysis_stop_question *ret_question,
                                 struct duet_error *reterr)
{
    struct analysis_stop_question question = {.errors = {watch->watch.error},
                                              .error_count = 1,
                                              .confidence = watch->watch.confidence,
                                              .interval = timetable->interval_points,
                                              .replicates =
                                                  (size_t)watch->watch.replicates};
    enum duet_code code =
        stop_option_rule(watch->watch.rule, "--rule", &question.rule, reterr);
    if (code == DUET_OK) {
        code = stop_option_statistic(watch->watch.statistic, "--statistic",
                                     &question.statistic, reterr);
    }
    if (code == DUET_OK) {
        *ret_question = question;
    }
    return code;
}

static enum model_watch_state state_of(const struct store_watch *watch, int64_t pid)
{
    switch (watch->state) {
    case STORE_DONE:
        return watch->stopped ? MODEL_WATCH_STABLE : MODEL_WATCH_UNSTABLE;
    case STORE_RUNNING:
    case STORE_INTERRUPTED:
    case STORE_FAILED:
        break;
    }
    if (pid != 0) {
        return MODEL_WATCH_RUNNING;
    }
    if (watch->state == STORE_RUNNING) {
        return MODEL_WATCH_UNFINISHED;
    }
    return watch->state == STORE_INTERRUPTED ? MODEL_WATCH_INTERRUPTED
                                             : MODEL_WATCH_FAILED;
}

/* Executions that were due and are not there. Those of a batch that a process is at may
 * still come. */
static uint64_t missed_of(const struct store_watch *watch,
                          const struct watch_series *series, int64_t pid)
{
    bool under_way = pid != 0 && watch->open_batch >= 0;
    uint64_t batches = under_way ? (uint64_t)watch->open_batch : watch->next_batch;
    uint64_t due = batches * watch->watch.batch_size;
    size_t there = series->count;
    while (there > 0 && series->indices[there - 1] >= due) {
        there--;
    }
    return due - there;
}

static enum duet_code add_estimate(const struct store_watch *watch,
                                   const struct stats_statistic *statistic,
                                   const struct watch_series *series,
                                   struct model_watch_status *status,
                                   struct duet_error *reterr)
{
    struct analysis_series_estimate estimate = {(double)NAN, (double)NAN, (double)NAN,
                                                (double)NAN, 1.0};
    enum duet_code code = DUET_OK;
    if (series->count > 0) {
        code = analysis_series_estimate(
            statistic, series->values, series->count, watch->watch.confidence,
            (size_t)watch->watch.replicates, watch->seed, &estimate, reterr);
    }
    status->value = estimate.value;
    status->low = estimate.low;
    status->high = estimate.high;
    status->error = estimate.error;
    return code;
}

enum duet_code watch_status_make(const struct store_watch *watch,
                                 const struct watch_series *series, int64_t pid,
                                 int64_t now_utc_ns,
                                 struct model_watch_status *ret_status,
                                 struct duet_error *reterr)
{
    struct analysis_timetable timetable;
    struct analysis_stop_question question;
    enum duet_code code = watch_timetable_of(watch, &timetable, reterr);
    if (code == DUET_OK) {
        code = watch_question_of(watch, &timetable, &question, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct analysis_due next =
        analysis_timetable_next(&timetable, watch->next_batch, now_utc_ns);
    struct model_watch_status made = {
        .watch = watch->watch,
        .experiment = watch->experiment,
        .command = watch->command == NULL ? "" : watch->command,
        .state = state_of(watch, pid),
        .message = watch->message,
        .pid = pid,
        .started_utc_ms = watch->started_utc_ms,
        .next_utc_ms = watch->state == STORE_DONE ? -1 : next.due_utc_ns / 1000000,
        .points = series->count,
        .missed = missed_of(watch, series, pid),
        .interval_points = timetable.interval_points,
        .result = watch->result,
        .result_points = watch->result_points,
        .stop_points = watch->stop_points,
        .stop_low = watch->stop_low,
        .stop_high = watch->stop_high,
        .release_due = watch->open_batch >= 0 && watch->watch.release != NULL};
    code = add_estimate(watch, &question.statistic, series, &made, reterr);
    if (code == DUET_OK) {
        *ret_status = made;
    }
    return code;
}

enum duet_code watch_status_load(struct store *store, const struct store_watch *watch,
                                 struct model_watch_status *ret_status,
                                 struct duet_error *reterr)
{
    struct watch_series series = {0};
    enum duet_code code = watch_series_load(store, watch, &series, reterr);
    if (code == DUET_OK) {
        code = watch_status_make(watch, &series, store_watch_holder(store, watch->id),
                                 watch_now_utc_ns(), ret_status, reterr);
    }
    watch_series_release(&series);
    return code;
}
