/* GitHub: workflow commands and outputs. */
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "report/display.h"

#include <stdlib.h>
#include <string.h>

enum { WORST = 8 };

/* Escapes as the runner undoes them (its ActionCommand): data %, CR and LF; in a
 * property also : and , which would end it. */
static void append_escaped(struct text *text, const char *string, bool property)
{
    for (const char *s = string; *s != '\0'; s++) {
        bool escaped =
            strchr("%\r\n", *s) != NULL || (property && strchr(":,", *s) != NULL);
        if (escaped) {
            text_append_format(text, "%%%02X", (unsigned)(unsigned char)*s);
        } else {
            text_append_char(text, *s);
        }
    }
}

static void append_command(struct text *text, const char *level, const char *title,
                           const char *message)
{
    text_append_format(text, "::%s title=", level);
    append_escaped(text, title, true);
    text_append(text, "::");
    append_escaped(text, message, false);
    text_append_char(text, '\n');
}

static void append_summary(struct text *text, const struct ci_report *report)
{
    struct ci_counts counts = ci_count(report);
    struct text message = {0};
    bool doubtful = counts.verdicts[MODEL_VERDICT_SLOWER] > 0 ||
                    counts.outcomes[CI_OUTCOME_UNDECIDED] > 0;
    ci_append_outcome(&message, &counts);
    text_append(&message, " (");
    ci_append_counts(&message, &counts);
    text_append_char(&message, ')');
    append_command(text,
                   counts.fails > 0 ? "error"
                   : doubtful       ? "warning"
                                    : "notice",
                   report->name, text_string(&message));
    display_drop(text, &message);
}

/* NULL: it needs none. */
static const char *level_of(const struct model_comparison *comparison)
{
    enum ci_outcome outcome = ci_outcome_of(comparison);
    if (outcome == CI_OUTCOME_BROKEN ||
        (outcome == CI_OUTCOME_FAILED && ci_is_gated(comparison))) {
        return "error";
    }
    return comparison->verdict == MODEL_VERDICT_SLOWER ||
                   outcome == CI_OUTCOME_UNDECIDED
               ? "warning"
               : NULL;
}

static void append_one(struct text *text, const struct ci_report *report, size_t index,
                       const char *level)
{
    const struct model_comparison *comparison = &report->comparisons[index];
    struct text title = {0};
    struct text message = {0};
    text_append_format(&title, "%s: ", report->name);
    ci_name_shown(&title, ci_name_of(comparison));
    text_append_format(&title, ": %s", model_verdict_name(comparison->verdict));
    ci_append_sentence(&message, comparison);
    append_command(text, level, text_string(&title), text_string(&message));
    display_drop(text, &title);
    display_drop(text, &message);
}

void ci_append_annotations(struct text *text, const struct ci_report *report)
{
    size_t *order = ci_order(report);
    if (order == NULL) {
        text->failed = true;
        return;
    }
    append_summary(text, report);
    size_t written = 0;
    for (size_t i = 0; i < report->count && written < WORST; i++) {
        const char *level = level_of(&report->comparisons[order[i]]);
        if (level != NULL) {
            append_one(text, report, order[i], level);
            written++;
        }
    }
    free(order);
}

void ci_append_outputs(struct text *text, const struct ci_report *report,
                       const char *report_path)
{
    static const enum model_verdict worst_first[] = {
        MODEL_VERDICT_FAILED, MODEL_VERDICT_SLOWER, MODEL_VERDICT_UNSURE,
        MODEL_VERDICT_FASTER};
    struct ci_counts counts = ci_count(report);
    enum model_verdict worst = counts.verdicts[MODEL_VERDICT_SAME] > 0 ||
                                       counts.verdicts[MODEL_VERDICT_IDENTICAL] == 0
                                   ? MODEL_VERDICT_SAME
                                   : MODEL_VERDICT_IDENTICAL;
    for (size_t i = sizeof worst_first / sizeof worst_first[0]; i > 0; i--) {
        worst = counts.verdicts[worst_first[i - 1]] > 0 ? worst_first[i - 1] : worst;
    }
    bool kept = report_path != NULL && strpbrk(report_path, "\r\n") == NULL;
    text_append_format(text, "verdict=%s\nslower=%zu\nunsure=%zu\nreport=%s\n",
                       model_verdict_name(worst), counts.verdicts[MODEL_VERDICT_SLOWER],
                       counts.verdicts[MODEL_VERDICT_UNSURE], kept ? report_path : "");
}
