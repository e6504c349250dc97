/* The page's head and overview. */
#include "report/html/html_page.h"

#include "report/ci/ci_names.h"
#include "report/ci/ci_words.h"
#include "report/geomean_words.h"
#include "report/html/html_parts.h"
#include "report/plot/plot_scale.h"
#include "report/plot/svg.h"
#include "report/words.h"
#include "report/xml_text.h"

#include <math.h>

/* Of the pictures in the table's last column. */
static const double forest_width = 180;
static const double forest_height = 22;
/* Wider intervals are cut off, so that the others can be told apart. */
static const double forest_most = 4;

static struct ci_report report_of(const struct html_page *page)
{
    return (struct ci_report){.comparisons = page->comparisons, .count = page->count};
}

size_t *html_page_order(const struct html_page *page)
{
    const struct ci_report report = report_of(page);
    return ci_order(&report);
}

/* One axis for all rows. */
static struct plot_ruler ruler_of(const struct html_page *page)
{
    struct plot_range range = {1, 1};
    struct plot_ruler ruler = {0};
    const struct plot_axis axis = {.scale = PLOT_LOG};
    for (size_t i = 0; i < page->count; i++) {
        const struct model_comparison *comparison = &page->comparisons[i];
        const double values[] = {comparison->ratio, comparison->interval.low,
                                 comparison->interval.high};
        for (size_t v = 0; v < 3; v++) {
            double kept = fmax(1 / forest_most, fmin(values[v], forest_most));
            plot_range_add(&range, PLOT_LOG, isfinite(values[v]) ? kept : 1);
        }
    }
    plot_ruler_set(&ruler, &axis, &range, false);
    ruler.from = 6;
    ruler.to = forest_width - 6;
    return ruler;
}

static void forest_open(struct text *text, const char *css)
{
    text_append_format(text,
                       "<svg class=\"duet-plot %s\" width=\"%g\" height=\"%g\" "
                       "viewBox=\"0 0 %g %g\" aria-hidden=\"true\">",
                       css, forest_width, forest_height, forest_width, forest_height);
}

static void append_axis(struct text *text, const struct plot_ruler *ruler)
{
    struct plot_tick ticks[PLOT_TICKS_MAX];
    size_t count = plot_ticks(ruler, 3, ticks);
    forest_open(text, "axis");
    for (size_t i = 0; i < count; i++) {
        double place = plot_ruler_place(ruler, ticks[i].value);
        if (ticks[i].label[0] != '\0' && place > 12 && place < forest_width - 12) {
            svg_text(text, "s c", place, 12, 0, ticks[i].label);
            svg_line(text, "a", place, 16, place, forest_height);
        }
    }
    text_append(text, "</svg>");
}

/* Interval and estimate; an end that is not known runs to the edge. */
static void append_forest(struct text *text, const struct plot_ruler *ruler,
                          const struct model_comparison *comparison)
{
    static const char *const colors[MODEL_VERDICTS] = {
        [MODEL_VERDICT_SLOWER] = "1",    [MODEL_VERDICT_FASTER] = "0",
        [MODEL_VERDICT_SAME] = "6",      [MODEL_VERDICT_UNSURE] = "6",
        [MODEL_VERDICT_IDENTICAL] = "6", [MODEL_VERDICT_FAILED] = "6"};
    const char *color = colors[comparison->verdict];
    double middle = forest_height / 2;
    double low = plot_ruler_place(ruler, comparison->interval.low);
    double high = plot_ruler_place(ruler, comparison->interval.high);
    double one = plot_ruler_place(ruler, 1);
    char css[16] = {'l', color[0], ' ', 'p', '\0'};
    forest_open(text, "forest");
    svg_line(text, "r", one, 0, one, forest_height);
    if (words_has_interval(comparison)) {
        const char line[] = {'l', color[0], '\0'};
        svg_line(text, line, isfinite(low) ? fmax(low, 0) : 0, middle,
                 isfinite(high) ? fmin(high, forest_width) : forest_width, middle);
    }
    if (isfinite(comparison->ratio)) {
        svg_path_begin(text, css);
        svg_path_mark(
            text, false,
            fmax(3, fmin(plot_ruler_place(ruler, comparison->ratio), forest_width - 3)),
            middle);
        svg_path_end(text);
    }
    text_append(text, "</svg>");
}

static void append_time_cell(struct text *text,
                             const struct model_comparison *comparison, int side)
{
    double unit_ns = words_unit_ns(comparison, 1, 0);
    text_append(text, "<td class=\"wide number\"");
    if (isfinite(comparison->sides[side].mean_ns)) {
        text_append_format(text, " data-key=\"%.17g\"",
                           comparison->sides[side].mean_ns);
    }
    text_append_char(text, '>');
    if (model_comparison_is_measured(comparison)) {
        words_append_mean(text, &comparison->sides[side], unit_ns, true,
                          WORDS_MEAN_ONCE);
    }
    text_append(text, "</td>");
}

static void append_row(struct text *text, const struct html_page *page, size_t index,
                       size_t rank, const struct plot_ruler *ruler)
{
    const struct model_comparison *comparison = &page->comparisons[index];
    text_append_format(text, "<tr><th scope=\"row\"><a href=\"#b%zu\">", index + 1);
    xml_append_line(text, ci_name_of(comparison));
    text_append_format(text, "</a></th><td data-key=\"%zu\">", rank);
    html_verdict(text, comparison->verdict);
    text_append(text, "</td><td class=\"number\"");
    if (isfinite(comparison->ratio)) {
        text_append_format(text, " data-key=\"%.17g\"", comparison->ratio);
    }
    text_append(text, "><strong>");
    words_append_change(text, comparison, true, true);
    text_append(text, "</strong> <span class=\"interval\">");
    words_append_interval(text, comparison, true);
    text_append(text, "</span></td>");
    append_time_cell(text, comparison, MODEL_OLD);
    append_time_cell(text, comparison, MODEL_NEW);
    text_append(text, "<td>");
    append_forest(text, ruler, comparison);
    text_append(text, "</td></tr>\n");
}

static void append_geomean(struct text *text, const struct html_page *page)
{
    struct model_comparison row;
    if (page->geomean == NULL) {
        return;
    }
    geomean_words_row(page->geomean, &row);
    text_append(text, "<p>Geometric mean of the changes: <strong>");
    words_append_change(text, &row, true, true);
    text_append(text, "</strong>");
    if (words_has_interval(&row)) {
        text_append_char(text, ' ');
        words_append_interval(text, &row, true);
    }
    text_append(text, ".</p>\n");
}

static void append_overview(struct text *text, const struct html_page *page,
                            const size_t *order)
{
    const struct plot_ruler ruler = ruler_of(page);
    text_append(text, "<section>\n<h2 id=\"overview\">Overview</h2>\n"
                      "<div class=\"scroll\" role=\"region\" "
                      "aria-labelledby=\"overview\" tabindex=\"0\">\n"
                      "<table id=\"changes\"><caption>The worst first. Change: of new "
                      "against old, with its interval; above 0 new is slower. "
                      "Times: mean ± standard deviation.</caption>\n"
                      "<thead><tr><th scope=\"col\">Benchmark</th>"
                      "<th scope=\"col\" aria-sort=\"ascending\">Verdict</th>"
                      "<th scope=\"col\">Change</th>"
                      "<th scope=\"col\" class=\"wide\">Old</th>"
                      "<th scope=\"col\" class=\"wide\">New</th>"
                      "<td>");
    append_axis(text, &ruler);
    text_append(text, "<span class=\"unseen\">Ratio new / old with its interval, as a "
                      "picture</span></td></tr></thead>\n<tbody>\n");
    for (size_t rank = 0; rank < page->count; rank++) {
        append_row(text, page, order[rank], rank, &ruler);
    }
    text_append(text, "</tbody></table></div>\n");
    append_geomean(text, page);
    text_append(text, "</section>\n");
}

void html_page_begin(struct text *text, const struct html_page *page,
                     const size_t *order)
{
    const struct ci_report report = report_of(page);
    const struct ci_counts counts = ci_count(&report);
    html_head(text, page->title);
    text_append(text, "<p class=\"outcome\">");
    ci_append_outcome(text, &counts);
    text_append_format(text,
                       ". <span class=\"muted\">%zu benchmark%s: ", counts.benchmarks,
                       counts.benchmarks == 1 ? "" : "s");
    ci_append_counts(text, &counts);
    text_append(text, ". ");
    html_time(text, page->started_utc_ms);
    text_append(text, "</span></p>\n");
    if (page->index != NULL) {
        text_append(text, "<nav aria-label=\"Site\"><a href=\"");
        xml_append_line(text, page->index);
        text_append(text, "\">All reports</a></nav>\n");
    }
    text_append(text, "</header>\n<main>\n");
    append_overview(text, page, order);
    text_append(
        text,
        "<section>\n<h2 id=\"benchmarks\">Benchmarks</h2>\n<p id=\"tools\"></p>\n");
}

void html_page_end(struct text *text)
{
    text_append(text, "</section>\n</main>\n");
    html_tail(text);
}
