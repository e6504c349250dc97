/* A watch while a process is at it: open, go on, end. */
#ifndef DUET_SESSION_WATCH_WATCH_SESSION_H
#define DUET_SESSION_WATCH_WATCH_SESSION_H

#include "analysis/plan/timetable.h"
#include "analysis/stop/stop_rule.h"
#include "session/listener.h"
#include "session/watch/watch_begin.h"
#include "session/watch/watch_series.h"

#include <stdbool.h>

struct watch_session {
    /* The caller's. */
    const struct watch_request *request;
    int cancel_fd;
    const struct listener *listener;
    /* Called again and again while it waits for the next execution, and when it has
     * something else to do or to tell. NULL: nobody asks. */
    void (*waiting)(void *context, int64_t left_ns);
    void (*busy)(void *context);
    void *context;
    /* Its own. */
    struct watch_site site;
    int64_t ahead_ns; /* of CLOCK_BOOTTIME: its clock */
    struct analysis_timetable timetable;
    struct analysis_stop_question question;
    struct watch_series series;
    size_t looked;    /* points when the rule was asked last */
    bool over;        /* by the rule, or by --max-intervals */
    bool said_missed; /* that a batch was missed because one took too long */
};

/* Begins a watch, or takes up one again. Release in any case. Errors: those of
 * watch_site_begin() and watch_site_resume(). */
BASE_MUST_USE enum duet_code watch_session_open(struct watch_session *session,
                                                struct duet_error *reterr);
/* Until it is over. Errors: DUET_E_INTERRUPTED, those of watch_job_run(). */
BASE_MUST_USE enum duet_code watch_session_go_on(struct watch_session *session,
                                                 struct duet_error *reterr);
/* Keeps how it has ended: with `code`, because of *why when that is not DUET_OK. The
 * status borrows from the session and from *why. Errors: those of watch_status_make()
 * and the store. */
BASE_MUST_USE enum duet_code watch_session_end(struct watch_session *session,
                                               enum duet_code code,
                                               const struct duet_error *why,
                                               struct model_watch_status *ret_status,
                                               struct duet_error *reterr);
void watch_session_release(struct watch_session *session);

#endif
