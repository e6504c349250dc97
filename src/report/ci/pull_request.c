/* Markdown for a pull request: an overview, then everything folded; cut to fit. */
#include "base/alloc.h"
#include "report/ci/ci_names.h"
#include "report/ci/ci_report.h"
#include "report/ci/ci_words.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/gate_words.h"
#include "report/geomean_words.h"
#include "report/markdown_text.h"
#include "report/report.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 100 };

/* What is written: the report's comparisons, the worst first. */
struct page {
    const struct ci_report *report;
    struct ci_counts counts;
    struct model_comparison *sorted;
    size_t listed; /* of them that the overview lists: the first */
    size_t rows;   /* of those that are written */
    size_t detailed;
    size_t max_bytes;
};

static const struct report_style page_style = {.unicode = true, .verbosity = 1};

/* A comment of HTML ends at "--". */
static void append_marker(struct text *text, const char *name)
{
    char last = '-';
    text_append(text, "<!-- duet:");
    for (size_t i = 0; i < NAME_COLUMNS && name[i] != '\0'; i++) {
        char c = name[i];
        bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool plain = letter || c == '.' || c == '/' || (c == '-' && last != '-');
        last = (char)(plain ? c : '_');
        text_append_char(text, last);
    }
    text_append(text, " -->\n");
}

static void append_head(struct text *text, const struct page *page)
{
    struct text name = {0};
    append_marker(text, page->report->name);
    text_append(text, "### ");
    display_append_name(&name, page->report->name, NAME_COLUMNS, true);
    markdown_append_prose(text, text_string(&name), true);
    display_drop(text, &name);
    text_append(text, ": ");
    ci_append_outcome(text, &page->counts);
    text_append_char(text, '\n');
    if (page->counts.benchmarks > 1) {
        text_append_format(text, "\n%zu benchmarks: ", page->counts.benchmarks);
        ci_append_counts(text, &page->counts);
        text_append(text, ".\n");
    }
    if (page->report->geomean != NULL) {
        struct model_comparison row;
        geomean_words_row(page->report->geomean, &row);
        text_append(text, "Geometric mean of the changes: ");
        words_append_change(text, &row, true, true);
        if (words_has_interval(&row)) {
            text_append_char(text, ' ');
            words_append_interval(text, &row, true);
        }
        text_append(text, ".\n");
    }
}

static void append_row(struct text *text, const struct model_comparison *comparison)
{
    bool answered = ci_is_answered(comparison);
    double unit_ns = words_unit_ns(comparison, 1, 0);
    text_append(text, "| ");
    markdown_append_code_cell(text, ci_name_of(comparison), true);
    text_append(text, " | ");
    words_append_change(text, comparison, true, true);
    text_append(text, " | ");
    words_append_interval(text, comparison, true);
    text_append(text, answered ? " | " : " | **");
    words_append_verdict(text, comparison, false);
    text_append(text, answered ? " | " : "** | ");
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (answered) {
            words_append_mean(text, &comparison->sides[side], unit_ns, true,
                              WORDS_MEAN_ONCE);
        }
        text_append(text, side == MODEL_OLD ? " | " : " |\n");
    }
}

static void append_rows(struct text *text, const struct page *page)
{
    if (page->rows == 0) {
        return;
    }
    text_append(text, "\n| Benchmark | Change | Interval | Verdict | Old | New |\n"
                      "|:---|---:|:---|:---|---:|---:|\n");
    for (size_t i = 0; i < page->rows; i++) {
        append_row(text, &page->sorted[i]);
    }
}

/* Acceptances, confirmations and controls of any benchmark, listed or not. */
static void append_notable(struct text *text, const struct page *page)
{
    const char *before = "\n";
    for (size_t i = 0; i < page->rows || i < page->detailed; i++) {
        struct text line = {0};
        if (gate_words_notable(&page->sorted[i])) {
            gate_words_append(&line, &page->sorted[i], true);
            text_append_format(text, "%s- ", before);
            markdown_append_prose(text, text_string(&line), true);
            text_append_char(text, '\n');
            before = "";
        }
        display_drop(text, &line);
    }
}

static void append_details(struct text *text, const struct page *page)
{
    if (page->detailed == 0) {
        return;
    }
    text_append(text, "\n<details><summary>");
    if (page->detailed < page->report->count) {
        text_append_format(text, "The worst %zu of %zu benchmarks", page->detailed,
                           page->report->count);
    } else {
        text_append(text,
                    page->report->count == 1 ? "The benchmark" : "All benchmarks");
    }
    text_append(text, ", method and warnings</summary>\n\n");
    report_markdown(text, page->sorted, page->detailed, &page_style);
    if (page->report->geomean != NULL) {
        report_markdown_geomean(text, page->report->geomean, &page_style);
    }
    text_append(text, "\n</details>\n");
}

static void append_left_out(struct text *text, const struct page *page)
{
    size_t rows = page->listed - page->rows;
    size_t details = page->report->count - page->detailed;
    if (rows == 0 && details == 0) {
        return;
    }
    text_append_format(text,
                       "\nLeft out to stay below %zu characters: ", page->max_bytes);
    if (rows > 0) {
        text_append_format(text, "%zu row%s of the table, ", rows,
                           rows == 1 ? "" : "s");
    }
    text_append_format(
        text,
        "the details of %zu of %zu benchmarks. `--export-markdown` and `--export-json` write everything.\n",
        details, page->report->count);
}

static void append_page(struct text *text, const struct page *page)
{
    append_head(text, page);
    append_rows(text, page);
    append_notable(text, page);
    append_details(text, page);
    append_left_out(text, page);
}

static bool fits(const struct page *page, bool *ret_failed)
{
    struct text text = {0};
    append_page(&text, page);
    bool room = text.length < page->max_bytes;
    *ret_failed = *ret_failed || text_failed(&text);
    text_release(&text);
    return room;
}

/* The largest *part, at most what it is, with which the page fits; 0 always does. */
static void cut(const struct page *page, size_t *part, bool *ret_failed)
{
    size_t high = *part; /* maybe */
    size_t low = 0;
    while (low < high && !*ret_failed) {
        *part = *part == high && low == 0 ? high : low + (high - low + 1) / 2;
        if (fits(page, ret_failed)) {
            low = *part;
        } else {
            high = *part - 1;
        }
    }
    *part = low;
}

static bool is_same(const struct model_comparison *comparison)
{
    return comparison->verdict == MODEL_VERDICT_SAME ||
           comparison->verdict == MODEL_VERDICT_IDENTICAL;
}

/* How many of the sorted ones the overview lists: what differs, or a single one. */
static size_t listed_of(const struct page *page)
{
    size_t same = page->counts.verdicts[MODEL_VERDICT_SAME] +
                  page->counts.verdicts[MODEL_VERDICT_IDENTICAL];
    size_t count = page->report->count;
    size_t listed = 0;
    if (count == 1) {
        return 1;
    }
    /* A gate may fail what is the same: that stands in front. */
    while (listed < count &&
           !(is_same(&page->sorted[listed]) && count - listed <= same)) {
        listed++;
    }
    return listed;
}

void ci_append_comment(struct text *text, const struct ci_report *report,
                       size_t max_bytes)
{
    struct page page = {
        .report = report, .counts = ci_count(report), .max_bytes = max_bytes};
    size_t *order = ci_order(report);
    page.sorted = alloc_array(report->count, sizeof *page.sorted);
    bool failed = order == NULL || page.sorted == NULL;
    if (!failed) {
        for (size_t i = 0; i < report->count; i++) {
            page.sorted[i] = report->comparisons[order[i]];
        }
        page.listed = listed_of(&page);
        page.rows = page.listed;
        cut(&page, &page.rows, &failed);
        page.detailed = report->count;
        cut(&page, &page.detailed, &failed);
        append_page(text, &page);
    }
    text->failed = text->failed || failed;
    free(page.sorted);
    free(order);
}
