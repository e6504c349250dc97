#include "cli/watch/watch_show.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/next_command.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/progress.h"
#include "report/watch_report.h"
#include "session/watch/watch_session.h"
#include "session/watch/watch_status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static enum duet_code print_json(const struct model_watch_status *statuses,
                                 size_t count, struct duet_error *reterr)
{
    json_t *document = report_watch_json(statuses, count);
    if (document == NULL) {
        return error_no_memory(reterr);
    }
    return file_write_json("-", document, reterr);
}

static enum duet_code print_one(const struct model_watch_status *status, bool json,
                                struct duet_error *reterr)
{
    struct text text = {0};
    if (json) {
        return print_json(status, 1, reterr);
    }
    report_watch_one(&text, status, terminal_is_utf8());
    return file_write_text("-", &text, reterr);
}

int watch_show(struct store *store, const char *which, bool json)
{
    struct store_watch watch = {.open_batch = -1};
    struct model_watch_status status;
    struct duet_error error = {0};
    enum duet_code code = store_watch_find(store, which, &watch, &error);
    if (code == DUET_OK) {
        code = watch_status_load(store, &watch, &status, &error);
    }
    if (code == DUET_OK) {
        code = print_one(&status, json, &error);
    }
    store_watch_release(&watch);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static enum duet_code print_all(const struct store *store,
                                const struct model_watch_status *statuses, size_t count,
                                bool json, struct duet_error *reterr)
{
    struct text text = {0};
    if (json) {
        return print_json(statuses, count, reterr);
    }
    if (count == 0) {
        cli_say("'%s' holds no watch yet", store_path(store));
        return DUET_OK;
    }
    report_watch_table(&text, statuses, count, terminal_is_utf8());
    return file_write_text("-", &text, reterr);
}

int watch_show_all(struct store *store, bool json)
{
    struct store_watch *list = NULL;
    size_t count = 0;
    struct duet_error error = {0};
    enum duet_code code = store_watch_list(store, &list, &count, &error);
    struct model_watch_status *statuses = alloc_array(count, sizeof *statuses);
    if (code == DUET_OK && statuses == NULL) {
        code = error_no_memory(&error);
    }
    for (size_t i = 0; i < count && code == DUET_OK && statuses != NULL; i++) {
        code = watch_status_load(store, &list[i], &statuses[i], &error);
    }
    if (code == DUET_OK) {
        code = print_all(store, statuses, count, json, &error);
    }
    for (size_t i = 0; i < count; i++) {
        store_watch_release(&list[i]);
    }
    free(list);
    free(statuses);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

/* How it ended is kept and shown, and how to go on. */
static int finish(struct watch_session *session, const struct watch_words *words,
                  enum duet_code code, const struct duet_error *why)
{
    const struct store_watch *watch = &session->site.watch;
    struct model_watch_status status;
    struct duet_error error = {0};
    int exit_status = CLI_EXIT_OK;
    bool failed = code != DUET_OK;
    if (failed) {
        exit_status = cli_fail(why);
    }
    code = watch_session_end(session, code, why, &status, &error);
    if (code == DUET_OK) {
        code = print_one(&status, words->json, &error);
    }
    if (code != DUET_OK) {
        int unsaved = cli_fail(&error);
        exit_status = exit_status == CLI_EXIT_OK ? unsaved : exit_status;
    }
    const char *store = session->request->store;
    if (failed && !store_is_gone(session->site.store)) {
        struct text option = {0};
        next_command_append_store(&option, store);
        cli_say(
            "what was measured is kept (%zu execution%s); go on with: duet watch --resume %" PRId64
            "%s",
            session->series.count, session->series.count == 1 ? "" : "s",
            watch->experiment, text_string(&option));
        text_release(&option);
    } else if (exit_status == CLI_EXIT_OK && !watch->stopped && words->fail_unsure) {
        exit_status = CLI_EXIT_UNSURE;
    }
    return exit_status;
}

/* All but the session zeroed in the beginning. */
struct watch_line {
    const struct watch_session *session;
    struct model_watch_status status;
    size_t reckoned; /* points that the status is of */
    bool drawn;
};

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

/* For struct watch_session; context: the line. */
static void draw_line(void *context, int64_t left_ns)
{
    struct watch_line *line = context;
    const struct watch_session *session = line->session;
    bool unicode = terminal_is_utf8();
    struct text text = {0};
    reckon(line);
    text_append_char(&text, '\r');
    display_append_name(&text, session->site.watch.watch.name, NAME_COLUMNS, unicode);
    text_append_format(&text, "  %zu execution%s, %.1f intervals",
                       session->series.count, session->series.count == 1 ? "" : "s",
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

static void erase_line(void *context)
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

static int go_on(struct watch_session *session, struct watch_line *line,
                 const struct watch_words *words)
{
    struct duet_error error = {0};
    if (!words->quiet && terminal_redraws(stderr)) {
        session->waiting = draw_line;
        session->busy = erase_line;
        session->context = line;
    }
    enum duet_code code = watch_session_go_on(session, &error);
    return finish(session, words, code, &error);
}

int watch_show_session(const struct watch_words *words)
{
    struct interrupt interrupt;
    struct watch_session session = {.request = &words->request,
                                    .cancel_fd = -1,
                                    .listener = terminal_listener(false)};
    struct watch_line line = {.session = &session};
    struct duet_error error = {0};
    enum duet_code code = interrupt_open(&interrupt, &error);
    if (code == DUET_OK) {
        session.cancel_fd = interrupt.cancel_fd;
        code = watch_session_open(&session, &error);
        int status = code == DUET_OK ? go_on(&session, &line, words) : cli_fail(&error);
        watch_session_release(&session);
        interrupt_close(&interrupt);
        return status;
    }
    return cli_fail(&error);
}
