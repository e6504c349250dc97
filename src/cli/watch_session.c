/* A watch while a process is at it: waits for the next batch, executes it, asks the
 * rule, until one of them ends it. */
#include "cli/watch_request.h"

#include "base/alloc.h"
#include "cli/benchmark.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/watch_begin.h"
#include "cli/watch_line.h"
#include "cli/watch_status.h"
#include "cli/watch_turn.h"
#include "session/storage.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A wait is cut into pieces, since the wall clock may be set and a machine suspended
 * meanwhile. */
enum { WAIT_MS = 30000, REDRAW_MS = 1000 };

struct session {
    const struct watch_request *request;
    struct watch_place place;
    struct analysis_timetable timetable;
    struct analysis_stop_question question;
    struct watch_series series;
    size_t looked; /* points when the rule was asked last */
    int cancel_fd;
    bool over;               /* by the rule, or by --max-intervals */
    bool said_missed;        /* that a batch was missed because one took too long */
    struct watch_line *line; /* NULL: no terminal */
};

/* Until `due_utc_ns`, or for a while. */
static enum duet_code wait_until(const struct session *session, int64_t due_utc_ns,
                                 struct duet_error *reterr)
{
    int64_t left_ms = (due_utc_ns - watch_now_utc_ns()) / 1000000 + 1;
    int64_t most_ms = session->line != NULL ? REDRAW_MS : WAIT_MS;
    struct pollfd waiting = {.fd = session->cancel_fd, .events = POLLIN};
    watch_line_draw(session->line, due_utc_ns);
    if (left_ms > 0 &&
        poll(&waiting, 1, (int)(left_ms < most_ms ? left_ms : most_ms)) > 0) {
        return error_set(reterr, DUET_E_INTERRUPTED,
                         "interrupted while waiting for the next execution");
    }
    return DUET_OK;
}

/* Missed batches are skipped, and never silently; but one line is enough for a command
 * that always takes longer than its time. */
static void say_missed(struct session *session, const struct analysis_due *due)
{
    struct store_watch *watch = &session->place.watch;
    uint64_t whole = analysis_timetable_whole(&session->timetable, watch->next_batch,
                                              watch->next_batch + due->missed);
    if (due->missed == 0) {
        return;
    }
    watch_line_erase(session->line);
    if (whole > 0) {
        cli_warn("%" PRIu64 " executions were missed, among them %" PRIu64
                 " whole interval%s: they are skipped, and the watch takes longer",
                 due->missed * watch->watch.batch_size, whole, whole == 1 ? "" : "s");
    } else if (!session->said_missed || session->request->verbose) {
        cli_warn("%" PRIu64 " execution%s missed: %s skipped",
                 due->missed * watch->watch.batch_size,
                 due->missed * watch->watch.batch_size == 1 ? " was" : "s were",
                 due->missed * watch->watch.batch_size == 1 ? "it is" : "they are");
    }
    session->said_missed = true;
    watch->next_batch = due->batch;
}

/* Asks the rule when it has something new to say. */
static enum duet_code look(struct session *session, struct duet_error *reterr)
{
    struct store_watch *watch = &session->place.watch;
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
    return store_watch_stop(session->place.store, watch->id, &answer, reterr);
}

/* The next batch, or a piece of the wait for it. */
static enum duet_code step(struct session *session, struct watch_turn *turn,
                           struct duet_error *reterr)
{
    struct store_watch *watch = &session->place.watch;
    uint64_t most = watch->watch.intervals_max;
    struct analysis_due due = analysis_timetable_next(
        &session->timetable, watch->next_batch, watch_now_utc_ns());
    uint64_t end =
        most > 0 ? analysis_timetable_end(&session->timetable, most) : UINT64_MAX;
    if (due.batch >= end) {
        due.missed = end > watch->next_batch ? end - watch->next_batch : 0;
        due.batch = watch->next_batch + due.missed;
        session->over = true;
    }
    say_missed(session, &due);
    if (session->over) {
        return store_watch_move(session->place.store, watch->id, watch->next_batch, -1,
                                reterr);
    }
    if (due.due_utc_ns > watch_now_utc_ns()) {
        return wait_until(session, due.due_utc_ns, reterr);
    }
    watch_line_erase(session->line);
    enum duet_code code = watch_turn_run(turn, due.batch, reterr);
    return code == DUET_OK ? look(session, reterr) : code;
}

static enum duet_code go_on(struct session *session, struct duet_error *reterr)
{
    struct watch_place *place = &session->place;
    struct watch_metric metric = {.output_fd = -1};
    struct watch_turn turn = {.store = place->store,
                              .watch = &place->watch,
                              .plan = &place->plan,
                              .metric = &metric,
                              .series = &session->series,
                              .cancel_fd = session->cancel_fd,
                              .verbose = session->request->verbose};
    enum duet_code code =
        watch_metric_open(place->watch.watch.pattern, &metric, reterr);
    if (code == DUET_OK) {
        code = watch_turn_recover(&turn, reterr);
    }
    if (code == DUET_OK && session->series.count > 0) {
        code = look(session, reterr);
    }
    while (code == DUET_OK && !session->over) {
        code = step(session, &turn, reterr);
    }
    watch_metric_close(&metric);
    return code;
}

static enum duet_code session_open(struct session *session, struct duet_error *reterr)
{
    struct watch_place *place = &session->place;
    enum duet_code code = session->request->resume
                              ? watch_place_resume(session->request, place, reterr)
                              : watch_place_begin(session->request, place, reterr);
    if (code == DUET_OK) {
        code = watch_timetable_of(&place->watch, &session->timetable, reterr);
    }
    if (code == DUET_OK) {
        code = watch_question_of(&place->watch, &session->timetable, &session->question,
                                 reterr);
    }
    if (code == DUET_OK) {
        code = watch_series_load(place->store, &place->watch, &session->series, reterr);
    }
    if (code == DUET_OK && !session->request->quiet && terminal_is(stderr)) {
        code = watch_line_new(&place->watch, &session->timetable, &session->series,
                              &session->line, reterr);
    }
    return code;
}

/* The end is kept and shown, and how to go on. */
static int finish(struct session *session, enum duet_code code,
                  const struct duet_error *why)
{
    struct watch_place *place = &session->place;
    struct store_watch *watch = &place->watch;
    struct model_watch_status status;
    struct duet_error error = {0};
    int exit_status = CLI_EXIT_OK;
    bool failed = code != DUET_OK;
    if (failed) {
        exit_status = cli_fail(why);
    }
    watch->state = benchmark_state(code);
    watch->message = failed ? why->message : NULL;
    code = watch_place_end(place, watch->state, watch->message, &error);
    if (code == DUET_OK) {
        code = watch_status_make(watch, &session->series, 0, watch_now_utc_ns(),
                                 &status, &error);
    }
    if (code == DUET_OK) {
        code = watch_status_print(&status, session->request->json, &error);
    }
    if (code != DUET_OK) {
        int unsaved = cli_fail(&error);
        exit_status = exit_status == CLI_EXIT_OK ? unsaved : exit_status;
    }
    if (failed) {
        (void)fprintf(stderr,
                      "duet: what was measured is kept (%zu executions); go on with: "
                      "duet watch --resume %" PRId64 "%s%s\n",
                      session->series.count, watch->experiment,
                      session->request->store != NULL ? " --store " : "",
                      session->request->store != NULL ? session->request->store : "");
    } else if (exit_status == CLI_EXIT_OK && !watch->stopped &&
               session->request->fail_unsure) {
        exit_status = CLI_EXIT_UNSURE;
    }
    return exit_status;
}

int watch_session_run(const struct watch_request *request)
{
    struct session session = {.request = request, .cancel_fd = -1};
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    watch_place_init(&session.place);
    enum duet_code code = interrupt_open(&session.cancel_fd, &error);
    if (code == DUET_OK) {
        code = session_open(&session, &error);
    }
    if (code != DUET_OK) {
        status = cli_fail(&error);
    } else {
        code = go_on(&session, &error);
        watch_line_erase(session.line);
        status = finish(&session, code, &error);
    }
    watch_line_free(session.line);
    watch_series_release(&session.series);
    watch_place_release(&session.place);
    if (session.cancel_fd >= 0) {
        interrupt_close(session.cancel_fd);
    }
    return status;
}
