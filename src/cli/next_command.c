#include "cli/next_command.h"

#include "cli/terminal.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/quote.h"
#include "session/cpu_choice.h"
#include "session/sameness/identical.h"
#include "store/store_resume.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const double ns_per_ms = 1e6;

static void append_option(struct text *text, const char *option, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        text_append_format(text, " %s ", option);
        quote_append_shell(text, value);
    }
}

void next_command_append_store(struct text *text, const char *store_option)
{
    append_option(text, "--store", store_option);
}

static void append_amount(struct text *text, const struct next_command *next,
                          const struct model_plan *plan)
{
    const double ns_per_s = 1e9;
    uint64_t iterations =
        next->amount.iterations != 0 ? next->amount.iterations : plan->iterations;
    if (iterations != 0) {
        text_append_format(text, " -I %" PRIu64, iterations);
    }
    if (next->amount.iterations == 0 && plan->run_time_ns != 0) {
        text_append_format(text, " --run-time %.6gms",
                           (double)plan->run_time_ns / ns_per_ms);
    }
    if (isfinite(next->amount.decided_ns)) {
        text_append_format(text, " --until decided,time=%.0fs",
                           ceil(next->amount.decided_ns / ns_per_s));
    } else {
        text_append_format(text, " -r %.0f", next->amount.runs);
    }
    if (plan->warmup != 0) {
        text_append_format(text, " -w %" PRIu64, plan->warmup);
    }
}

/* The side whose folder is gone; MODEL_SIDES: none. */
static enum model_side side_without_folder(const struct model_plan *plan)
{
    enum model_side side = MODEL_OLD;
    while (side < MODEL_SIDES && (plan->sides[side].folder == NULL ||
                                  access(plan->sides[side].folder, X_OK) == 0)) {
        side++;
    }
    return side;
}

/* How the sides share the machine, where it is not the usual way. */
static void append_manner(struct text *text, const struct model_plan *plan)
{
    static const char *const fills[] = {[MODEL_FILL_OFF] = " --no-fill",
                                        [MODEL_FILL_ON] = " --fill",
                                        [MODEL_FILL_KILL] = " --fill=kill"};
    struct machine *machine = NULL;
    struct duet_error ignored; /* then as the machine chooses */
    if (machine_open(NULL, &machine, &ignored) == DUET_OK) {
        cpu_choice_append_options(text, machine, plan->cpus);
    }
    machine_free(machine);
    if (plan->fill[0] == plan->fill[1]) { /* else by the mode, as it is without */
        text_append(text, fills[plan->fill[0]]);
    }
    if (plan->layout != MODEL_LAYOUT_SAME) {
        append_option(text, "--layout", model_layout_name(plan->layout));
    }
    if (plan->timeout_ns != 0) {
        text_append_format(text, " --timeout %.12gms",
                           (double)plan->timeout_ns / ns_per_ms);
    }
    text_append(text, plan->usage ? "" : " --no-usage");
}

/* usual: what it is without the option. */
static void append_stream(struct text *text, const char *option,
                          const struct model_stream *stream,
                          enum model_stream_kind usual)
{
    if (stream->kind == MODEL_STREAM_FILE) {
        append_option(text, option, stream->path);
    } else if (stream->kind != usual) {
        append_option(text, option, model_stream_kind_name(stream->kind));
    }
}

static void append_command(struct text *text, const struct next_command *next,
                           const struct model_plan *plan)
{
    const struct model_workload *old = &plan->sides[MODEL_OLD];
    const struct model_workload *new = &plan->sides[MODEL_NEW];
    bool one = identical_command(plan);
    text_append_format(text, "duet run --schedule %s",
                       model_schedule_name(next->pilot->schedule));
    append_amount(text, next, plan);
    append_manner(text, plan);
    append_option(text, "-s", old->setup);
    append_option(text, "-p", old->prepare);
    append_option(text, "-C", old->conclude);
    append_option(text, "-c", old->cleanup);
    append_option(text, "-S", plan->shell);
    append_option(text, "--cwd-old", old->folder);
    append_option(text, "--cwd-new", one ? NULL : new->folder);
    append_stream(text, "--input", &plan->input, MODEL_STREAM_NULL);
    append_stream(text, "--output", &plan->output, MODEL_STREAM_NULL);
    append_stream(text, "--stderr", &plan->error_output, MODEL_STREAM_PIPE);
    text_append(text, plan->ignore_failure ? " -i" : "");
    next_command_append_store(text, next->store_option);
    text_append_char(text, ' ');
    quote_append_shell(text, old->command);
    text_append_char(text, ' ');
    if (one) {
        text_append(text, "NEW");
    } else {
        quote_append_shell(text, new->command);
    }
    struct text shown = {0};
    display_append_clean(&shown, text_string(text), terminal_is_utf8());
    if (strcmp(text_string(&shown), text_string(text)) != 0) {
        text_release(text); /* a terminal would not get what is to be pasted */
    }
    display_drop(text, &shown);
}

static void append_paragraph(struct text *text, const struct next_command *next,
                             const struct model_plan *plan)
{
    struct text command = {0};
    bool one = identical_command(plan);
    enum model_side gone = side_without_folder(plan);
    if (gone != MODEL_SIDES) {
        text_append(text, "\n  no command to paste: the folder '");
        display_append_clean(text, plan->sides[gone].folder, terminal_is_utf8());
        text_append_format(text,
                           "', in which %s ran, is gone; measure again as before\n",
                           model_side_name(gone));
        return;
    }
    append_command(&command, next, plan);
    if (text_string(&command)[0] != '\0') {
        text_append(text, "\n  next, to see ");
        digits_append_pct(text, next->amount.effect);
        text_append(text,
                    one ? "; put your new version in place of NEW:\n    " : ":\n    ");
        text_append(text, text_string(&command));
        text_append_char(text, '\n');
    }
    display_drop(text, &command);
}

enum duet_code next_command_append(struct text *text, const struct next_command *next,
                                   struct duet_error *reterr)
{
    struct store_plan stored = {.count = 0};
    struct duet_error error;
    if (!isfinite(next->amount.runs)) {
        return DUET_OK;
    }
    enum duet_code code =
        store_plan_read(next->store, next->pilot->id, &stored, &error);
    if (code == DUET_E_FORMAT) {
        return DUET_OK; /* of an older duet */
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    append_paragraph(text, next, &stored.plan);
    store_plan_release(&stored);
    return DUET_OK;
}
