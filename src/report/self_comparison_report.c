#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/notes.h"
#include "report/spending.h"
#include "report/spending_parts.h"
#include "report/words.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <math.h>

/* ---- Terminal ---- */

static void append_windows(struct text *text, const struct model_self_comparison *self,
                           const struct report_style *style)
{
    struct text body = {0};
    text_append_format(&body,
                       "%" PRIu64 " of %" PRIu64 " experiment%s of %" PRIu64 " runs (",
                       self->false_alarms, self->windows, self->windows == 1 ? "" : "s",
                       self->window_runs);
    digits_append_pct(&body, self->false_share);
    text_append(&body, ", 95 % interval ");
    digits_append_pct(&body, self->false_low);
    text_append(&body, " to ");
    digits_append_pct(&body, self->false_high);
    text_append(&body, "); ");
    digits_append_level(&body, 1.0 - self->confidence);
    text_append(&body, " are to be expected");
    if (self->false_too_many) {
        text_append(&body,
                    ": that is too many, look at the warnings and at 'duet doctor'");
    }
    spending_take_paragraph(text, style, "false alarms:  ", &body);
}

static void append_whole(struct text *text, const struct model_self_comparison *self,
                         const struct model_comparison *whole,
                         const struct report_style *style)
{
    struct text body = {0};
    words_append_change(&body, whole, style->unicode, false);
    text_append_char(&body, ' ');
    words_append_interval(&body, whole, true);
    text_append_format(&body, " over all %" PRIu64 " runs: %s", self->runs,
                       model_comparison_is_change(whole) ? "a false alarm"
                                                         : "no false alarm");
    spending_take_paragraph(text, style, "all together:  ", &body);
    if (isfinite(self->window_visible)) {
        text_append(&body, "a change of ");
        digits_append_pct(&body, self->window_visible);
        text_append_format(&body, " in %" PRIu64 " runs (", self->window_runs);
        spending_append_time(&body, self->window_ns, style);
        text_append_char(&body, ')');
        if (isfinite(whole->could_have_seen)) {
            text_append(&body, ", of ");
            digits_append_pct(&body, whole->could_have_seen);
            text_append(&body, " in all of them (");
            spending_append_time(&body, self->wall_ns, style);
            text_append_char(&body, ')');
        }
        text_append(&body, ", nine times of ten");
        spending_take_paragraph(text, style, "visible:       ", &body);
    }
}

void report_self_terminal(struct text *text, const struct model_self_comparison *self,
                          const struct model_comparison *whole,
                          const struct report_style *style)
{
    static const int columns[] = {SPENDING_CHANGE_WIDTH, SPENDING_RUNS_WIDTH,
                                  SPENDING_TIME_WIDTH, SPENDING_TIME_WIDTH,
                                  SPENDING_TIME_WIDTH};
    append_windows(text, self, style);
    append_whole(text, self, whole, style);
    text_append_char(text, '\n');
    columns_append(text, columns, "to see\truns\ttime\tor decided\t9 of 10 in\n");
    for (size_t i = 0; i < MODEL_VISIBILITIES; i++) {
        const struct model_visibility *visibility = &self->visibilities[i];
        spending_append_change_cell(text, visibility->effect);
        spending_append_runs_cell(text, visibility->fixed_runs);
        spending_append_time_cell(text, visibility->fixed_ns, style);
        spending_append_time_cell(text, visibility->decided_median_ns, style);
        spending_append_time_cell(text, visibility->decided_p90_ns, style);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
    struct text body = {0};
    text_append(
        &body,
        "'runs' and 'time' for a number of runs fixed beforehand, seen nine times of ten; "
        "'decided' the median time with --until decided, looking after every block");
    display_append_paragraph(text, style, DISPLAY_DIM, 2, "", text_string(&body));
    display_drop(text, &body);
    notes_append(text, whole, 1, NOTES_BELOW_SELF, style);
}

/* ---- JSON ---- */

static json_t *visibility_object(const struct model_visibility *visibility)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "change_pct", 100.0 * visibility->effect);
    json_fields_real(&fields, "fixed_runs", visibility->fixed_runs);
    json_fields_real(&fields, "fixed_s", visibility->fixed_ns / 1e9);
    json_fields_real(&fields, "decided_median_s", visibility->decided_median_ns / 1e9);
    json_fields_real(&fields, "decided_p90_s", visibility->decided_p90_ns / 1e9);
    return json_fields_end(&fields);
}

static json_t *windows_object(const struct model_self_comparison *self)
{
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "runs", self->window_runs);
    json_fields_uint(&fields, "count", self->windows);
    json_fields_uint(&fields, "false_alarms", self->false_alarms);
    json_fields_real(&fields, "false_alarm_ratio_low", self->false_low);
    json_fields_real(&fields, "false_alarm_ratio_high", self->false_high);
    json_fields_real(&fields, "expected_ratio", 1.0 - self->confidence);
    json_fields_real(&fields, "time_s", self->window_ns / 1e9);
    json_fields_real(&fields, "could_have_seen_pct", 100.0 * self->window_visible);
    return json_fields_end(&fields);
}

json_t *report_self_json(json_t *context, const struct model_self_comparison *self,
                         const struct model_comparison *whole)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "context", context);
    json_fields_uint(&fields, "runs", self->runs);
    json_fields_real(&fields, "time_s", self->wall_ns / 1e9);
    json_fields_take(&fields, "windows", windows_object(self));
    json_t *list = json_fields_list(&fields, "to_see");
    for (size_t i = 0; i < MODEL_VISIBILITIES; i++) {
        json_fields_add(&fields, list, visibility_object(&self->visibilities[i]));
    }
    json_fields_take(&fields, "comparison", report_json_comparison(whole));
    return json_fields_end(&fields);
}
