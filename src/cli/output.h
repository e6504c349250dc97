/* How answers are shown: style of the terminal, and the files to export to. */
#ifndef DUET_CLI_OUTPUT_H
#define DUET_CLI_OUTPUT_H

#include "cli/ci/ci_export.h"
#include "cli/export_raw.h"
#include "cli/options/option.h"
#include "report/report.h"
#include "session/comparison/answers.h"

#include <stdbool.h>

struct output_options {
    int verbosity;    /* 0 quiet, 1, 2 */
    bool no_color;    /* --no-color; NO_COLOR is looked up as well */
    bool force_color; /* --style color */
    double unit_ns;   /* 0: chosen by size */
    const char *json; /* files; NULL: not wanted; "-": standard output */
    const char *csv;
    const char *markdown;
    const char *svg;
    const char *html;
    bool scratch; /* the answers' store ends with the program: its numbers mean nothing
                   */
    const char *raw[EXPORT_RAW_KINDS];
    const char *store; /* one to add the experiments to */
    struct ci_exports ci;
};

/* The option rows that every command with answers has, for its table. */
enum {
    OUTPUT_OPTION_UNIT = 1000,
    OUTPUT_OPTION_JSON,
    OUTPUT_OPTION_CSV,
    OUTPUT_OPTION_MARKDOWN,
    OUTPUT_OPTION_SVG,
    OUTPUT_OPTION_HTML,
    OUTPUT_OPTION_RAW, /* + enum export_raw_kind */
    OUTPUT_OPTION_STORE = OUTPUT_OPTION_RAW + EXPORT_RAW_KINDS,
    OUTPUT_OPTION_QUIET,
    OUTPUT_OPTION_VERBOSE,
    OUTPUT_OPTION_NO_COLOR,
    OUTPUT_OPTION_STYLE
};
#define OUTPUT_OPTION_ROWS                                                           \
    {"time-unit", 'u', "UNIT", OUTPUT_OPTION_UNIT,                                   \
     "Show times in this unit: nanosecond, microsecond, millisecond or second (ns, " \
     "us, "                                                                          \
     "ms, s). Default: by their size."},                                             \
        {"export-json", 0, "FILE", OUTPUT_OPTION_JSON,                               \
         "Write everything, raw data included, as JSON to FILE ('-': standard "      \
         "output)."},                                                                \
        {"export-csv", 0, "FILE", OUTPUT_OPTION_CSV,                                 \
         "Write the comparison as CSV to FILE."},                                    \
        {"export-markdown", 0, "FILE", OUTPUT_OPTION_MARKDOWN,                       \
         "Write the comparison as a Markdown table to FILE."},                       \
        {"export-svg", 0, "FILE", OUTPUT_OPTION_SVG,                                 \
         "Write a picture to FILE: pairs over time, distribution, change by block; " \
         "of several benchmarks their changes."},                                    \
        {"export-html", 0, "FILE", OUTPUT_OPTION_HTML,                               \
         "Write a report page to FILE, which opens offline: overview, pictures, "    \
         "tables, every pair."},                                                     \
        {"export-raw", 0, "FILE", OUTPUT_OPTION_RAW + EXPORT_RAW_CSV,                \
         "Write every iteration as a row of CSV to FILE."},                          \
        {"export-gbench", 0, "FILE", OUTPUT_OPTION_RAW + EXPORT_RAW_GBENCH,          \
         "Write the times as Google Benchmark's JSON to FILE, as NAME/old and "      \
         "NAME/new: compare.py filters FILE /old /new."},                            \
        {"export-go", 0, "FILE", OUTPUT_OPTION_RAW + EXPORT_RAW_GO,                  \
         "Write the times as Go's benchmark text to FILE: benchstat -col /side "     \
         "FILE."},                                                                   \
        {"export-store", 0, "FILE", OUTPUT_OPTION_STORE,                             \
         "Add the experiments with all measurements to the store FILE, a new one "   \
         "or one that exists: duet show --store FILE."},                             \
        CI_EXPORT_OPTION_ROWS,                                                       \
        {"quiet", 'q', NULL, OUTPUT_OPTION_QUIET,                                    \
         "Print one line a benchmark, no progress."},                                \
        {"verbose", 'v', NULL, OUTPUT_OPTION_VERBOSE,                                \
         "Show interval widths, medians and what else was computed."},               \
        {"no-color", 0, NULL, OUTPUT_OPTION_NO_COLOR,                                \
         "Print no colours, like the variable NO_COLOR. Default: colours on a "      \
         "terminal."},                                                               \
    {                                                                                \
        "style", 0, "auto|color|nocolor|basic|none", OUTPUT_OPTION_STYLE,            \
            "Choose colours and marks; basic: no colours; none: like -q."            \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool output_option_take(struct output_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr);

/* Whether anything is to be written to a file, or to standard output as one. */
bool output_has_export(const struct output_options *options);

/* Whether an export shows the raw data, which is read from a store. */
bool output_needs_store(const struct output_options *options);

/* Whether an export goes to standard output, so that nothing else may. */
bool output_takes_stdout(const struct output_options *options);

/* Whether exports to these files (NULL: not wanted) can be kept: each has a name, and a
 * place of its own that can be written, which is not the store's; one at most is
 * standard output. store: as it was given, NULL for the default. Errors: DUET_E_USAGE,
 * DUET_E_IO (names the file), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code output_check_files(const char *const *paths, size_t count,
                                                const char *store,
                                                struct duet_error *reterr);

/* Whether pictures can be drawn into a folder (NULL: none is wanted) that is there or
 * can be made. Errors: as of files. */
BASE_MUST_USE enum duet_code output_check_folder(const char *path,
                                                 struct duet_error *reterr);

/* The style for standard output as it is now. */
struct report_style output_style(const struct output_options *options);

/* Whether the exports can be written, before an hour is spent on measuring. store: as
 * it was given, NULL for the default. Errors: DUET_E_USAGE (one is the store),
 * DUET_E_IO (names the file), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code output_check(const struct output_options *options,
                                          const char *store, struct duet_error *reterr);

/* What is asked for of these answers but the terminal's text and JSON. Errors: as
 * below. */
BASE_MUST_USE enum duet_code output_files(const struct output_options *options,
                                          struct store *store,
                                          const struct answer *answers,
                                          const struct answers_overall *overall,
                                          struct duet_error *reterr);

/* Prints the answers and writes the exports. store: NULL where nothing is read from it.
 * Errors: DUET_E_USAGE (an export is the store), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code output_answers(const struct output_options *options,
                                            struct store *store,
                                            const struct answer *answers, size_t count,
                                            struct duet_error *reterr);

#endif
