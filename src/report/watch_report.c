#include "report/watch_report.h"

#include "base/day.h"
#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/report.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Shorter intervals, which are there for trying, are shown with their fractions. */
static const uint64_t briefly_ns = UINT64_C(10000000000);

enum { NAME_COLUMNS = 24 };
/* Of the table, each with two blanks before its text. */
static const int columns[] = {4, -2 - NAME_COLUMNS, -21, -13, 8, 8, -14, -10, 0};

static bool is_time(const struct model_watch_status *status)
{
    return status->watch.pattern == NULL;
}

void report_watch_value(struct text *text, const struct model_watch_status *status,
                        double value, bool unicode)
{
    if (is_time(status)) {
        const struct report_style style = {.unicode = unicode};
        report_time(text, value, &style);
    } else if (isfinite(value)) {
        text_append_format(text, "%.6g", value);
    } else {
        text_append(text, "unknown");
    }
}

static void append_statistic(struct text *text, const char *statistic)
{
    if (statistic[0] == 'p') {
        text_append_format(text, "percentile %s", statistic + 1);
    } else {
        text_append(text, statistic);
    }
}

/* ---- The table ---- */

/* "2.1 %" */
static void append_error(struct text *cell, const struct model_watch_status *status,
                         bool unicode)
{
    if (status->state == MODEL_WATCH_STABLE) {
        text_append(cell, "< ");
        digits_append_level(cell, status->watch.error);
    } else if (isfinite(status->error)) {
        text_append(cell, unicode ? "± " : "+- ");
        digits_append_pct(cell, status->error);
    } else {
        text_append(cell, "?");
    }
}

static void append_row(struct text *text, const struct model_watch_status *status,
                       bool unicode)
{
    struct text name = {0};
    struct text result = {0};
    struct text error = {0};
    char started[DAY_MOMENT_BYTES];
    char next[DAY_MOMENT_BYTES] = "-";
    bool stable = status->state == MODEL_WATCH_STABLE;
    display_append_name(&name, status->watch.name, NAME_COLUMNS, unicode);
    day_local(status->started_utc_ms, started);
    report_watch_value(&result, status, stable ? status->result : status->value,
                       unicode);
    append_error(&error, status, unicode);
    if (status->next_utc_ms >= 0) {
        day_local(status->next_utc_ms, next);
    }
    columns_append(text, columns,
                   "%" PRId64 "\t  %s\t  %s\t  %s\t  %" PRIu64 "\t  %" PRIu64
                   "\t  %s\t  %s\t  %s\n",
                   status->experiment, text_string(&name), started,
                   model_watch_state_name(status->state), status->points,
                   status->missed, text_string(&result), text_string(&error), next);
    display_drop(text, &name);
    display_drop(text, &result);
    display_drop(text, &error);
}

void report_watch_table(struct text *text, const struct model_watch_status *statuses,
                        size_t count, bool unicode)
{
    columns_append(
        text, columns,
        "id\t  name\t  started\t  state\t  points\t  missed\t  result\t  error\t  next due\n");
    for (size_t i = 0; i < count; i++) {
        append_row(text, &statuses[i], unicode);
    }
}

/* ---- One ---- */

/* "mean of time" */
static void append_what(struct text *text, const struct model_watch_status *status,
                        bool unicode)
{
    append_statistic(text, status->watch.statistic);
    text_append(text, " of ");
    display_append_clean(text, status->watch.metric, unicode);
}

static void append_stable(struct text *text, const struct model_watch_status *status,
                          bool unicode)
{
    text_append(text, "  result     ");
    report_watch_value(text, status, status->result, unicode);
    text_append(text, ", off by less than ");
    digits_append_level(text, status->watch.error);
    text_append(text, " with ");
    digits_append_level(text, status->watch.confidence);
    text_append_format(text, " confidence, by the rule %s\n", status->watch.rule);
    text_append_format(text,
                       "             of the first %" PRIu64
                       " executions, stopped after %" PRIu64,
                       status->result_points, status->stop_points);
    if (isfinite(status->stop_low) && isfinite(status->stop_high)) {
        text_append_format(text, "; the rule's interval: %+.2f %% to %+.2f %%",
                           100 * status->stop_low, 100 * status->stop_high);
    }
    text_append_char(text, '\n');
}

static void append_so_far(struct text *text, const struct model_watch_status *status,
                          bool unicode)
{
    text_append(text, "  so far     ");
    if (status->points == 0) {
        text_append(text, "nothing\n");
        return;
    }
    report_watch_value(text, status, status->value, unicode);
    if (isfinite(status->error)) {
        text_append(text, unicode ? " ± " : " +- ");
        digits_append_pct(text, status->error);
        text_append(text, "  [");
        report_watch_value(text, status, status->low, unicode);
        text_append(text, ", ");
        report_watch_value(text, status, status->high, unicode);
        text_append(text, "] with ");
        digits_append_level(text, status->watch.confidence);
        text_append(text, " confidence by a block bootstrap");
    }
    text_append_format(
        text, "\n             of %" PRIu64 " execution%s, %" PRIu64 " missed\n",
        status->points, status->points == 1 ? "" : "s", status->missed);
}

static void append_timetable(struct text *text, const struct model_watch_status *status)
{
    const struct model_watch *watch = &status->watch;
    text_append_format(text, "  timetable  %.6g executions an hour", watch->per_hour);
    if (watch->batch_size > 1) {
        text_append_format(text, ", %" PRIu64 " at a time", watch->batch_size);
    }
    text_append_format(text, ", %.6g in an interval of ", status->interval_points);
    if (watch->every_ns < briefly_ns) {
        text_append_format(text, "%.3g s", (double)watch->every_ns / 1e9);
    } else {
        digits_append_duration(text, watch->every_ns);
    }
    text_append_char(text, '\n');
}

void report_watch_one(struct text *text, const struct model_watch_status *status,
                      bool unicode)
{
    char moment[DAY_MOMENT_BYTES];
    display_append_clean(text, status->watch.name, unicode);
    text_append_format(text, ": %s (experiment %" PRId64 ")\n",
                       model_watch_state_name(status->state), status->experiment);
    if (strcmp(status->watch.name, status->command) != 0) {
        text_append(text, "  command    ");
        display_append_clean(text, status->command, unicode);
        text_append_char(text, '\n');
    }
    text_append(text, "  measured   ");
    append_what(text, status, unicode);
    text_append_char(text, '\n');
    if (status->state == MODEL_WATCH_STABLE) {
        append_stable(text, status, unicode);
    }
    append_so_far(text, status, unicode);
    append_timetable(text, status);
    if (status->state == MODEL_WATCH_UNSTABLE) {
        text_append_format(text,
                           "  not known  the rule %s has not stopped within %" PRIu64
                           " interval%s\n",
                           status->watch.rule, status->watch.intervals_max,
                           status->watch.intervals_max == 1 ? "" : "s");
    }
    if (status->next_utc_ms >= 0) {
        day_local(status->next_utc_ms, moment);
        text_append_format(text, "  next       %s\n", moment);
    }
    if (status->release_due) {
        text_append(text, "  open       what --provision has made was not released\n");
    }
    if (status->message != NULL) {
        text_append(text, "  ended by   ");
        display_append_clean(text, status->message, unicode);
        text_append_char(text, '\n');
    }
}

/* ---- JSON ---- */

static void utc_field(struct json_fields *fields, const char *key, int64_t utc_ms)
{
    char moment[DAY_MOMENT_BYTES];
    day_utc(utc_ms, moment);
    json_fields_string(fields, key, utc_ms >= 0 ? moment : "");
}

static json_t *settings_object(const struct model_watch *watch)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "metric", watch->metric);
    json_fields_string(&fields, "unit", watch->unit);
    json_fields_string(&fields, "pattern", watch->pattern);
    json_fields_string(&fields, "statistic", watch->statistic);
    json_fields_string(&fields, "rule", watch->rule);
    json_fields_real(&fields, "error", watch->error);
    json_fields_real(&fields, "confidence", watch->confidence);
    json_fields_real(&fields, "every_s", (double)watch->every_ns / 1e9);
    json_fields_real(&fields, "executions_per_hour", watch->per_hour);
    json_fields_uint(&fields, "batch", watch->batch_size);
    json_fields_known_int(&fields, "max_intervals",
                          watch->intervals_max > 0 ? (int64_t)watch->intervals_max
                                                   : -1);
    json_fields_string(&fields, "provision", watch->provision);
    json_fields_string(&fields, "release", watch->release);
    json_fields_string(&fields, "folder", watch->folder);
    return json_fields_end(&fields);
}

static json_t *estimate_object(const struct model_watch_status *status)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "value", status->value);
    json_fields_real(&fields, "low", status->low);
    json_fields_real(&fields, "high", status->high);
    json_fields_real(&fields, "error", status->error);
    return json_fields_end(&fields);
}

static json_t *result_object(const struct model_watch_status *status)
{
    if (status->state != MODEL_WATCH_STABLE) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "value", status->result);
    json_fields_uint(&fields, "of_points", status->result_points);
    json_fields_uint(&fields, "stopped_after", status->stop_points);
    json_fields_real(&fields, "low_ratio", status->stop_low);
    json_fields_real(&fields, "high_ratio", status->stop_high);
    return json_fields_end(&fields);
}

static json_t *watch_object(const struct model_watch_status *status)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", status->watch.name);
    json_fields_int(&fields, "experiment", status->experiment);
    json_fields_string(&fields, "command", status->command);
    json_fields_string(&fields, "state", model_watch_state_name(status->state));
    json_fields_take(&fields, "finished",
                     json_boolean(status->state == MODEL_WATCH_STABLE ||
                                  status->state == MODEL_WATCH_UNSTABLE));
    json_fields_known_int(&fields, "pid", status->pid > 0 ? status->pid : -1);
    json_fields_string(&fields, "message", status->message);
    utc_field(&fields, "started", status->started_utc_ms);
    utc_field(&fields, "next_due", status->next_utc_ms);
    json_fields_uint(&fields, "points", status->points);
    json_fields_uint(&fields, "missed", status->missed);
    json_fields_real(&fields, "points_per_interval", status->interval_points);
    json_fields_take(&fields, "release_due", json_boolean(status->release_due));
    json_fields_take(&fields, "estimate", estimate_object(status));
    json_fields_take(&fields, "result", result_object(status));
    json_fields_take(&fields, "settings", settings_object(&status->watch));
    return json_fields_end(&fields);
}

json_t *report_watch_json(const struct model_watch_status *statuses, size_t count)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_t *list = json_fields_list(&fields, "watches");
    for (size_t i = 0; i < count; i++) {
        json_fields_add(&fields, list, watch_object(&statuses[i]));
    }
    return json_fields_end(&fields);
}
