/* A watch while a process is at it: waits for the next batch, executes it, asks the
 * rule, until one of them ends it. */
#include "session/watch/watch_session.h"

#include "session/comparison/benchmark.h"
#include "session/storage.h"
#include "session/watch/watch_job.h"
#include "session/watch/watch_status.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <poll.h>

/* A wait is cut into pieces, since poll() does not count the time for which a machine
 * is suspended. */
enum { WAIT_MS = 30000, REDRAW_MS = 1000, BEHIND_NS = 1000000000 };

/* Wall-clock time as it was when the process began, going on with the time that passes,
 * also while the machine sleeps: setting the wall clock moves no execution. */
static int64_t now_utc_ns(const struct watch_session *session)
{
    return (int64_t)clock_read_ns(CLOCK_BOOTTIME) + session->ahead_ns;
}

/* Until `due_utc_ns`, or for a while. */
static enum duet_code wait_until(const struct watch_session *session,
                                 int64_t due_utc_ns, struct duet_error *reterr)
{
    int64_t left_ns = due_utc_ns - now_utc_ns(session);
    int64_t left_ms = left_ns / 1000000 + 1;
    int64_t most_ms = session->waiting != NULL ? REDRAW_MS : WAIT_MS;
    struct pollfd waiting = {.fd = session->cancel_fd, .events = POLLIN};
    if (session->waiting != NULL) {
        session->waiting(session->context, left_ns);
    }
    if (left_ms > 0 &&
        poll(&waiting, 1, (int)(left_ms < most_ms ? left_ms : most_ms)) > 0) {
        return error_set(reterr, DUET_E_INTERRUPTED,
                         "interrupted while waiting for the next execution");
    }
    return DUET_OK;
}

static void stop_waiting(const struct watch_session *session)
{
    if (session->busy != NULL) {
        session->busy(session->context);
    }
}

/* Missed batches are skipped, and never silently; but one line is enough for a command
 * that always takes longer than its time. */
static void say_missed(struct watch_session *session, const struct analysis_due *due)
{
    struct store_watch *watch = &session->site.watch;
    uint64_t whole = analysis_timetable_whole(&session->timetable, watch->next_batch,
                                              watch->next_batch + due->missed);
    if (due->missed == 0) {
        return;
    }
    stop_waiting(session);
    if (whole > 0) {
        listener_warn(session->listener,
                      "%" PRIu64 " executions were missed, among them %" PRIu64
                      " whole interval%s: they are skipped, and the watch takes longer",
                      due->missed * watch->watch.batch_size, whole,
                      whole == 1 ? "" : "s");
    } else if (!session->said_missed || session->request->verbose) {
        listener_warn(session->listener, "%" PRIu64 " execution%s missed: %s skipped",
                      due->missed * watch->watch.batch_size,
                      due->missed * watch->watch.batch_size == 1 ? " was" : "s were",
                      due->missed * watch->watch.batch_size == 1 ? "it is"
                                                                 : "they are");
    }
    session->said_missed = true;
    watch->next_batch = due->batch;
}

/* Asks the rule when it has something new to say. */
static enum duet_code look(struct watch_session *session, struct duet_error *reterr)
{
    struct store_watch *watch = &session->site.watch;
    struct analysis_stopper *stopper = NULL;
    struct analysis_stop stop = {0};
    size_t count = session->series.count;
    if (!analysis_stop_looks(&session->question, session->looked, count)) {
        return DUET_OK;
    }
    session->looked = count;
    enum duet_code code =
        analysis_stopper_new(&session->question, count, &stopper, reterr);
    if (code == DUET_OK) {
        code = analysis_stopper_find(stopper, session->series.values, count,
                                     watch->seed, &stop, reterr);
    }
    analysis_stopper_free(stopper);
    if (code != DUET_OK || !stop.stopped) {
        return code;
    }
    struct model_watch_status answer = {.result = stop.result,
                                        .result_points = stop.of_points,
                                        .stop_points = stop.points,
                                        .stop_low = stop.low,
                                        .stop_high = stop.high};
    watch->stopped = session->over = true;
    watch->result = stop.result;
    watch->result_points = stop.of_points;
    watch->stop_points = stop.points;
    watch->stop_low = stop.low;
    watch->stop_high = stop.high;
    return store_watch_stop(session->site.store, watch->id, &answer, reterr);
}

/* The next batch, or a piece of the wait for it. */
static enum duet_code step(struct watch_session *session, struct watch_job *job,
                           struct duet_error *reterr)
{
    struct store_watch *watch = &session->site.watch;
    uint64_t most = watch->watch.intervals_max;
    struct analysis_due due = analysis_timetable_next(
        &session->timetable, watch->next_batch, now_utc_ns(session));
    uint64_t end =
        most > 0 ? analysis_timetable_end(&session->timetable, most) : UINT64_MAX;
    if (due.batch >= end) {
        due.missed = end > watch->next_batch ? end - watch->next_batch : 0;
        due.batch = watch->next_batch + due.missed;
        session->over = true;
    }
    say_missed(session, &due);
    if (session->over) {
        return store_watch_move(session->site.store, watch->id, watch->next_batch, -1,
                                reterr);
    }
    if (due.due_utc_ns > now_utc_ns(session)) {
        return wait_until(session, due.due_utc_ns, reterr);
    }
    stop_waiting(session);
    enum duet_code code = watch_job_run(job, due.batch, reterr);
    return code == DUET_OK ? look(session, reterr) : code;
}

/* What was done of the watch was done: its time does not begin before that. */
static void begin_clock(struct watch_session *session)
{
    const struct store_watch *watch = &session->site.watch;
    int64_t wall_ns = (int64_t)clock_read_ns(CLOCK_REALTIME);
    int64_t done_utc_ns =
        watch->next_batch == 0
            ? watch->start_utc_ns
            : analysis_timetable_due_ns(&session->timetable, watch->next_batch - 1);
    int64_t begin_ns = wall_ns > done_utc_ns ? wall_ns : done_utc_ns;
    int64_t behind_ns = begin_ns - wall_ns;
    session->ahead_ns = begin_ns - (int64_t)clock_read_ns(CLOCK_BOOTTIME);
    if (behind_ns > BEHIND_NS) {
        listener_warn(
            session->listener,
            "the clock is %.0f s behind the watch's last execution: the watch goes on from there",
            (double)behind_ns / 1e9);
    }
}

static void say_locked(void *context, int waited_s)
{
    struct watch_session *session = context;
    stop_waiting(session);
    listener_warn(
        session->listener,
        "store '%s' has been locked by another process for %d s: the watch goes on when it is free; "
        "end that process if it hangs",
        store_path(session->site.store), waited_s);
}

enum duet_code watch_session_go_on(struct watch_session *session,
                                   struct duet_error *reterr)
{
    struct watch_site *site = &session->site;
    struct watch_metric metric = {.output_fd = -1};
    struct watch_job job = {.store = site->store,
                            .watch = &site->watch,
                            .plan = &site->plan,
                            .metric = &metric,
                            .series = &session->series,
                            .cancel_fd = session->cancel_fd,
                            .listener = session->listener,
                            .verbose = session->request->verbose};
    const struct store_patience patience = {
        .cancel_fd = session->cancel_fd, .locked = say_locked, .context = session};
    store_wait_long(site->store, &patience);
    begin_clock(session);
    enum duet_code code = watch_metric_open(site->watch.watch.pattern, &metric, reterr);
    if (code == DUET_OK) {
        code = watch_job_recover(&job, reterr);
    }
    if (code == DUET_OK && session->series.count > 0) {
        code = look(session, reterr);
    }
    while (code == DUET_OK && !session->over) {
        code = step(session, &job, reterr);
    }
    watch_metric_close(&metric);
    stop_waiting(session);
    return code;
}

enum duet_code watch_session_open(struct watch_session *session,
                                  struct duet_error *reterr)
{
    struct watch_site *site = &session->site;
    watch_site_init(site);
    enum duet_code code = session->request->resume
                              ? watch_site_resume(session->request, site, reterr)
                              : watch_site_begin(session->request, site, reterr);
    if (code == DUET_OK) {
        code = watch_timetable_of(&site->watch, &session->timetable, reterr);
    }
    if (code == DUET_OK) {
        code = watch_question_of(&site->watch, &session->timetable, &session->question,
                                 reterr);
    }
    if (code == DUET_OK) {
        code = watch_series_load(site->store, &site->watch, &session->series, reterr);
    }
    return code;
}

enum duet_code watch_session_end(struct watch_session *session, enum duet_code code,
                                 const struct duet_error *why,
                                 struct model_watch_status *ret_status,
                                 struct duet_error *reterr)
{
    struct store_watch *watch = &session->site.watch;
    watch->state = benchmark_state(code);
    watch->message = code != DUET_OK ? why->message : NULL;
    code = watch_site_end(&session->site, watch->state, watch->message, reterr);
    return code == DUET_OK ? watch_status_make(watch, &session->series, 0,
                                               watch_now_utc_ns(), ret_status, reterr)
                           : code;
}

void watch_session_release(struct watch_session *session)
{
    watch_series_release(&session->series);
    storage_close(session->site.store, session->listener);
    session->site.store = NULL;
    watch_site_release(&session->site);
}
