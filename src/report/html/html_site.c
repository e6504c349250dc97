#include "report/html/html_site.h"

#include "report/ci/ci_words.h"
#include "report/digits.h"
#include "report/html/html_parts.h"
#include "report/plot/sketch.h"
#include "report/xml_text.h"

#include <inttypes.h>
#include <math.h>

enum { NAMES_MOST = 4, POINTS_MOST = 200 };

static void append_change(struct text *text, const struct html_site_entry *entry)
{
    int decimals = digits_decimals((entry->high - entry->low) * 50, 2);
    if (!isfinite(entry->ratio)) {
        return;
    }
    digits_append_estimate(text, entry->ratio, decimals);
    text_append(text, " %");
    if (isfinite(entry->low) && isfinite(entry->high)) {
        text_append(text, " <span class=\"interval\">[");
        digits_append_change(text, entry->low, decimals);
        text_append(text, " %, ");
        digits_append_change(text, entry->high, decimals);
        text_append(text, " %]</span>");
    }
}

/* The entries of a report stand side by side: from `first` on. */
static size_t count_of_report(const struct html_site *site, size_t first)
{
    size_t count = 0;
    while (first + count < site->entry_count &&
           site->entries[first + count].report == site->entries[first].report) {
        count++;
    }
    return count;
}

static void append_report(struct text *text, const struct html_site *site, size_t first,
                          size_t count)
{
    const struct html_site_entry *entries = &site->entries[first];
    struct ci_counts counts = {.benchmarks = 0};
    for (size_t i = 0; i < count; i++) {
        counts.verdicts[entries[i].verdict] += !entries[i].beside;
        counts.benchmarks += !entries[i].beside;
    }
    text_append(text, "<tr><th scope=\"row\"><a href=\"");
    xml_append_line(text, site->hrefs[entries[0].report]);
    text_append(text, "\">");
    html_time(text, entries[0].started_utc_ms);
    text_append_format(text, "</a></th><td>%zu</td><td>", counts.benchmarks);
    ci_append_counts(text, &counts);
    text_append(text, "</td><td>");
    for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
        text_append(text, i > 0 ? ", " : "");
        xml_append_line(text, entries[i].name);
    }
    if (count > NAMES_MOST) {
        text_append_format(text, " and %zu more", count - NAMES_MOST);
    }
    text_append(text, "</td></tr>\n");
}

static void append_reports(struct text *text, const struct html_site *site)
{
    static const char *const head[] = {"Measured", "Benchmarks", "Verdicts", "Names"};
    text_append(text, "<section>\n<h2 id=\"reports\">Reports</h2>\n"
                      "<div class=\"scroll\" role=\"region\" "
                      "aria-labelledby=\"reports\" tabindex=\"0\"><table>"
                      "<caption>The newest first.</caption>\n");
    html_table_head(text, head, sizeof head / sizeof head[0]);
    for (size_t first = 0; first < site->entry_count;) {
        size_t count = count_of_report(site, first);
        append_report(text, site, first, count);
        first += count;
    }
    text_append(text, "</tbody></table></div>\n</section>\n");
}

/* The oldest on the left. */
static void append_picture(struct text *text, const struct html_site *site,
                           size_t history, size_t count)
{
    struct sketch sketch = {.blocks = NULL};
    size_t shown = count < POINTS_MOST ? count : POINTS_MOST;
    double *places = sketch_take(&sketch, shown, sizeof *places);
    double *changes = sketch_take(&sketch, shown, sizeof *changes);
    double *lows = sketch_take(&sketch, shown, sizeof *lows);
    double *highs = sketch_take(&sketch, shown, sizeof *highs);
    size_t at = shown;
    for (size_t i = 0; !sketch.failed && i < site->entry_count && at > 0; i++) {
        const struct html_site_entry *entry = &site->entries[i];
        if (entry->history == history) {
            at--;
            places[at] = (double)(count - shown + at + 1);
            changes[at] = (entry->ratio - 1) * 100;
            lows[at] = (entry->low - 1) * 100;
            highs[at] = (entry->high - 1) * 100;
        }
    }
    const struct plot_series series = {.kind = PLOT_INTERVALS,
                                       .color = 2,
                                       .count = shown,
                                       .x = places,
                                       .y = changes,
                                       .low = lows,
                                       .high = highs};
    const struct plot_reference line = {.value = 0};
    const struct plot_panel panel = {.x = {.label = "measurement",
                                           .low = (double)(count - shown) + 0.5,
                                           .high = (double)count + 0.5},
                                     .y = {.label = "change", .unit = "%"},
                                     .series = &series,
                                     .series_count = 1,
                                     .references = &line,
                                     .reference_count = 1};
    const struct plot_figure figure = {
        .title = "Change by measurement",
        .description = "The change of new against old with its interval, the oldest "
                       "measurement on the left.",
        .width = 560,
        .panel_height = 240,
        .bare = true};
    sketch_panel(&sketch, &panel);
    sketch_append(&sketch, text, &figure);
}

static void append_row(struct text *text, const struct html_site *site,
                       const struct html_site_entry *entry)
{
    text_append(text, "<tr><th scope=\"row\"><a href=\"");
    xml_append_line(text, site->hrefs[entry->report]);
    text_append_format(text, "#b%zu\">", entry->anchor);
    html_time(text, entry->started_utc_ms);
    text_append(text, "</a></th><td>");
    html_verdict(text, entry->verdict);
    text_append(text, "</td><td class=\"number\">");
    append_change(text, entry);
    text_append(text, "</td></tr>\n");
}

static void append_history(struct text *text, const struct html_site *site,
                           size_t history)
{
    static const char *const head[] = {"Measured", "Verdict", "Change"};
    const struct html_site_entry *newest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < site->entry_count; i++) {
        if (site->entries[i].history == history) {
            newest = newest == NULL ? &site->entries[i] : newest;
            count++;
        }
    }
    if (newest == NULL) {
        return;
    }
    text_append_format(text, "<details class=\"benchmark\" id=\"h%zu\">\n<summary><h3>",
                       history);
    xml_append_line(text, newest->name);
    text_append(text, "</h3> ");
    html_verdict(text, newest->verdict);
    text_append_format(text,
                       " <span class=\"muted\">%zu measurement%s</span></summary>\n",
                       count, count == 1 ? "" : "s");
    append_picture(text, site, history, count);
    text_append(text, "<table>\n");
    html_table_head(text, head, sizeof head / sizeof head[0]);
    for (size_t i = 0; i < site->entry_count; i++) {
        if (site->entries[i].history == history) {
            append_row(text, site, &site->entries[i]);
        }
    }
    text_append(text, "</tbody></table>\n</details>\n");
}

void html_site(struct text *text, const struct html_site *site)
{
    html_head(text, site->title);
    text_append_format(
        text,
        "<p class=\"muted\">%zu report%s, %zu benchmark%s</p>\n</header>\n"
        "<main>\n",
        site->report_count, site->report_count == 1 ? "" : "s", site->history_count,
        site->history_count == 1 ? "" : "s");
    append_reports(text, site);
    text_append(text, "<section>\n<h2 id=\"benchmarks\">Benchmarks</h2>\n"
                      "<p id=\"tools\"></p>\n");
    for (size_t history = 1; history <= site->history_count; history++) {
        append_history(text, site, history);
    }
    text_append(text, "</section>\n</main>\n");
    html_tail(text);
}
