/* Shows what it is given and computes nothing: the terminal's table, Markdown, CSV and
 * JSON. Everything appends to a text (check text_failed() at the end) or returns a JSON
 * value. LC_NUMERIC must be "C", the program's start value. Names of foreign origin may
 * hold any bytes: control characters and ill-formed UTF-8 come out replaced. */
#ifndef DUET_REPORT_REPORT_H
#define DUET_REPORT_REPORT_H

#include "base/error.h"
#include "base/text.h"
#include "model/comparison.h"
#include "model/geomean.h"
#include "report/json/json_writer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct report_style {
    bool color;    /* ANSI: red worse, green better, nothing else coloured; bold, dim */
    bool unicode;  /* ±, ×, µ and … rather than +-, x, u and ... */
    int verbosity; /* 0 quiet: one line a benchmark; 1; 2: widths, medians as well */
    double unit_ns; /* of times: 1, 1e3, 1e6, 1e9; 0: chosen by size */
    size_t width;   /* columns of the terminal; 0: unlimited */
};

/* Several benchmarks: a table with one line a benchmark and a geometric mean row
 * (`geomean`, NULL: none). One benchmark: its two sides below each other and the
 * change. Then the method, what pairing gained and the warnings, wrapped to
 * style->width. When a table is too wide, names are shortened in the middle first, then
 * the verdict's and the deviation's details go. Documented in docs/output.md. */
void report_terminal(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct model_geomean *geomean,
                     const struct report_style *style);

/* A table as GitHub shows it: hyperfine's columns (Command, Mean, Min, Max, Relative),
 * one row a side, and the change, its interval and the verdict in the new side's row;
 * then method and warnings as a list. Times in one unit: style->unit_ns, 0: chosen by
 * the largest mean. Colour, verbosity and width are ignored. */
void report_markdown(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct report_style *style);

/* What to put behind it for several benchmarks: their geometric mean, as one more item
 * of the list. */
void report_markdown_geomean(struct text *text, const struct model_geomean *geomean,
                             const struct report_style *style);

/* One comparison a row, header first; RFC 4180 (CR LF, quotes doubled), 17 significant
 * digits, unknown numbers empty. */
void report_csv(struct text *text, const struct model_comparison *comparisons,
                size_t count);

/* A time with its unit ("12.34 ms"), 4 significant digits; unit and "µs" or "us" as the
 * style has them. Not finite: "unknown". */
void report_time(struct text *text, double ns, const struct report_style *style);

/* JSON, version 1 (docs/schema/duet-1.schema.json). NaN and what else is unknown
 * becomes null. Each returns a new reference, NULL when memory is short. */
struct report_context {
    const struct model_host *host;
    const struct model_host_load *load_before;
    const struct model_host_load *load_after;
    const char *date_utc; /* ISO 8601 */
    const char *duet_version;
    uint64_t seed;    /* below 2^63, JSON's largest integer here; above: null */
    double steal_pct; /* of all CPUs' time between the two loads; NaN: unknown */
};
/* Every pointer of the context may be NULL: unknown. */
json_t *report_json_context(const struct report_context *context);
json_t *report_json_analysis(const struct model_analysis *analysis);
json_t *report_json_comparison(const struct model_comparison *comparison);
/* The value of "geometric_mean". */
json_t *report_json_geomean(const struct model_geomean *geomean);

/* The document with raw data: {"schema_version": 1, "context", "results",
 * "experiments", "comparisons", "geometric_mean"}. It is opened by the first call; the
 * lists are the caller's to open and to end. */
void report_json_begin(struct json_writer *writer, json_t *context);
/* results[]: hyperfine's shape, seconds, and the side's name. times: of struct
 * model_time, in iteration order, all runs; borrowed. */
void report_json_result(struct json_writer *writer, const char *command,
                        const char *name, const struct model_summary *summary,
                        struct spool *times);

/* Where an experiment's runs come from, which are read several times: `restart` goes
 * before the first, `restart_side` before the first iteration of the current run. The
 * sides are read side by side, each in ascending index, fillers included. *ret_more
 * false: there is no further one; nobody asks again. */
struct report_json_source {
    void *context;
    enum duet_code (*restart)(void *context, struct duet_error *reterr);
    enum duet_code (*next_run)(void *context, struct model_run *ret_run, bool *ret_more,
                               struct duet_error *reterr);
    enum duet_code (*restart_side)(void *context, enum model_side side,
                                   struct duet_error *reterr);
    enum duet_code (*next_iteration)(void *context, enum model_side side,
                                     struct model_iteration *ret_iteration,
                                     bool *ret_more, struct duet_error *reterr);
};
/* experiments[]: one object. Paired schedules: a run's iterations are pairs, matched by
 * index (a side without its partner has null). Others: they go to the experiment's
 * sides. Fillers have a key of their own. */
void report_json_experiment(struct json_writer *writer, const char *name,
                            enum model_schedule schedule,
                            const char *const commands[MODEL_SIDES],
                            const struct report_json_source *source);

#endif
