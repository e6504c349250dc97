#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/spending.h"
#include "report/spending_parts.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <math.h>

/* ---- Terminal ---- */

static void append_facts(struct text *text, const struct model_planning *planning,
                         const struct report_style *style)
{
    struct text body = {0};
    if (isfinite(planning->within)) {
        digits_append_pct(&body, planning->within);
        text_append(&body, " between the iterations of a run, ");
    }
    if (planning->between_unseen) {
        text_append(&body, "no visible spread between runs");
    } else {
        digits_append_pct(&body, planning->between);
        text_append(&body, isfinite(planning->within) ? " between runs beyond that"
                                                      : " between runs");
    }
    text_append(&body, " (standard deviations of the ratios)");
    spending_take_paragraph(text, style, "spread:    ", &body);
    spending_append_time(&body, planning->iteration_cost_ns, style);
    text_append(&body, " an iteration, ");
    spending_append_time(&body, planning->run_cost_ns, style);
    text_append_format(
        &body, " a run beside its iterations (%" PRIu64 " runs, of %.4g iteration%s)",
        planning->runs, planning->iterations_measured,
        planning->iterations_measured == 1.0 ? "" : "s");
    spending_take_paragraph(text, style, "cost:      ", &body);
    text_append_format(&body, "%" PRIu64 " iteration%s a run", planning->iterations,
                       planning->iterations == 1 ? "" : "s");
    if (planning->bounded) {
        text_append(
            &body, ", ten times the pilot's; a pilot of longer runs may find a cheaper "
                   "number");
    }
    spending_take_paragraph(text, style, "cheapest:  ", &body);
}

void report_planning_terminal(struct text *text, const struct model_planning *planning,
                              const struct report_style *style)
{
    static const int columns[] = {SPENDING_CHANGE_WIDTH, SPENDING_RUNS_WIDTH,
                                  SPENDING_TIME_WIDTH, SPENDING_RUNS_WIDTH + 4,
                                  SPENDING_TIME_WIDTH - 4};
    append_facts(text, planning, style);
    text_append_char(text, '\n');
    columns_append(text, columns, "to see\truns\ttime\tas measured\ttime\n");
    for (size_t i = 0; i < planning->planned_count; i++) {
        const struct model_planned *planned = &planning->planned[i];
        spending_append_change_cell(text, planned->effect);
        spending_append_runs_cell(text, planned->runs);
        spending_append_time_cell(text, planned->ns, style);
        spending_append_runs_cell(text, planned->runs_as_measured);
        spending_append_time_cell(text, planned->ns_as_measured, style);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
    struct text body = {0};
    text_append(&body, "with ");
    digits_append_level(&body, planning->confidence);
    text_append(&body, " confidence, seen in ");
    digits_append_level(&body, planning->power);
    text_append(&body,
                " of experiments; 'as measured' keeps the pilot's iterations a run");
    display_append_paragraph(text, style, DISPLAY_DIM, 2, "", text_string(&body));
    display_drop(text, &body);
}

/* ---- JSON ---- */

static json_t *planned_object(const struct model_planned *planned)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "change_pct", 100.0 * planned->effect);
    json_fields_real(&fields, "runs", planned->runs);
    json_fields_real(&fields, "time_s", planned->ns / 1e9);
    json_fields_real(&fields, "runs_as_measured", planned->runs_as_measured);
    json_fields_real(&fields, "time_as_measured_s", planned->ns_as_measured / 1e9);
    return json_fields_end(&fields);
}

json_t *report_planning_json(json_t *context, const char *name,
                             const struct model_planning *planning)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "context", context);
    json_fields_string(&fields, "name", name);
    json_fields_uint(&fields, "runs", planning->runs);
    json_fields_real(&fields, "iterations_measured", planning->iterations_measured);
    json_fields_real(&fields, "confidence", planning->confidence);
    json_fields_real(&fields, "power", planning->power);
    json_fields_real(&fields, "within_pct", 100.0 * planning->within);
    json_fields_real(&fields, "between_pct", 100.0 * planning->between);
    json_fields_take(&fields, "between_unseen", json_boolean(planning->between_unseen));
    json_fields_real(&fields, "run_cost_s", planning->run_cost_ns / 1e9);
    json_fields_real(&fields, "iteration_cost_s", planning->iteration_cost_ns / 1e9);
    json_fields_uint(&fields, "iterations", planning->iterations);
    json_fields_take(&fields, "bounded", json_boolean(planning->bounded));
    json_t *list = json_fields_list(&fields, "to_see");
    for (size_t i = 0; i < planning->planned_count; i++) {
        json_fields_add(&fields, list, planned_object(&planning->planned[i]));
    }
    return json_fields_end(&fields);
}
