/* One benchmark of the page: what is said of it, its pictures, tables and settings. */
#include "report/html/html_page.h"

#include "report/advice_words.h"
#include "report/analysis_words.h"
#include "report/ci/ci_names.h"
#include "report/ci/ci_words.h"
#include "report/estimate_words.h"
#include "report/gate_words.h"
#include "report/html/html_data.h"
#include "report/html/html_facts.h"
#include "report/html/html_parts.h"
#include "report/pairing_gain.h"
#include "report/plot/course_panels.h"
#include "report/words.h"
#include "report/xml_text.h"

#include <inttypes.h>
#include <math.h>

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
    text->failed = text->failed || text_failed(take_body);
    text_release(take_body);
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
    text->failed = text->failed || text_failed(&sentence);
    text_release(&sentence);
    text_append(text, ".</p>\n");
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
    html_facts_append(text, comparison, facts);
    text_append(text, "</details>\n");
}
