/* github-action-benchmark, its tool customSmallerIsBetter. */
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "report/display.h"
#include "report/words.h"
#include "json/json_fields.h"

#include <math.h>

/* The unit is always the same: the tool compares values without looking at it. */
static json_t *entry(const char *name, double value, const char *unit,
                     const struct text *range, const struct text *extra)
{
    struct json_fields fields = json_fields_begin();
    fields.failed = fields.failed || text_failed(range) || text_failed(extra);
    json_fields_take(&fields, "name", json_fields_text(name));
    json_fields_real(&fields, "value", value);
    json_fields_take(&fields, "unit", json_fields_text(unit));
    if (range->length > 0) {
        json_fields_take(&fields, "range", json_fields_text(text_string(range)));
    }
    json_fields_take(&fields, "extra", json_fields_text(text_string(extra)));
    return json_fields_end(&fields);
}

static bool push_time(json_t *entries, const struct model_comparison *comparison,
                      const char *name, const struct text *extra)
{
    const struct model_summary *summary = &comparison->sides[MODEL_NEW];
    struct text range = {0};
    if (!isfinite(summary->mean_ns)) {
        return true;
    }
    if (isfinite(summary->sd_ns)) {
        text_append_format(&range, "± %.6g", summary->sd_ns);
    }
    bool pushed =
        json_fields_push(entries, entry(name, summary->mean_ns, "ns", &range, extra));
    text_release(&range);
    return pushed;
}

static bool push_ratio(json_t *entries, const struct model_comparison *comparison,
                       const char *name, const struct text *extra)
{
    struct text title = {0};
    struct text range = {0};
    if (!isfinite(comparison->ratio)) {
        return true;
    }
    text_append_format(&title, "%s: new / old", name);
    words_append_interval(&range, comparison, true);
    bool pushed =
        !text_failed(&title) &&
        json_fields_push(entries, entry(text_string(&title), comparison->ratio, "ratio",
                                        &range, extra));
    text_release(&title);
    text_release(&range);
    return pushed;
}

json_t *ci_github_benchmark(const struct ci_report *report)
{
    char **names = ci_names_new(report, ci_name_shown);
    json_t *entries = names == NULL ? NULL : json_array();
    bool failed = entries == NULL;
    for (size_t i = 0; i < report->count && !failed; i++) {
        const struct model_comparison *comparison = &report->comparisons[i];
        struct text extra = {0};
        if (ci_is_answered(comparison)) {
            ci_append_sentence(&extra, comparison);
            failed = !push_time(entries, comparison, names[i], &extra) ||
                     !push_ratio(entries, comparison, names[i], &extra);
        }
        text_release(&extra);
    }
    ci_names_free(names, report->count);
    if (failed) {
        json_decref(entries);
        return NULL;
    }
    return entries;
}
