/* JUnit XML: what GitLab, Jenkins and GitHub's reporters read. */
#include "base/day.h"
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "report/display.h"
#include "report/report.h"
#include "report/xml_text.h"

/* The attributes that the whole and its only suite share. */
static void append_totals(struct text *text, const struct ci_report *report)
{
    struct ci_counts counts = ci_count(report);
    text_append(text, " name=\"");
    xml_append_line(text, report->name);
    text_append_format(
        text,
        "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
        report->count, counts.outcomes[CI_OUTCOME_FAILED],
        counts.outcomes[CI_OUTCOME_BROKEN], counts.outcomes[CI_OUTCOME_UNDECIDED],
        report->took_s);
    if (report->started_utc_s != 0) {
        char date[DAY_MOMENT_BYTES];
        day_utc(report->started_utc_s * 1000, date);
        text_append_format(text, " timestamp=\"%.19s\"", date);
    }
    text_append(text, ">\n");
}

/* The message once more, as readers may ignore the attribute, and the whole answer. */
static void append_body(struct text *text, const struct model_comparison *comparison,
                        const char *message)
{
    const struct report_style style = {.unicode = true, .verbosity = 1};
    struct text answer = {0};
    xml_append_line(text, message);
    text_append(text, "\n");
    if (ci_is_answered(comparison)) {
        report_terminal(&answer, comparison, 1, NULL, &style);
    } else {
        display_append_message(&answer, comparison->failure, true);
        text_append_char(&answer, '\n');
    }
    xml_append_lines(text, text_string(&answer));
    display_drop(text, &answer);
}

static void append_case(struct text *text, const struct ci_report *report, size_t index,
                        const char *name)
{
    static const char *const elements[CI_OUTCOMES] = {
        [CI_OUTCOME_BROKEN] = "error",
        [CI_OUTCOME_FAILED] = "failure",
        [CI_OUTCOME_UNDECIDED] = "skipped",
        [CI_OUTCOME_PASSED] = "system-out"};
    const struct model_comparison *comparison = &report->comparisons[index];
    enum ci_outcome outcome = ci_outcome_of(comparison);
    struct text message = {0};
    ci_append_sentence(&message, comparison);
    text_append(text, "    <testcase classname=\"");
    xml_append_line(text, report->name);
    text_append(text, "\" name=\"");
    xml_append_line(text, name);
    text_append_format(text, "\" time=\"%.3f\">\n      <%s", comparison->took_s,
                       elements[outcome]);
    if (outcome != CI_OUTCOME_PASSED) {
        text_append(text, " message=\"");
        xml_append_line(text, text_string(&message));
        text_append_char(text, '"');
        if (outcome != CI_OUTCOME_UNDECIDED) {
            text_append_format(text, " type=\"%s\"",
                               model_verdict_name(comparison->verdict));
        }
    }
    text_append_char(text, '>');
    if (outcome == CI_OUTCOME_PASSED) {
        xml_append_line(text, text_string(&message));
    } else {
        append_body(text, comparison, text_string(&message));
    }
    text_append_format(text, "</%s>\n    </testcase>\n", elements[outcome]);
    display_drop(text, &message);
}

void ci_append_junit(struct text *text, const struct ci_report *report)
{
    char **names = ci_names_new(report, ci_name_shown);
    if (names == NULL) {
        text->failed = true;
        return;
    }
    text_append(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    append_totals(text, report);
    text_append(text, "  <testsuite");
    append_totals(text, report);
    for (size_t i = 0; i < report->count; i++) {
        append_case(text, report, i, names[i]);
    }
    text_append(text, "  </testsuite>\n</testsuites>\n");
    ci_names_free(names, report->count);
}
