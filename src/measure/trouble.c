#include "measure/trouble.h"

#include "base/text.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* A message has room for 1024 bytes: the command's beginning and the end of what it
 * said leave enough of it for what went wrong. */
enum { TAIL_LINES = 5, TAIL_BYTES = 400, COMMAND_BYTES = 200 };

/* A command line as messages quote it. */
static void append_command(struct text *text, const char *command)
{
    size_t length = strlen(command);
    text_append_format(text, "('%.*s%s')", (int)COMMAND_BYTES, command,
                       length > COMMAND_BYTES ? "..." : "");
}

/* `execution`: of a batch, the run. */
static void append_where(struct text *text, const struct model_plan *plan,
                         const struct runner_task *task, enum model_side side,
                         uint64_t execution)
{
    text_append_format(text, "%s ", model_side_name(side));
    append_command(text, plan->sides[side].command);
    if (task->warmup) {
        text_append(text, " in warm-up");
    } else {
        uint64_t run = task->batch > 0 ? task->run + execution : task->run;
        text_append_format(text, " in run %" PRIu64, run + 1);
    }
}

static void append_lines(struct text *text, const char *before,
                         struct stream_tail *tail)
{
    const char *lines = stream_tail_lines(tail, TAIL_LINES);
    size_t length = strlen(lines);
    if (length > 0) {
        text_append_format(text, "; %s:\n%s%s", before,
                           length > TAIL_BYTES ? "..." : "",
                           lines + (length > TAIL_BYTES ? length - TAIL_BYTES : 0));
    }
}

static void append_tail(struct text *text, struct stream_tail *tail)
{
    append_lines(text, "its last lines on standard error", tail);
}

static enum duet_code finish(struct text *text, enum duet_code code,
                             struct duet_error *reterr)
{
    (void)error_set(reterr, code, "%s", text_string(text));
    text_release(text);
    return code;
}

static const char *signal_words(int number)
{
    const char *words = sigdescr_np(number);
    return words != NULL ? words : "unknown signal";
}

static const char *errno_words(int errnum)
{
    const char *words = strerrordesc_np(errnum);
    return words != NULL ? words : "unknown error";
}

/* Of the program itself: nothing. */
static const char *hook_words(int32_t hook)
{
    return hook == SUPERVISOR_PREPARE    ? "its --prepare command "
           : hook == SUPERVISOR_CONCLUDE ? "its --conclude command "
                                         : "";
}

enum duet_code trouble_error(const struct model_plan *plan,
                             const struct runner_task *task, enum model_side side,
                             const struct supervisor_report *report,
                             struct stream_tail *tail, struct duet_error *reterr)
{
    struct text text = {0};
    enum duet_code code = DUET_E_WORKLOAD;
    append_where(&text, plan, task, side, report->execution);
    if (!report->attached) {
        uint64_t iteration = task->batch > 0 ? 0 : report->execution;
        text_append_format(&text, ", iteration %" PRIu64, iteration + 1);
    }
    text_append(&text, ": ");
    switch (report->trouble) {
    case SUPERVISOR_EXITED:
        text_append_format(&text, "exit status %d (use -i to measure it nevertheless)",
                           report->status);
        break;
    case SUPERVISOR_SIGNALLED:
        text_append_format(&text, "died by signal %d (%s)", report->status,
                           signal_words(report->status));
        break;
    case SUPERVISOR_STOPPED:
        text_append_format(
            &text,
            "%swas stopped by a signal (SIGSTOP, or it wanted the terminal); "
            "killed, because the other side would wait forever",
            hook_words(report->status));
        break;
    case SUPERVISOR_TIMED_OUT:
        text_append_format(
            &text,
            "%stook longer than the time limit of %.3g s (--timeout); its process group was killed",
            hook_words(report->status), (double)plan->timeout_ns / 1e9);
        code = DUET_E_TIMEOUT;
        break;
    case SUPERVISOR_PREPARE:
    case SUPERVISOR_CONCLUDE:
        text_append_format(&text, "%sended with status %d",
                           hook_words((int32_t)report->trouble), report->status);
        break;
    case SUPERVISOR_NOT_STARTED:
        text_append_format(&text, "could not be started: %s",
                           errno_words(report->status));
        break;
    case SUPERVISOR_UNMATCHED:
        text_release(&text);
        return trouble_unpaired(plan, task, side, false, 0, tail, reterr);
    case SUPERVISOR_MOVED:
        text_append_format(
            &text,
            "its CPUs changed while it was measured (see CPU %d): "
            "the cpuset changed, or a program bound its parent process to other CPUs (taskset -p); "
            "undo that, or choose CPUs that stay (--cpus)",
            report->status);
        code = DUET_E_UNSUITABLE;
        break;
    case SUPERVISOR_FINE:
    case SUPERVISOR_CANCELLED:
        text_append(&text, report->status == SIGTERM
                               ? "its supervisor process received SIGTERM from outside"
                               : "was cancelled");
        code = DUET_E_PEER;
        break;
    }
    append_tail(&text, tail);
    return finish(&text, code, reterr);
}

void trouble_add_output(struct stream_tail *output, struct duet_error *error)
{
    struct text text = {0};
    text_append(&text, error->message);
    append_lines(&text, "its last lines on standard output, executed once more",
                 output);
    (void)finish(&text, error->code, error);
}

enum duet_code trouble_overwritten(const struct model_plan *plan,
                                   const struct runner_task *task, const char *part,
                                   struct duet_error *reterr)
{
    struct text text = {0};
    const char *between = "";
    text_append_format(&text, "in run %" PRIu64 ", ", task->run + 1);
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (plan->sides[side].command != NULL && (!task->solo || task->wants[side])) {
            text_append_format(&text, "%s%s ", between,
                               model_side_name((enum model_side)side));
            append_command(&text, plan->sides[side].command);
            between = " or ";
        }
    }
    text_append_format(
        &text,
        " wrote over the page that they share with duet (%s): "
        "does a program write to descriptors that it inherited, or beyond its memory?",
        part);
    return finish(&text, DUET_E_PROTOCOL, reterr);
}

enum duet_code trouble_lost(const struct model_plan *plan,
                            const struct runner_task *task, enum model_side side,
                            uint64_t pid, uint64_t iterations, struct stream_tail *tail,
                            struct duet_error *reterr)
{
    struct text text = {0};
    append_where(&text, plan, task, side, 0);
    text_append_format(&text,
                       ": process %" PRIu64 ", which did its iterations, ended after "
                       "%" PRIu64 " of them without duet_close(), and the program goes "
                       "on without it",
                       pid, iterations);
    append_tail(&text, tail);
    return finish(&text, DUET_E_WORKLOAD, reterr);
}

enum duet_code trouble_unclosed(const struct model_plan *plan,
                                const struct runner_task *task, enum model_side side,
                                uint64_t iterations, struct stream_tail *tail,
                                struct duet_error *reterr)
{
    struct text text = {0};
    append_where(&text, plan, task, side, 0);
    text_append_format(&text,
                       " did its %" PRIu64 " iteration%s, but ended without "
                       "duet_close(): call it after the loop",
                       iterations, iterations == 1 ? "" : "s");
    append_tail(&text, tail);
    return finish(&text, DUET_E_PEER, reterr);
}

enum duet_code trouble_unpaired(const struct model_plan *plan,
                                const struct runner_task *task, enum model_side ended,
                                bool attached, uint64_t iterations,
                                struct stream_tail *tail, struct duet_error *reterr)
{
    struct text text = {0};
    append_where(&text, plan, task, ended, 0);
    enum model_side other = ended == MODEL_OLD ? MODEL_NEW : MODEL_OLD;
    if (attached) {
        text_append_format(&text, " left after %" PRIu64 " iteration%s, while %s ",
                           iterations, iterations == 1 ? "" : "s",
                           model_side_name(other));
        append_command(&text, plan->sides[other].command);
        text_append(
            &text,
            " goes on: both sides must do the same number; let duet_next() end the loop");
    } else {
        text_append_format(&text, " ended without attaching, while %s ",
                           model_side_name(other));
        append_command(&text, plan->sides[other].command);
        text_append(
            &text,
            " is a duet benchmark and waits for it: compare a benchmark with a benchmark, "
            "or a command with a command");
    }
    append_tail(&text, tail);
    return finish(&text, DUET_E_PEER, reterr);
}
