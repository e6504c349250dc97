#include "cli/git/bisect_show.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/json_file.h"
#include "cli/terminal.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/words.h"
#include "session/git/bisect_likely.h"
#include "json/json_fields.h"

#include <math.h>

enum { STRIP_COLUMNS = 32 };

/* ---- While it goes on ---- */

/* The weights, first commits left; a column may stand for several. */
static void append_strip(struct text *text, const double *weights, size_t count)
{
    static const char *const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { LEVELS = sizeof levels / sizeof levels[0] - 1 };
    size_t candidates = count - 1;
    size_t columns = candidates < STRIP_COLUMNS ? candidates : STRIP_COLUMNS;
    double heights[STRIP_COLUMNS] = {0};
    double most = 0;
    for (size_t b = 1; b < count; b++) {
        size_t column = (b - 1) * columns / candidates;
        heights[column] += weights[b];
        most = fmax(most, heights[column]);
    }
    text_append(text, "|");
    for (size_t i = 0; i < columns; i++) {
        double level = most > 0 ? ceil(heights[i] / most * LEVELS) : 0;
        text_append(text, levels[(size_t)level]);
    }
    text_append(text, "|");
}

void bisect_show_step(const struct bisect_step *step)
{
    struct text text = {0};
    text_append_format(&text, "measuring %s (%zu of %zu); %zu left",
                       step->history->commits[step->at].revision.label, step->at,
                       step->history->count - 1, step->candidates);
    if (terminal_is_utf8()) {
        text_append_char(&text, ' ');
        append_strip(&text, step->weights, step->history->count);
    }
    text_append_format(&text, "; %zu built, about %.0f to go", step->builds,
                       step->builds_left);
    if (isfinite(step->left_ns)) {
        text_append(&text, ", about ");
        digits_append_duration(&text, (uint64_t)step->left_ns);
    }
    cli_say("%s", text_string(&text));
    text_release(&text);
}

/* ---- The answer ---- */

static void append_change(struct text *text, const struct answer *answer, bool unicode)
{
    words_append_change(text, &answer->comparison, unicode, true);
    if (words_has_interval(&answer->comparison)) {
        text_append_char(text, ' ');
        words_append_interval(text, &answer->comparison, true);
    }
}

static void append_commit(struct text *text, const struct git_commit *commit,
                          bool unicode)
{
    text_append_format(text, "  %s  %s  ", commit->revision.label, commit->date);
    display_append_clean(text, commit->subject, unicode);
    text_append(text, " (");
    display_append_clean(text, commit->author, unicode);
    text_append(text, ")\n");
}

static void append_rest(struct text *text, const struct bisect_result *result)
{
    if (result->step_is_part) {
        text_append(text, "  other commits made it slower, too: look on both sides of "
                          "this one\n");
    } else if (result->step_is_small) {
        text_append(text, "  its step is smaller than --effect\n");
    }
}

static void append_several(struct text *text, const struct bisect_result *result,
                           bool unicode)
{
    text_append(text, "no single commit explains it: the benchmark became slower in "
                      "several steps, or faster in between\n");
    if (result->has_step) {
        text_append(text, "  the likeliest commit beside the one before it: ");
        append_change(text, &result->step, unicode);
        text_append_char(text, '\n');
        append_commit(text, &result->history.commits[result->first], unicode);
    }
    text_append(text,
                "  try: the same command for each half of the history, or a larger "
                "--effect\n");
}

/* Those that are left, the most likely of many. */
static void append_left(struct text *text, const struct bisect_result *result,
                        bool unicode)
{
    size_t likely[BISECT_LIKELY_MAX];
    size_t listed = bisect_likely(result, likely);
    for (size_t i = 0; i < listed; i++) {
        text_append_format(text, "  %5.1f %%", 100 * result->weights[likely[i]]);
        append_commit(text, &result->history.commits[likely[i]], unicode);
    }
    if (result->count > listed) {
        text_append_format(text, "  and %zu others, none of them more likely\n",
                           result->count - listed);
    }
}

/* BAD against GOOD. */
static void append_not_slower(struct text *text, const struct model_comparison *whole)
{
    if (whole->interval.low > 1) { /* surely slower; only --effect asks for more */
        text_append(text, "slower, but not surely by half of --effect: there is no "
                          "commit to look for\n"
                          "  try: a smaller --effect, or a longer --time-budget\n");
        return;
    }
    text_append(text, whole->verdict == MODEL_VERDICT_UNSURE
                          ? "unsure whether it became slower: there is no commit to "
                            "look for yet\n"
                          : "not slower: there is no commit to look for\n");
    text_append(text, "  try: a longer --time-budget, or other commits\n");
}

static void append_head(struct text *text, const struct bisect_result *result,
                        bool unicode)
{
    const struct git_commit *commits = result->history.commits;
    switch (result->end) {
    case BISECT_FOUND:
        text_append_format(text, "first slow commit: %s",
                           commits[result->first].revision.label);
        if (result->has_step) {
            text_append(text, ", ");
            append_change(text, &result->step, unicode);
        }
        text_append_char(text, '\n');
        append_commit(text, &commits[result->first], unicode);
        append_rest(text, result);
        break;
    case BISECT_GROUP:
        text_append_format(text,
                           "first slow commit: one of %zu, since those between them "
                           "cannot be measured\n",
                           result->count);
        append_left(text, result, unicode);
        break;
    case BISECT_SEVERAL:
        append_several(text, result, unicode);
        break;
    case BISECT_UNSURE:
        text_append_format(text, "unsure: the time is over, and %zu commits are left\n",
                           result->count);
        append_left(text, result, unicode);
        text_append(
            text, "  try: the same command with --resume and a longer --time-budget\n");
        break;
    case BISECT_NOT_SLOWER:
        append_not_slower(text, &result->whole.comparison);
        break;
    }
}

static void append_body(struct text *text, const struct bisect_request *request,
                        const struct bisect_result *result, bool unicode)
{
    const struct git_history *history = &result->history;
    size_t last = history->count - 1;
    text_append_format(
        text, "  %s..%s, %zu commit%s", history->commits[0].revision.label,
        history->commits[last].revision.label, last, last == 1 ? "" : "s");
    if (result->has_whole) {
        text_append(text, ": ");
        append_change(text, &result->whole, unicode);
    }
    text_append_format(text, "\n  %.6g %% confidence; %zu build%s, %zu blocks",
                       100 * (1 - request->alpha), result->builds,
                       result->builds == 1 ? "" : "s", result->blocks);
    if (result->resumed > 0) {
        text_append_format(text, " (%zu of an earlier call)", result->resumed);
    }
    text_append(text, ", ");
    digits_append_duration(text, result->elapsed_ns);
    if (result->end != BISECT_NOT_SLOWER && result->threshold > 0) {
        text_append(text, "; looked for a step of +");
        digits_append_pct(text, result->threshold);
        text_append(text, " or more");
    }
    text_append_char(text, '\n');
}

/* ---- JSON ---- */

static json_t *commit_object(const struct bisect_result *result, size_t at)
{
    const struct git_commit *commit = &result->history.commits[at];
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "commit", commit->revision.commit);
    json_fields_take(&fields, "subject", json_fields_text(commit->subject));
    json_fields_take(&fields, "author", json_fields_text(commit->author));
    json_fields_string(&fields, "date", commit->date);
    json_fields_real(&fields, "probability", at == 0 ? 0 : result->weights[at]);
    json_fields_take(&fields, "measurable", json_boolean(!result->skipped[at]));
    return json_fields_end(&fields);
}

static json_t *document_of(const struct bisect_request *request,
                           const struct bisect_result *result)
{
    struct json_fields fields = json_fields_begin();
    bool found = result->end == BISECT_FOUND;
    json_fields_int(&fields, "schema_version", 1);
    json_fields_string(&fields, "outcome", bisect_end_name(result->end));
    json_fields_string(&fields, "first_slow_commit",
                       found ? result->history.commits[result->first].revision.commit
                             : NULL);
    json_fields_real(&fields, "confidence", 1 - request->alpha);
    json_fields_real(&fields, "least_step_pct", 100 * result->threshold);
    json_fields_uint(&fields, "candidates", result->count);
    json_fields_uint(&fields, "builds", result->builds);
    json_fields_uint(&fields, "blocks", result->blocks);
    json_fields_uint(&fields, "blocks_resumed", result->resumed);
    json_fields_real(&fields, "elapsed_s", (double)result->elapsed_ns / 1e9);
    json_fields_take(&fields, "bad_to_good",
                     result->has_whole
                         ? report_json_comparison(&result->whole.comparison)
                         : json_null());
    json_fields_take(&fields, "step",
                     result->has_step ? report_json_comparison(&result->step.comparison)
                                      : json_null());
    json_t *commits = json_fields_list(&fields, "commits");
    for (size_t i = 0; i < result->history.count; i++) {
        json_fields_add(&fields, commits, commit_object(result, i));
    }
    return json_fields_end(&fields);
}

enum duet_code bisect_show_result(const struct output_options *output,
                                  const struct bisect_request *request,
                                  const struct bisect_result *result,
                                  struct duet_error *reterr)
{
    bool unicode = terminal_is_utf8();
    enum duet_code code = DUET_OK;
    if (!output_takes_stdout(output)) {
        struct text text = {0};
        append_head(&text, result, unicode);
        if (output->verbosity > 0) {
            append_body(&text, request, result, unicode);
        }
        code = file_write_text("-", &text, reterr);
    }
    if (code == DUET_OK && output->json != NULL) {
        code = file_write_json(output->json, document_of(request, result), reterr);
    }
    return code;
}
