/* CSV whose rows mean more than their columns' names say: Google Benchmark's
 * (--benchmark_format=csv), Criterion's raw.csv, nanobench's template. A file is a
 * process. */
#include "formats/csv_header.h"
#include "formats/csv_row.h"
#include "formats/scan.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 8 };

struct csv_tool {
    const char
        *columns[COLUMNS_MAX]; /* all of them; a '?' before those that may miss */
    enum duet_code (*row)(struct formats_tool_sink *sink, const char *const *fields,
                          struct duet_error *reterr);
    size_t last; /* a row that says something in the one before this column may end
                    behind this one; 0: none may */
};

/* A number of a row. */
static enum duet_code take_number(const struct formats_tool_sink *sink,
                                  const char *benchmark, const char *field,
                                  const char *what, double *ret_number,
                                  struct duet_error *reterr)
{
    return formats_scan_number(field, strlen(field), ret_number)
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT,
                           "'%s': %.300s: '%.60s' in column %s is not a %s",
                           sink->source->name, benchmark, field, what,
                           formats_scan_wanted(field, strlen(field)));
}

static enum duet_code take_unit(const struct formats_tool_sink *sink,
                                const char *benchmark, const char *unit, double *ret_ns,
                                struct duet_error *reterr)
{
    return formats_unit_from_name(unit, ret_ns)
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT,
                           "'%s': %.300s: '%.20s' is not a unit of time",
                           sink->source->name, benchmark, unit);
}

/* ---- Google Benchmark ---- */

static enum duet_code google_row(struct formats_tool_sink *sink,
                                 const char *const *fields, struct duet_error *reterr)
{
    struct formats_measured measured = {
        .benchmark = fields[0], .process = "0", .count = 1};
    double time = 0;
    double unit_ns = 0;
    const char *message = fields[4] != NULL ? fields[4] : "error";
    bool aggregate = false;
    enum duet_code code =
        formats_tool_google_is_aggregate(sink, fields[0], &aggregate, reterr);
    if (code != DUET_OK || aggregate) {
        return code;
    }
    /* One that was skipped without an error says "false", and has no time. */
    bool failed = fields[3] != NULL && strcmp(fields[3], "true") == 0;
    bool skipped = fields[3] != NULL && *fields[3] != '\0' && *fields[1] == '\0';
    if (failed || skipped) {
        formats_tool_leave_out(sink, fields[0], message);
        return DUET_OK;
    }
    code = take_number(sink, fields[0], fields[1], "real_time", &time, reterr);
    if (code == DUET_OK) {
        code = take_unit(sink, fields[0], fields[2], &unit_ns, reterr);
    }
    measured.ns = unit_ns * time;
    return code == DUET_OK ? formats_tool_add(sink, &measured, reterr) : code;
}

/* ---- Criterion ---- */

/* "group/function/value", whose time is of several iterations. */
static enum duet_code criterion_row(struct formats_tool_sink *sink,
                                    const char *const *fields,
                                    struct duet_error *reterr)
{
    struct text name = {0};
    struct formats_measured measured = {.process = "0", .count = 1};
    double time = 0;
    double unit_ns = 0;
    double iterations = 0;
    for (size_t i = 0; i < 3; i++) {
        text_append(&name, i > 0 && *fields[i] != '\0' ? "/" : "");
        text_append(&name, fields[i]);
    }
    measured.benchmark = text_string(&name);
    enum duet_code code = text_failed(&name) ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK) {
        code = take_number(sink, measured.benchmark, fields[3], "sample_measured_value",
                           &time, reterr);
    }
    if (code == DUET_OK) {
        code = take_unit(sink, measured.benchmark, fields[4], &unit_ns, reterr);
    }
    if (code == DUET_OK) {
        code = take_number(sink, measured.benchmark, fields[5], "iteration_count",
                           &iterations, reterr);
    }
    if (code == DUET_OK) {
        measured.ns = iterations > 0 ? unit_ns * time / iterations : -1.0;
        code = formats_tool_add(sink, &measured, reterr);
    }
    text_release(&name);
    return code;
}

/* ---- nanobench ---- */

/* "title: name", the median of an operation; a row is all of a benchmark. */
static enum duet_code nanobench_row(struct formats_tool_sink *sink,
                                    const char *const *fields,
                                    struct duet_error *reterr)
{
    struct text name = {0};
    struct formats_measured measured = {.process = "0", .count = 1};
    double seconds = 0;
    double batch = 0;
    text_append_format(&name, "%s%s%s", fields[0], *fields[0] == '\0' ? "" : ": ",
                       fields[1]);
    enum duet_code code = formats_tool_name_once(sink, &name, reterr);
    measured.benchmark = text_string(&name);
    if (code == DUET_OK) {
        code = take_number(sink, measured.benchmark, fields[3], "elapsed", &seconds,
                           reterr);
    }
    if (code == DUET_OK) {
        code =
            take_number(sink, measured.benchmark, fields[2], "batch", &batch, reterr);
    }
    if (code == DUET_OK) {
        measured.ns = 1e9 * seconds / (batch > 0 ? batch : 1);
        code = formats_tool_add(sink, &measured, reterr);
    }
    text_release(&name);
    return code;
}

/* ---- Files ---- */

static const struct csv_tool tools[] = {
    {{"name", "real_time", "time_unit", "?error_occurred", "?error_message"},
     google_row,
     4},
    {{"group", "function", "value", "sample_measured_value", "unit", "iteration_count"},
     criterion_row,
     0},
    {{"title", "name", "batch", "elapsed", "error %"}, nanobench_row, 0}};

/* -1: not there. */
static int find_column(const struct formats_csv_row *header, const char *name)
{
    for (size_t i = 0; i < header->count; i++) {
        if (formats_csv_is_called(formats_csv_row_text(header, i),
                                  header->fields[i].length, name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool find_columns(const struct csv_tool *tool,
                         const struct formats_csv_row *header, int indices[COLUMNS_MAX])
{
    bool all = true;
    for (size_t i = 0; i < COLUMNS_MAX && tool->columns[i] != NULL; i++) {
        const char *name = tool->columns[i];
        bool optional = *name == '?';
        indices[i] = find_column(header, name + optional);
        all = all && (optional || indices[i] >= 0);
    }
    return all;
}

bool formats_tool_csv_is(const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    size_t line = end == NULL ? length : (size_t)(end - bytes);
    for (size_t t = 0; t < sizeof tools / sizeof tools[0]; t++) {
        bool all = true;
        for (size_t i = 0; i < COLUMNS_MAX && tools[t].columns[i] != NULL; i++) {
            const char *name = tools[t].columns[i];
            all = all &&
                  (*name == '?' || memmem(bytes, line, name, strlen(name)) != NULL);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

/* Google Benchmark leaves the counters out where a benchmark was skipped. */
static bool may_end_here(const struct csv_tool *tool, const int *indices,
                         const struct formats_csv_row *row)
{
    bool all = tool->last > 0 && indices[tool->last] + 1 == (int)row->count;
    for (size_t i = 0; i < tool->last; i++) {
        all = all && indices[i] < (int)row->count;
    }
    return all && indices[tool->last - 1] >= 0 &&
           *formats_csv_row_text(row, (size_t)indices[tool->last - 1]) != '\0';
}

static enum duet_code take_row(struct formats_tool_sink *sink,
                               const struct csv_tool *tool, const int *indices,
                               const struct formats_csv_row *row, size_t columns,
                               struct duet_error *reterr)
{
    const char *fields[COLUMNS_MAX] = {NULL};
    if (row->count != columns && !may_end_here(tool, indices, row)) {
        return formats_source_error(sink->source, row->fields[0].line, 1, reterr,
                                    "%zu fields where the first row names %zu columns",
                                    row->count, columns);
    }
    for (size_t i = 0; i < COLUMNS_MAX && tool->columns[i] != NULL; i++) {
        fields[i] =
            indices[i] >= 0 ? formats_csv_row_text(row, (size_t)indices[i]) : NULL;
    }
    return tool->row(sink, fields, reterr);
}

enum duet_code formats_tool_csv_read(struct formats_source *source,
                                     struct formats_tool_sink *sink,
                                     struct duet_error *reterr)
{
    struct formats_csv_row row = {.bytes = NULL};
    int indices[COLUMNS_MAX] = {0};
    char separator = 0;
    size_t t = 0;
    bool more = true;
    enum duet_code code = formats_csv_header_read(source, &separator, &row, reterr);
    size_t columns = row.count;
    while (code == DUET_OK && t < sizeof tools / sizeof tools[0] &&
           !find_columns(&tools[t], &row, indices)) {
        t++;
    }
    if (code == DUET_OK && t == sizeof tools / sizeof tools[0]) {
        code = error_set(reterr, DUET_E_FORMAT,
                         "'%s' looks like a benchmark tool's CSV, but misses columns; "
                         "choose --format csv and --column NAME",
                         source->name);
    }
    while (code == DUET_OK && more) {
        code = formats_csv_row_read(source, separator, &row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(sink, &tools[t], indices, &row, columns, reterr);
        }
    }
    formats_csv_row_release(&row);
    return code;
}
