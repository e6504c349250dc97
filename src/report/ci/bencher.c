/* Bencher Metric Format. */
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "json/json_fields.h"

#include <math.h>
#include <string.h>

/* {"value", "lower_value", "upper_value"}; an unknown bound is left out. */
static json_t *measure(double value, double low, double high)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "value", value);
    if (isfinite(low)) {
        json_fields_real(&fields, "lower_value", low);
    }
    if (isfinite(high)) {
        json_fields_real(&fields, "upper_value", high);
    }
    return json_fields_end(&fields);
}

static json_t *measures(const struct model_comparison *comparison)
{
    struct json_fields fields = json_fields_begin();
    double mean_ns = comparison->sides[MODEL_NEW].mean_ns;
    bool cpu_time = strcmp(comparison->metric, "cpu_time") == 0;
    if (isfinite(mean_ns)) {
        json_fields_take(&fields, cpu_time ? "cpu-time" : "latency",
                         measure(mean_ns, (double)NAN, (double)NAN));
    }
    if (isfinite(comparison->ratio)) {
        json_fields_take(&fields, "ratio",
                         measure(comparison->ratio, comparison->interval.low,
                                 comparison->interval.high));
    }
    return json_fields_end(&fields);
}

json_t *ci_bencher(const struct ci_report *report)
{
    char **names = ci_names_new(report, ci_name_shown);
    struct json_fields fields = json_fields_begin();
    fields.failed = fields.failed || names == NULL;
    for (size_t i = 0; i < report->count && !fields.failed; i++) {
        if (ci_is_answered(&report->comparisons[i])) {
            json_fields_take(&fields, names[i], measures(&report->comparisons[i]));
        }
    }
    ci_names_free(names, report->count);
    return json_fields_end(&fields);
}
