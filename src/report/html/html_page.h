/* The report page of a comparison or of several: one HTML file that needs nothing else.
 * Piece by piece, so that a caller may write out each before it asks for the next:
 * html_page_begin(), html_page_benchmark() for each in the page's order,
 * html_page_end(). Overview, pictures and tables need no script; it sorts the table and
 * shows the single measurements. docs/report-page.md describes it. */
#ifndef DUET_REPORT_HTML_HTML_PAGE_H
#define DUET_REPORT_HTML_HTML_PAGE_H

#include "base/text.h"
#include "model/comparison.h"
#include "model/geomean.h"
#include "model/host.h"
#include "model/trace.h"

#include <stdint.h>

/* All borrowed. */
struct html_page {
    const char *title;                          /* of foreign origin */
    const struct model_comparison *comparisons; /* their gates have been judged */
    size_t count;
    const struct model_geomean *geomean; /* NULL: none */
    int64_t started_utc_ms;              /* 0: unknown */
    const char *index; /* the site's page, a relative address; NULL: none */
};

/* Where and how one of them was measured. */
struct html_facts {
    const struct model_host *host; /* NULL: nothing is known of it */
    const struct model_host_load *load_before;
    double steal_pct;   /* NaN: unknown */
    int64_t experiment; /* 0: not stored */
    const char *uuid;
    int64_t started_utc_ms;
    uint64_t seed;
    const char *duet_version;
    size_t history; /* number of the benchmark in the site's index; 0: none */
};

/* The order in which the benchmarks stand on the page, the worst first; free() it.
 * NULL: no memory. */
size_t *html_page_order(const struct html_page *page);

/* order: html_page_order(). */
void html_page_begin(struct text *text, const struct html_page *page,
                     const size_t *order);

/* comparisons[index]; its trace is borrowed. O(kept iterations). */
void html_page_benchmark(struct text *text, const struct html_page *page, size_t index,
                         const struct model_trace *trace,
                         const struct html_facts *facts);

void html_page_end(struct text *text);

#endif
