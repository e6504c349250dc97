#include "cli/terminal_listener.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/progress.h"

#include <stdio.h>

static void notice(void *context, bool warning, const char *line)
{
    (void)context;
    if (warning) {
        cli_warn("%s", line);
    } else {
        cli_say("%s", line);
    }
}

static void append_line(struct text *line, const struct session_progress *progress)
{
    struct text label = {0};
    if (progress->count > 0) {
        text_append_format(&label, "%zu/%zu ", progress->index, progress->count);
    }
    text_append(&label, progress->name);
    const struct report_progress shown = {.label = text_string(&label),
                                          .done_ratio = progress->done_ratio,
                                          .runs = progress->runs,
                                          .runs_goal = progress->runs_goal,
                                          .units = progress->units,
                                          .elapsed_ns = progress->elapsed_ns,
                                          .left_ns = progress->left_ns,
                                          .ratio = progress->ratio,
                                          .low = progress->low,
                                          .high = progress->high,
                                          .found = progress->found};
    report_progress_line(line, &shown, terminal_width(stderr), terminal_is_utf8());
    text_release(&label);
}

static void progress(void *context, const struct session_progress *progress)
{
    (void)context;
    struct text line = {0};
    if (progress != NULL) {
        append_line(&line, progress);
    } else {
        report_progress_erase(&line);
    }
    (void)fputs(text_string(&line), stderr);
    (void)fflush(stderr);
    text_release(&line);
}

/* Where no line can be drawn again and again, each benchmark has one. */
static void ended(void *context, const struct session_ended *ended)
{
    (void)context;
    struct text line = {0};
    const struct report_ended shown = {.name = ended->name,
                                       .comparison = ended->comparison,
                                       .index = ended->index,
                                       .count = ended->count,
                                       .left_ns = ended->left_ns};
    report_progress_ended(&line, &shown, terminal_is_utf8());
    cli_say("%s", text_string(&line));
    text_release(&line);
}

const struct listener *terminal_listener(bool with_progress)
{
    static const struct listener silent = {.notice = notice};
    static const struct listener telling = {.notice = notice, .ended = ended};
    static const struct listener drawing = {.notice = notice, .progress = progress};
    if (!with_progress) {
        return &silent;
    }
    return terminal_redraws(stderr) ? &drawing : &telling;
}
