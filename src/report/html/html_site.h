/* The index of a folder of report pages: what was measured, newest first, and each
 * benchmark's changes over time. */
#ifndef DUET_REPORT_HTML_HTML_SITE_H
#define DUET_REPORT_HTML_HTML_SITE_H

#include "base/text.h"
#include "model/comparison.h"

#include <stdbool.h>
#include <stdint.h>

/* One measurement of a benchmark. */
struct html_site_entry {
    const char *name; /* of the benchmark, of foreign origin */
    size_t history;   /* its number, from 1 */
    size_t report;    /* which of the reports it is on ... */
    size_t anchor;    /* ... and its number there, from 1 */
    int64_t started_utc_ms;
    double ratio; /* NaN: it failed */
    double low;   /* NaN: unbounded or unknown */
    double high;
    enum model_verdict verdict;
    bool beside; /* a control or a confirmation, which is no benchmark of its own */
};

/* entries: in the order of the reports, the newest first. */
struct html_site {
    const char *title;
    const char *const *hrefs; /* of the reports */
    size_t report_count;
    const struct html_site_entry *entries;
    size_t entry_count;
    size_t history_count;
};

void html_site(struct text *text, const struct html_site *site);

#endif
