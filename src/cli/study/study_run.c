#include "cli/study/study_run.h"

#include "base/file.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "report/progress.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* What the study has told of how far it is. */
struct progress {
    const char *label;
    int cancel_fd;
    bool shown;
    bool begun;
    uint64_t taken; /* of `done`: what an earlier session did */
    uint64_t started_ns;
    uint64_t drawn_ns; /* when the line was drawn last */
};

static void draw_line(struct progress *progress, uint64_t done, uint64_t planned)
{
    uint64_t now = now_ns();
    if (now - progress->drawn_ns < 100000000U) {
        return;
    }
    progress->drawn_ns = now;
    double share = (double)done / (double)planned;
    double elapsed = (double)(now - progress->started_ns);
    uint64_t own = done - progress->taken;
    struct report_progress shown = {
        .label = progress->label,
        .done_ratio = share,
        .in_percent = true,
        .elapsed_ns = now - progress->started_ns,
        .left_ns =
            own > 0 ? elapsed * (double)(planned - done) / (double)own : (double)NAN,
        .ratio = (double)NAN,
        .low = (double)NAN,
        .high = (double)NAN};
    struct text line = {0};
    report_progress_line(&line, &shown, terminal_width(stderr), terminal_is_utf8());
    (void)fputs(text_string(&line), stderr);
    (void)fflush(stderr);
    text_release(&line);
}

static bool go_on(void *context, uint64_t done, uint64_t planned)
{
    struct progress *progress = context;
    if (!progress->begun) {
        progress->begun = true;
        progress->taken = done;
        progress->started_ns = now_ns();
    }
    if (progress->shown) {
        draw_line(progress, done, planned);
    }
    struct pollfd waiting = {.fd = progress->cancel_fd, .events = POLLIN};
    return poll(&waiting, 1, 0) == 0;
}

static void erase_line(const struct progress *progress)
{
    if (progress->shown && progress->drawn_ns > 0) {
        struct text line = {0};
        report_progress_erase(&line);
        (void)fputs(text_string(&line), stderr);
        text_release(&line);
    }
}

/* The table to standard output, the CSV to where it was asked for. */
static enum duet_code show(const struct study_common *common,
                           struct study_session *session, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (!file_is_stdout(common->csv) && !file_is_stdout(common->json)) {
        code = file_write_text("-", &session->table, reterr);
    }
    if (code == DUET_OK && common->json != NULL) {
        code = file_write_text(common->json, &session->json, reterr);
    }
    if (code == DUET_OK && common->csv != NULL) {
        code = file_write_text(common->csv, &session->csv, reterr);
    }
    return code;
}

static void say_part(const struct study_session *session, enum duet_code code)
{
    const struct study_share *share = session->share;
    if (code == DUET_OK) {
        cli_say("part %" PRIu64 " of %" PRIu64 ": %" PRIu64 " unit%s in %s",
                share->part, share->parts, session->wanted,
                session->wanted == 1 ? "" : "s", share->resume);
    }
}

int study_run(const struct study_common *common, const char *label,
              enum duet_code (*study)(void *context, struct study_session *session,
                                      struct duet_error *reterr),
              void *context)
{
    struct duet_error error = {0};
    struct progress progress = {.label = label,
                                .cancel_fd = -1,
                                .shown = !common->quiet && terminal_is(stderr),
                                .started_ns = now_ns()};
    struct interrupt interrupt;
    const struct study_share *share = &common->share;
    bool shared = share->resume != NULL || share->path_count > 0 || share->part > 0;
    struct study_session session = {.listener = terminal_listener(false),
                                    .go_on = go_on,
                                    .context = &progress,
                                    .share = shared ? share : NULL};
    enum duet_code code = interrupt_open(&interrupt, &error);
    if (code == DUET_OK) {
        session.cancel_fd = progress.cancel_fd = interrupt.cancel_fd;
        code = study(context, &session, &error);
        interrupt_close(&interrupt);
        erase_line(&progress);
    }
    if (share->part > 0) {
        say_part(&session, code);
    } else if (code == DUET_OK || code == DUET_E_INTERRUPTED ||
               code == DUET_E_WORKLOAD) {
        struct duet_error wrong = {0};
        enum duet_code shown = show(common, &session, &wrong);
        if (shown != DUET_OK) {
            code = shown;
            error = wrong;
        }
    }
    text_release(&session.table);
    text_release(&session.csv);
    text_release(&session.json);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}
