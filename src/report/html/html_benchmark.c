/* One benchmark of the page: what is said of it, its pictures, tables and settings. */
#include "report/html/html_page.h"

#include "report/advice_words.h"
#include "report/analysis_words.h"
#include "report/ci/ci_names.h"
#include "report/ci/ci_words.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/estimate_words.h"
#include "report/gate_words.h"
#include "report/html/html_data.h"
#include "report/html/html_parts.h"
#include "report/pairing_gain.h"
#include "report/plot/course_panels.h"
#include "report/words.h"
#include "report/xml_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double chart_width = 400;
static const double chart_height = 220;
/* Points of a series in a picture; the script shows all. */
enum { POINTS_MOST = 150 };

static const struct report_style page_style = {.unicode = true, .verbosity = 2};

/* "<li><b>lead</b> body</li>": takes over the body, which may be empty. */
static void take_item(struct text *text, const char *lead, struct text *take_body)
{
    if (take_body->length > 0) {
        text_append_format(text, "<li><b>%s:</b> ", lead);
        xml_append_line(text, text_string(take_body));
        text_append(text, "</li>\n");
    }
    display_drop(text, take_body);
    *take_body = (struct text){.bytes = NULL};
}

static void append_said(struct text *text, const struct model_comparison *comparison)
{
    struct text line = {0};
    gate_words_append(&line, comparison, true);
    take_item(text, "Gate", &line);
    estimate_words_append(&line, comparison);
    take_item(text, "Compared", &line);
    words_append_method(&line, comparison, words_least_coverage(comparison, 1, true));
    take_item(text, "Method", &line);
    estimate_words_append_mean(&line, comparison, &page_style);
    take_item(text, "Mean", &line);
    pairing_gain_append(&line, comparison, 1);
    take_item(text, "Pairing", &line);
    advice_words_append_limit(&line, comparison);
    take_item(text, "Limited by", &line);
    if (comparison->advice.limit != MODEL_LIMIT_NONE) {
        advice_words_append_try(&line, comparison);
        take_item(text, "Try", &line);
    }
    analysis_words_append_statistic(&line, &comparison->statistic, &page_style);
    take_item(text, "Statistic", &line);
    analysis_words_append_dropped(&line, comparison);
    take_item(text, "Left out", &line);
    analysis_words_append_overrides(&line, comparison);
    take_item(text, "Analysed", &line);
    for (size_t i = 0; i < comparison->warning_count; i++) {
        text_append(&line, comparison->warnings[i].text);
        take_item(text, words_warning_name(comparison->warnings[i].kind), &line);
    }
}

static void append_chart(struct text *text, enum course_panel panel,
                         const struct course *course)
{
    struct sketch sketch = {.blocks = NULL};
    bool paired = course->trace->paired;
    const struct plot_figure figure = {.title = course_panel_title(panel, paired),
                                       .description =
                                           course_panel_description(panel, paired),
                                       .width = chart_width,
                                       .panel_height = chart_height,
                                       .bare = true};
    text_append(text, "<figure>\n");
    course_panel_add(&sketch, panel, course, false);
    sketch_append(&sketch, text, &figure);
    text_append_format(text, "<figcaption>%s</figcaption>\n",
                       course_panel_description(panel, paired));
    html_data_table(text, panel, course);
    text_append(text, "</figure>\n");
}

static void append_charts(struct text *text, const struct course *course)
{
    text_append(text, "<div class=\"charts\">\n");
    for (int panel = 0; panel < COURSE_PANELS; panel++) {
        if (course_panel_has((enum course_panel)panel, course)) {
            append_chart(text, (enum course_panel)panel, course);
        }
    }
    text_append(text, "</div>\n");
}

static void append_summary(struct text *text, const struct model_comparison *comparison,
                           size_t index, bool open)
{
    text_append_format(text,
                       "<details class=\"benchmark\" id=\"b%zu\"%s>\n<summary><h3>",
                       index + 1, open ? " open" : "");
    xml_append_line(text, ci_name_of(comparison));
    text_append(text, "</h3> ");
    html_verdict(text, comparison->verdict);
    text_append(text, " <span class=\"number\">");
    words_append_change(text, comparison, true, true);
    text_append_char(text, ' ');
    words_append_interval(text, comparison, true);
    text_append(text, "</span></summary>\n<p>");
    struct text sentence = {0};
    ci_append_sentence(&sentence, comparison);
    xml_append_line(text, text_string(&sentence));
    display_drop(text, &sentence);
    text_append(text, ".</p>\n");
}

static void begin_row(struct text *text, const char *name)
{
    text_append_format(text, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void end_row(struct text *text)
{
    text_append(text, "</td></tr>\n");
}

/* value: of foreign origin; "" or NULL: not known. */
static void row(struct text *text, const char *name, const char *value)
{
    if (value != NULL && *value != '\0') {
        begin_row(text, name);
        xml_append_line(text, value);
        end_row(text);
    }
}

static void row_code(struct text *text, const char *name, const char *value)
{
    if (value != NULL && *value != '\0') {
        begin_row(text, name);
        text_append(text, "<code>");
        xml_append_line(text, value);
        text_append(text, "</code>");
        end_row(text);
    }
}

static void row_format(struct text *text, const char *name, bool known,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
static void row_format(struct text *text, const char *name, bool known,
                       const char *format, ...)
{
    va_list arguments;
    if (!known) {
        return;
    }
    begin_row(text, name);
    va_start(arguments, format);
    text_append_list(text, format, arguments);
    va_end(arguments);
    end_row(text);
}

static void append_host(struct text *text, const struct html_facts *facts)
{
    const struct model_host *host = facts->host;
    const struct model_host_load *load = facts->load_before;
    if (host == NULL || host->host_name[0] == '\0') {
        return;
    }
    row(text, "Host", host->host_name);
    row(text, "CPU", host->cpu_model);
    row_format(text, "CPUs", host->num_cpus > 0, "%d (%d core%s, %d thread%s each)",
               host->num_cpus, host->num_cores, host->num_cores == 1 ? "" : "s",
               host->smt, host->smt == 1 ? "" : "s");
    row_format(text, "CPU quota", isfinite(host->cpu_quota), "%.3g CPUs",
               host->cpu_quota);
    row_format(text, "Memory", isfinite(host->memory_bytes), "%.1f GiB",
               host->memory_bytes / (1024.0 * 1024 * 1024));
    row(text, "System", host->os);
    row(text, "Kernel", host->kernel);
    row(text, "Architecture", host->arch);
    row(text, "Hypervisor", host->hypervisor);
    row(text, "Clock", host->clock_source);
    row(text, "Governor", host->governor);
    row_format(text, "Turbo", host->turbo >= 0, "%s", host->turbo > 0 ? "on" : "off");
    if (load != NULL) {
        row_format(text, "Load before", load->load_avg[0] >= 0,
                   "%.2f (1 min), %.2f (5 min), %.2f (15 min)", load->load_avg[0],
                   load->load_avg[1], load->load_avg[2]);
    }
    row_format(text, "Steal", isfinite(facts->steal_pct), "%.2f %%", facts->steal_pct);
}

static void append_settings(struct text *text,
                            const struct model_comparison *comparison,
                            const struct html_facts *facts)
{
    struct text line = {0};
    for (int side = 0; side < MODEL_SIDES; side++) {
        enum model_side which = (enum model_side)side;
        row_code(text, side == MODEL_OLD ? "Old" : "New",
                 model_comparison_command(comparison, which));
        if (strcmp(comparison->side_names[side],
                   model_comparison_command(comparison, which)) != 0) {
            row(text, side == MODEL_OLD ? "Old is called" : "New is called",
                comparison->side_names[side]);
        }
    }
    if (model_comparison_is_measured(comparison)) {
        row(text, "Schedule", words_schedule(comparison));
        words_append_runs(&line, comparison);
        row(text, "Measured", text_string(&line));
        display_drop(text, &line);
    }
    row_format(text, "Seed", facts->experiment > 0, "%" PRIu64, facts->seed);
    if (facts->started_utc_ms != 0) {
        begin_row(text, "Started");
        html_time(text, facts->started_utc_ms);
        end_row(text);
    }
    row(text, "duet", facts->duet_version);
    row_format(text, "Experiment", facts->experiment > 0, "%" PRId64,
               facts->experiment);
    row_code(text, "UUID", facts->uuid);
}

/* What is not known has no row. */
static void append_facts(struct text *text, const struct model_comparison *comparison,
                         const struct html_facts *facts)
{
    html_table_begin(text, "Host and settings");
    text_append(text, "<tbody>\n");
    append_settings(text, comparison, facts);
    append_host(text, facts);
    html_table_end(text);
}

void html_page_benchmark(struct text *text, const struct html_page *page, size_t index,
                         const struct model_trace *trace,
                         const struct html_facts *facts)
{
    const struct model_comparison *comparison = &page->comparisons[index];
    const struct course course = {.comparison = comparison,
                                  .trace = trace,
                                  .steal_pct = facts->steal_pct,
                                  .points_most = POINTS_MOST};
    append_summary(text, comparison, index, page->count == 1);
    if (page->index != NULL && facts->history > 0) {
        text_append(text, "<p><a href=\"");
        xml_append_line(text, page->index);
        text_append_format(text, "#h%zu\">All measurements of this benchmark</a></p>\n",
                           facts->history);
    }
    if (model_comparison_is_measured(comparison)) {
        text_append(text, "<ul>\n");
        append_said(text, comparison);
        text_append(text, "</ul>\n");
        html_data_series(text, &course);
        append_charts(text, &course);
    }
    append_facts(text, comparison, facts);
    text_append(text, "</details>\n");
}
