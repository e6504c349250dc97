#include "cli/watch_line.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "cli/watch_status.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/progress.h"
#include "report/watch_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 24 };

struct watch_line {
    const struct store_watch *watch;
    const struct analysis_timetable *timetable;
    const struct watch_series *series;
    struct model_watch_status status;
    size_t reckoned; /* points that the status is of */
    bool drawn;
};

enum duet_code watch_line_new(const struct store_watch *watch,
                              const struct analysis_timetable *timetable,
                              const struct watch_series *series,
                              struct watch_line **ret_line, struct duet_error *reterr)
{
    struct watch_line *line = alloc_array(1, sizeof *line);
    if (line == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    *line =
        (struct watch_line){.watch = watch, .timetable = timetable, .series = series};
    *ret_line = line;
    return DUET_OK;
}

/* A new estimate costs a bootstrap: only after executions. */
static void reckon(struct watch_line *line)
{
    struct duet_error ignored;
    if (line->reckoned != line->series->count &&
        watch_status_make(line->watch, line->series, 0, watch_now_utc_ns(),
                          &line->status, &ignored) == DUET_OK) {
        line->reckoned = line->series->count;
    }
}

static void append_next(struct text *text, int64_t due_utc_ns)
{
    int64_t left_ns = due_utc_ns - watch_now_utc_ns();
    text_append(text, "  next in ");
    digits_append_duration(text, left_ns > 0 ? (uint64_t)left_ns : 0);
}

void watch_line_draw(struct watch_line *line, int64_t due_utc_ns)
{
    if (line == NULL) {
        return;
    }
    bool unicode = terminal_is_utf8();
    struct text text = {0};
    reckon(line);
    text_append_char(&text, '\r');
    display_append_name(&text, line->watch->watch.name, NAME_COLUMNS, unicode);
    text_append_format(&text, "  %zu executions, %.1f intervals", line->series->count,
                       (double)line->series->count / line->timetable->interval_points);
    if (line->reckoned > 0) {
        text_append(&text, "  ");
        report_watch_value(&text, &line->status, line->status.value);
    }
    if (line->reckoned > 0 && isfinite(line->status.error)) {
        text_append(&text, unicode ? " ± " : " +- ");
        digits_append_pct(&text, line->status.error);
    }
    append_next(&text, due_utc_ns);
    (void)fprintf(stderr, "%s\033[K", text_string(&text));
    (void)fflush(stderr);
    text_release(&text);
    line->drawn = true;
}

void watch_line_erase(struct watch_line *line)
{
    if (line != NULL && line->drawn) {
        struct text text = {0};
        report_progress_erase(&text);
        (void)fputs(text_string(&text), stderr);
        text_release(&text);
        line->drawn = false;
    }
}

void watch_line_free(struct watch_line *line)
{
    watch_line_erase(line);
    free(line);
}
