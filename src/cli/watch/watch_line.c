#include "cli/watch/watch_line.h"

#include "base/text.h"
#include "cli/terminal.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/progress.h"
#include "report/watch_report.h"
#include "session/watch/watch_status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_COLUMNS = 24 };

/* A new estimate costs a bootstrap: only after executions. */
static void reckon(struct watch_line *line)
{
    const struct watch_session *session = line->session;
    struct duet_error ignored;
    if (line->reckoned != session->series.count &&
        watch_status_make(&session->site.watch, &session->series, 0, watch_now_utc_ns(),
                          &line->status, &ignored) == DUET_OK) {
        line->reckoned = session->series.count;
    }
}

static void append_next(struct text *text, int64_t left_ns)
{
    text_append(text, "  next in ");
    digits_append_duration(text, left_ns > 0 ? (uint64_t)left_ns : 0);
}

void watch_line_draw(void *context, int64_t left_ns)
{
    struct watch_line *line = context;
    const struct watch_session *session = line->session;
    bool unicode = terminal_is_utf8();
    struct text text = {0};
    reckon(line);
    text_append_char(&text, '\r');
    display_append_name(&text, session->site.watch.watch.name, NAME_COLUMNS, unicode);
    text_append_format(&text, "  %zu executions, %.1f intervals", session->series.count,
                       (double)session->series.count /
                           session->timetable.interval_points);
    if (line->reckoned > 0) {
        text_append(&text, "  ");
        report_watch_value(&text, &line->status, line->status.value, unicode);
    }
    if (line->reckoned > 0 && isfinite(line->status.error)) {
        text_append(&text, unicode ? " ± " : " +- ");
        digits_append_pct(&text, line->status.error);
    }
    append_next(&text, left_ns);
    (void)fprintf(stderr, "%s\033[K", text_string(&text));
    (void)fflush(stderr);
    text_release(&text);
    line->drawn = true;
}

void watch_line_erase(void *context)
{
    struct watch_line *line = context;
    if (line->drawn) {
        struct text text = {0};
        report_progress_erase(&text);
        (void)fputs(text_string(&text), stderr);
        text_release(&text);
        line->drawn = false;
    }
}
