#include "report/html/html_data.h"

#include "base/alloc.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/html/html_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = 200, STARTS_MOST = 1000, STEPS = 65535 };

/* ---- Tables ---- */

/* These are most of a large page: end tags that HTML does not need are left out. */

static void append_caption(struct text *text, const char *what, size_t step)
{
    struct text caption = {0};
    text_append_format(&caption, "Table: %s", what);
    if (step > 1) {
        text_append_format(&caption, ", one of %zu", step);
    }
    html_table_begin(text, text_string(&caption));
    display_drop(text, &caption);
}

static void append_number(struct text *text, double value, int digits)
{
    text_append(text, "<td>");
    if (isfinite(value)) {
        text_append_format(text, "%.*g", digits, value);
    }
}

static void append_decimals(struct text *text, double value, int decimals)
{
    text_append(text, "<td>");
    if (isfinite(value)) {
        text_append_format(text, "%.*f", decimals, value);
    }
}

static void append_change(struct text *text, double ratio)
{
    text_append(text, "<td>");
    if (isfinite(ratio)) {
        digits_append_change(text, ratio, 2);
    }
}

static void append_runs(struct text *text, const struct course *course)
{
    static const char *const head[] = {"Run",
                                       "Old [ms]",
                                       "New [ms]",
                                       "Change [%]",
                                       "Old lost [%]",
                                       "New lost [%]",
                                       "Others, old's CPU [%]",
                                       "Others, new's CPU [%]"};
    const struct model_trace *trace = course->trace;
    size_t step = course_step(trace->run_count, ROWS_MOST);
    append_caption(text, "typical times, change and losses by run", step);
    html_table_head(text, head, sizeof head / sizeof head[0]);
    for (size_t i = 0; i < trace->run_count; i += step) {
        const struct model_trace_run *run = &trace->runs[i];
        text_append_format(text, "<tr><td>%" PRIu64, run->run + 1);
        append_number(text, run->typical_ns[MODEL_OLD] / 1e6, 6);
        append_number(text, run->typical_ns[MODEL_NEW] / 1e6, 6);
        append_change(text, run->ratio);
        append_decimals(text, 100 * run->taken_ratio[MODEL_OLD], 2);
        append_decimals(text, 100 * run->taken_ratio[MODEL_NEW], 2);
        append_decimals(text, 100 * run->others_ratio[MODEL_OLD], 2);
        append_decimals(text, 100 * run->others_ratio[MODEL_NEW], 2);
        text_append_char(text, '\n');
    }
    html_table_end(text);
}

static void append_quantiles(struct text *text, const struct course *course)
{
    static const char *const paired_rows[] = {"Pairs as measured", "Shuffled"};
    static const char *const side_rows[] = {"Old [ms]", "New [ms]"};
    static const char *const head[] = {"", "5 %", "25 %", "Median", "75 %", "95 %"};
    const struct model_trace *trace = course->trace;
    append_caption(
        text, trace->paired ? "quantiles of the ratios" : "quantiles of the times", 1);
    text_append(text, "<thead><tr><td></td>");
    for (size_t i = 1; i < sizeof head / sizeof head[0]; i++) {
        text_append_format(text, "<th scope=\"col\">%s</th>", head[i]);
    }
    text_append(text, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < MODEL_TRACE_DENSITIES; i++) {
        text_append_format(text, "<tr><th scope=\"row\">%s</th>",
                           trace->paired ? paired_rows[i] : side_rows[i]);
        for (int q = 0; q < MODEL_TRACE_QUANTILES; q++) {
            double value = trace->densities[i].quantiles[q];
            if (trace->paired) {
                append_decimals(text, value, 5);
            } else {
                append_number(text, value / 1e6, 6);
            }
        }
        text_append_char(text, '\n');
    }
    html_table_end(text);
}

static void append_looks(struct text *text, const struct course *course)
{
    static const char *const head[] = {"Block", "Runs", "Change [%]",
                                       "E-value: new is slower",
                                       "E-value: new is faster"};
    const struct model_trace *trace = course->trace;
    size_t step = course_step(trace->look_count, ROWS_MOST);
    append_caption(text, "change and e-values by block", step);
    html_table_head(text, head, sizeof head / sizeof head[0]);
    for (size_t i = 0; i < trace->look_count; i += step) {
        const struct model_trace_look *look = &trace->looks[i];
        text_append_format(text, "<tr><td>%zu<td>%u", i + 1, look->runs);
        append_change(text, look->ratio);
        append_number(text, look->slower, 4);
        append_number(text, look->faster, 4);
        text_append_char(text, '\n');
    }
    html_table_end(text);
}

static void refer(struct text *text, const char *title)
{
    text_append_format(text,
                       "<p class=\"muted\">Its numbers are in the table below "
                       "\"%s\".</p>\n",
                       title);
}

void html_data_table(struct text *text, enum course_panel panel,
                     const struct course *course)
{
    bool paired = course->trace->paired;
    switch (panel) {
    case COURSE_TIMES:
        append_runs(text, course);
        return;
    case COURSE_DISTRIBUTION:
        append_quantiles(text, course);
        return;
    case COURSE_BLOCKS:
        append_looks(text, course);
        return;
    case COURSE_RUNS:
    case COURSE_LOSSES:
        refer(text, course_panel_title(COURSE_TIMES, paired));
        return;
    case COURSE_EVIDENCE:
        refer(text, course_panel_title(COURSE_BLOCKS, paired));
        return;
    case COURSE_PANELS:
        return;
    }
}

/* ---- Series for the script ---- */

static void append_series(struct text *text, const char *name, const double *values,
                          size_t count)
{
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    unsigned char *bytes = alloc_array(count, 2);
    if (bytes == NULL) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    double step = high > low ? (high - low) / STEPS : 0;
    for (size_t i = 0; i < count; i++) {
        long number = step > 0 ? lround((values[i] - low) / step) : 0;
        bytes[2 * i] = (unsigned char)(number & 0xFF);
        bytes[2 * i + 1] = (unsigned char)(number >> 8);
    }
    text_append_format(text, " data-%s-low=\"%.12g\" data-%s-step=\"%.12g\" data-%s=\"",
                       name, count > 0 ? low : 0, name, step, name);
    html_base64(text, bytes, 2 * count);
    text_append_char(text, '"');
    free(bytes);
}

/* Whether the runs are numbered one by one: none is left out. */
static bool is_gapless(const struct model_trace *trace)
{
    return trace->run_count > 0 &&
           trace->runs[trace->run_count - 1].run - trace->runs[0].run ==
               trace->run_count - 1;
}

/* Where the runs begin: the first kept iteration of the old side that is not of an
 * earlier one; and, where all of them are there, the first one's number. */
static void append_starts(struct text *text, const struct model_trace *trace)
{
    size_t step = course_step(trace->run_count, STARTS_MOST);
    text_append(text, " data-runs=\"");
    for (size_t i = 0; i < trace->run_count; i += step) {
        uint64_t first = trace->runs[i].first[MODEL_OLD];
        text_append_format(text, "%s%" PRIu64, i > 0 ? "," : "",
                           first / trace->every + (first % trace->every != 0));
    }
    text_append_char(text, '"');
    if (step == 1 && is_gapless(trace)) {
        text_append_format(text, " data-run=\"%" PRIu64 "\"", trace->runs[0].run + 1);
    }
}

void html_data_series(struct text *text, const struct course *course)
{
    const struct model_trace *trace = course->trace;
    text_append_format(
        text, "<div class=\"tandem\" data-paired=\"%d\" data-every=\"%" PRIu64 "\"",
        trace->paired, trace->every);
    append_series(text, "a", trace->log_times[MODEL_OLD], trace->counts[MODEL_OLD]);
    append_series(text, "b",
                  trace->paired ? trace->log_ratios : trace->log_times[MODEL_NEW],
                  trace->counts[MODEL_NEW]);
    append_starts(text, trace);
    text_append(text, "></div>\n");
}
