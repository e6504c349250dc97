/* OpenMetrics text, for GitLab's metrics reports and other readers of it. */
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

/* A metric's name holds letters, digits and `_`; what is between becomes one `_`. */
static void append_metric(struct text *text, const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *at = name;
    const char *between = "";
    while (*at != '\0') {
        size_t kept = strspn(at, letters);
        if (kept > 0) {
            text_append(text, between);
            text_append_n(text, at, kept);
        }
        between = "_";
        at += kept;
        at += strcspn(at, letters);
    }
    text_append(text, text->length == 0 ? "_" : "");
}

/* OpenMetrics 1.0, "escaped-string": backslash, quote and line feed. */
static void append_help(struct text *text, const char *string)
{
    for (const char *s = string; *s != '\0'; s++) {
        text_append(text, *s == '\\' || *s == '"' ? "\\" : "");
        text_append_char(text, *s);
    }
}

static int code_of(enum model_verdict verdict)
{
    static const int codes[MODEL_VERDICTS] = {
        [MODEL_VERDICT_SAME] = 0,   [MODEL_VERDICT_FASTER] = 1,
        [MODEL_VERDICT_SLOWER] = 2, [MODEL_VERDICT_UNSURE] = 3,
        [MODEL_VERDICT_FAILED] = 4, [MODEL_VERDICT_IDENTICAL] = 5};
    return codes[verdict];
}

static void append_gauge(struct text *text, const char *family, const char *metric,
                         const char *meaning, const char *name)
{
    text_append_format(text, "# TYPE %s_%s gauge\n# HELP %s_%s %s ", family, metric,
                       family, metric, meaning);
    append_help(text, name);
    text_append_format(text, "\n%s_%s ", family, metric);
}

void ci_append_openmetrics(struct text *text, const struct ci_report *report)
{
    char **metrics = ci_names_new(report, append_metric);
    char **names = metrics == NULL ? NULL : ci_names_new(report, ci_name_shown);
    if (names == NULL) {
        ci_names_free(metrics, report->count);
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < report->count; i++) {
        const struct model_comparison *comparison = &report->comparisons[i];
        if (ci_is_answered(comparison) && isfinite(comparison->ratio)) {
            append_gauge(text, "duet_ratio", metrics[i],
                         "Time of new / time of old:", names[i]);
            words_append_relative_number(text, comparison);
            text_append_char(text, '\n');
        }
        append_gauge(
            text, "duet_verdict", metrics[i],
            "0 same, 1 faster, 2 slower, 3 unsure, 4 failed, 5 identical:", names[i]);
        text_append_format(text, "%d\n", code_of(comparison->verdict));
    }
    text_append(text, "# EOF\n");
    ci_names_free(names, report->count);
    ci_names_free(metrics, report->count);
}
