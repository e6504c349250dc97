/* Shows what it is given and computes nothing: the terminal's table, Markdown, CSV and
 * JSON. All of them append to a text or write to a stream that the caller opened. */
#ifndef DUET_REPORT_REPORT_H
#define DUET_REPORT_REPORT_H

#include "base/error.h"
#include "base/text.h"
#include "model/comparison.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct report_style {
    bool color;     /* ANSI: red worse, green better, yellow unsure, dim otherwise */
    bool unicode;   /* ± and × rather than +- and x */
    int verbosity;  /* 0 quiet: one line; 1; 2: widths, positions, seed as well */
    double unit_ns; /* of times: 1, 1e3, 1e6, 1e9; 0: chosen by size */
    size_t width;   /* columns of the terminal; 0: unlimited */
};

/* The table of interface.md ("What a comparison prints"): one line a benchmark, a
 * geometric mean row for several (`geomean`, NULL: none), then what pairing gained and
 * the warnings. `names[side]` per comparison name the two sides. */
void report_terminal(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct model_comparison *geomean,
                     const struct report_style *style);

void report_markdown(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct report_style *style);

/* One comparison a row, header first; RFC 4180. */
void report_csv(struct text *text, const struct model_comparison *comparisons,
                size_t count);

/* A time with its unit ("12.34 ms"), 4 significant digits; unit_ns as in the style. */
void report_time(struct text *text, double ns, double unit_ns);

/* JSON, version 1 (docs/schema/duet-1.schema.json). NaN becomes null. Each returns a
 * new reference, NULL when memory is short. */
struct report_context {
    const struct model_host *host;
    const struct model_host_load *load_before;
    const struct model_host_load *load_after;
    const char *date_utc; /* ISO 8601 */
    const char *duet_version;
    uint64_t seed;
};
json_t *report_json_context(const struct report_context *context);
json_t *report_json_comparison(const struct model_comparison *comparison);
/* hyperfine's shape, seconds. times, user, system in iteration order, all runs. */
json_t *report_json_result(const char *command, const struct model_summary *summary,
                           const double *times_ns, const int *exit_codes, size_t count);

/* experiments[]: one object, grown run by run. */
struct report_json_run {
    const struct model_run *run;
    const struct model_iteration *iterations[MODEL_SIDES];
    size_t counts[MODEL_SIDES];
};
json_t *report_json_experiment(const char *name, enum model_schedule schedule,
                               const char *const commands[MODEL_SIDES]);
/* 0, or -1 when memory is short. */
int report_json_experiment_add(json_t *experiment, const struct report_json_run *run);

/* {"schema_version": 1, "context", "results", "experiments", "comparisons"}; steals the
 * references of its arguments. */
json_t *report_json_document(json_t *context, json_t *results, json_t *experiments,
                             json_t *comparisons);

#endif
