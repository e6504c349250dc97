#include "report/doctor.h"

#include "report/columns.h"
#include "report/display.h"
#include "json/json_fields.h"

void report_fitness_terminal(struct text *text, const struct model_findings *findings,
                             const struct report_style *style)
{
    static const enum display_paint paints[] = {DISPLAY_DIM, DISPLAY_STRONG,
                                                DISPLAY_WORSE};
    static const int columns[] = {-7, -12};
    for (size_t i = 0; i < findings->count; i++) {
        const struct model_finding *finding = &findings->list[i];
        struct text lead = {0};
        columns_append(&lead, columns, "%s\t%s ",
                       model_finding_level_name(finding->level), finding->item);
        display_append_paragraph(text, style, paints[finding->level], 2,
                                 text_string(&lead), finding->text);
        display_drop(text, &lead);
        if (finding->advice[0] != '\0') {
            display_append_paragraph(text, style, DISPLAY_PLAIN, 2,
                                     "                   ", finding->advice);
        }
    }
}

static json_t *fitness_object(const struct model_fitness *fitness)
{
    if (fitness == NULL) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "clock_read_ns", fitness->clock_read_ns);
    json_fields_real(&fields, "transfer_ns", fitness->transfer_ns);
    json_fields_real(&fields, "skew_median_ns", fitness->skew_median_ns);
    json_fields_real(&fields, "skew_p99_ns", fitness->skew_p99_ns);
    json_fields_real(&fields, "preempted_ratio", fitness->preempted_ratio);
    json_fields_real(&fields, "spread_ratio_first", fitness->spread_ratio[0]);
    json_fields_real(&fields, "spread_ratio_second", fitness->spread_ratio[1]);
    json_fields_real(&fields, "paired_spread_ratio", fitness->paired_spread_ratio);
    json_fields_real(&fields, "unpaired_spread_ratio", fitness->unpaired_spread_ratio);
    json_fields_real(&fields, "paired_batch_sd", fitness->paired_batch_sd);
    json_fields_real(&fields, "unpaired_batch_sd", fitness->unpaired_batch_sd);
    json_fields_uint(&fields, "batches", fitness->batches);
    json_fields_real(&fields, "disturbed_ratio", fitness->disturbed_ratio);
    json_fields_real(&fields, "bias_ratio", fitness->bias_ratio);
    json_fields_real(&fields, "autocorrelation_times", fitness->autocorrelation_times);
    json_fields_real(&fields, "autocorrelation_ratios",
                     fitness->autocorrelation_ratios);
    json_fields_real(&fields, "switches_per_s", fitness->switches_per_s);
    json_fields_real(&fields, "taken_ratio", fitness->taken_ratio);
    json_fields_real(&fields, "steal_ratio", fitness->steal_ratio);
    return json_fields_end(&fields);
}

static json_t *finding_object(const struct model_finding *finding)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "item", finding->item);
    json_fields_string(&fields, "level", model_finding_level_name(finding->level));
    json_fields_string(&fields, "text", finding->text);
    json_fields_string(&fields, "advice", finding->advice);
    return json_fields_end(&fields);
}

json_t *report_fitness_json(json_t *context, const struct model_findings *findings,
                            enum model_finding_level level,
                            const struct model_fitness *fitness)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "context", context);
    json_fields_string(&fields, "level", model_finding_level_name(level));
    json_fields_take(&fields, "fitness", fitness_object(fitness));
    json_t *list = json_fields_list(&fields, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        json_fields_add(&fields, list, finding_object(&findings->list[i]));
    }
    return json_fields_end(&fields);
}
