#include "cli/study/study_run.h"

#include "base/file.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "report/display.h"
#include "report/progress.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct line {
    const char *label;
    struct interrupt *interrupt;
    int cancel_fd;
    bool shown;
    bool drawn;
    uint64_t drawn_ns; /* of the time elapsed: when it was drawn last */
};

static void draw_line(struct line *line, const struct study_progress *progress)
{
    if (line->drawn && progress->elapsed_ns - line->drawn_ns < 100000000U) {
        return;
    }
    line->drawn = true;
    line->drawn_ns = progress->elapsed_ns;
    const struct report_progress shown = {.label = line->label,
                                          .done_ratio = (double)progress->done /
                                                        (double)progress->planned,
                                          .in_percent = true,
                                          .elapsed_ns = progress->elapsed_ns,
                                          .left_ns = progress->left_ns,
                                          .ratio = (double)NAN,
                                          .low = (double)NAN,
                                          .high = (double)NAN};
    struct text text = {0};
    report_progress_line(&text, &shown, terminal_width(stderr), terminal_is_utf8());
    (void)fputs(text_string(&text), stderr);
    (void)fflush(stderr);
    text_release(&text);
}

static bool go_on(void *context, const struct study_progress *progress)
{
    struct line *line = context;
    if (line->shown) {
        draw_line(line, progress);
    }
    struct pollfd waiting = {.fd = line->cancel_fd, .events = POLLIN};
    return poll(&waiting, 1, 0) == 0;
}

/* What is known from here on is shown. */
static void begun(void *context)
{
    const struct line *line = context;
    interrupt_reads(line->interrupt, false);
}

static void erase_line(const struct line *line)
{
    if (line->drawn) {
        struct text text = {0};
        report_progress_erase(&text);
        (void)fputs(text_string(&text), stderr);
        text_release(&text);
    }
}

/* Names and messages in it may be of others: of their stores, files and programs. */
static enum duet_code show_table(const struct text *table, struct duet_error *reterr)
{
    struct text clean = {0};
    display_append_message(&clean, text_string(table), true);
    clean.failed = clean.failed || text_failed(table);
    return file_write_text("-", &clean, reterr);
}

/* The table to standard output, the CSV to where it was asked for. */
static enum duet_code show(const struct study_common *common,
                           struct study_session *session, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (!file_is_stdout(common->csv) && !file_is_stdout(common->json)) {
        code = show_table(&session->table, reterr);
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

/* Whether what is known so far has a file of its own. */
static enum duet_code check_resume(const char *resume, const char *const *exports,
                                   size_t count, struct duet_error *reterr)
{
    if (resume != NULL && file_is_standard(resume)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--resume %s: progress is kept in a file: name one", resume);
    }
    for (size_t i = 0; i < count && resume != NULL; i++) {
        if (exports[i] != NULL && strcmp(exports[i], resume) == 0) {
            return error_set(
                reterr, DUET_E_USAGE,
                "--resume and an export go to '%s', and one would be lost: "
                "give each a file of its own",
                resume);
        }
    }
    return DUET_OK;
}

enum duet_code study_common_check(const struct study_common *common,
                                  struct duet_error *reterr)
{
    const char *const exports[] = {common->csv, common->json, common->svg};
    const size_t count = sizeof exports / sizeof exports[0];
    enum duet_code code = check_resume(common->share.resume, exports,
                                       common->share.part > 0 ? 0 : count, reterr);
    if (code == DUET_OK && common->share.part == 0) {
        code = output_check_files(exports, count, common->store, reterr);
    }
    return code == DUET_OK && common->share.part == 0
               ? output_check_folder(common->pictures, reterr)
               : code;
}

int study_run(const struct study_common *common, const char *label,
              enum duet_code (*study)(void *context, struct study_session *session,
                                      struct duet_error *reterr),
              void *context)
{
    struct duet_error error = {0};
    struct interrupt interrupt;
    struct line line = {.label = label,
                        .interrupt = &interrupt,
                        .cancel_fd = -1,
                        .shown = !common->quiet && terminal_redraws(stderr)};
    const struct study_share *share = &common->share;
    bool shared = share->resume != NULL || share->path_count > 0 || share->part > 0;
    struct study_session session = {.listener = terminal_listener(false),
                                    .go_on = go_on,
                                    .begun = begun,
                                    .context = &line,
                                    .share = shared ? share : NULL};
    enum duet_code code = study_common_check(common, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    code = interrupt_open(&interrupt, &error);
    if (code == DUET_OK) {
        session.cancel_fd = line.cancel_fd = interrupt.cancel_fd;
        interrupt_reads(&interrupt, true);
        code = study(context, &session, &error);
        interrupt_close(&interrupt);
        erase_line(&line);
    }
    /* An answer is worth its time, also when it could not be drawn. */
    bool answered = session.csv.length > 0;
    if (share->part > 0) {
        say_part(&session, code);
    } else if (code == DUET_OK || code == DUET_E_INTERRUPTED ||
               code == DUET_E_WORKLOAD || answered) {
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
