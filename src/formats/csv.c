#include "formats/csv.h"

#include "base/text.h"
#include "formats/csv_header.h"
#include "formats/csv_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NO_COLUMN = -1, USUAL_MAX = 8 };

static const struct {
    const char *name;
    const char *usual[USUAL_MAX]; /* ended by NULL */
} roles[FORMATS_ROLES] = {
    [FORMATS_ROLE_VALUE] = {"value",
                            {"value", "time", "duration", "elapsed", "real", "wall"}},
    [FORMATS_ROLE_OLD] = {"old", {"old"}},
    [FORMATS_ROLE_NEW] = {"new", {"new"}},
    [FORMATS_ROLE_SIDE] = {"side", {"side", "variant", "version"}},
    [FORMATS_ROLE_RUN] = {"run", {"run", "trial", "fork", "vm_start_unix_ms"}},
    [FORMATS_ROLE_ITERATION] = {"iteration", {"iteration", "iter"}},
    [FORMATS_ROLE_BLOCK] = {"block", {"block"}},
    [FORMATS_ROLE_INSTANCE] = {"instance", {"instance", "host", "machine", "vm"}},
    [FORMATS_ROLE_BENCHMARK] = {"benchmark", {"benchmark", "name"}},
    [FORMATS_ROLE_SCHEDULE] = {"schedule", {"schedule"}},
};

const char *formats_role_name(unsigned role)
{
    return role < FORMATS_ROLES ? roles[role].name : "unknown";
}

/* How two sides are commonly called, old first. */
static const char *const usual_sides[][MODEL_SIDES] = {
    {"old", "new"},      {"a", "b"},          {"0", "1"},         {"base", "head"},
    {"before", "after"}, {"baseline", "new"}, {"control", "test"}};

struct csv {
    struct formats_source *source;
    const struct formats_csv_options *options;
    struct formats_csv_row row;
    size_t columns;            /* of the header */
    int column[FORMATS_ROLES]; /* or NO_COLUMN */
    struct formats_unit units[FORMATS_ROLES];
    struct formats_where where;
    struct text run; /* of run_of() */
    uint64_t rows;
    struct formats_csv_counts counts;
};

/* ---- The header ---- */

static enum duet_code not_found(struct csv *csv, const char *what,
                                struct duet_error *reterr)
{
    return formats_csv_not_found(&csv->row, csv->source->name, what, reterr);
}

static int column_called(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->row.count; i++) {
        if (formats_csv_is_called(formats_csv_row_text(&csv->row, i),
                                  csv->row.fields[i].length, name)) {
            return (int)i;
        }
    }
    return NO_COLUMN;
}

static int column_usually(const struct csv *csv, enum formats_role role)
{
    for (const char *const *usual = roles[role].usual; *usual != NULL; usual++) {
        for (size_t i = 0; i < csv->row.count; i++) {
            if (formats_csv_is_usually_called(formats_csv_row_text(&csv->row, i),
                                              *usual)) {
                return (int)i;
            }
        }
    }
    return NO_COLUMN;
}

static enum duet_code find_columns(struct csv *csv, struct duet_error *reterr)
{
    for (int role = 0; role < FORMATS_ROLES; role++) {
        const char *wanted = csv->options->columns[role];
        csv->column[role] = wanted != NULL
                                ? column_called(csv, wanted)
                                : column_usually(csv, (enum formats_role)role);
        if (wanted != NULL && csv->column[role] == NO_COLUMN) {
            char what[300];
            (void)snprintf(what, sizeof what, "column '%.250s'", wanted);
            return not_found(csv, what, reterr);
        }
    }
    /* A column of that name may be what tells the sides apart. */
    for (int role = 0; role < FORMATS_ROLE_BENCHMARK; role++) {
        if (csv->column[role] == csv->column[FORMATS_ROLE_BENCHMARK]) {
            csv->column[FORMATS_ROLE_BENCHMARK] = NO_COLUMN;
        }
    }
    return DUET_OK;
}

/* One value a row, or one of each side; not both. */
static enum duet_code settle_values(struct csv *csv, struct duet_error *reterr)
{
    const struct formats_csv_options *options = csv->options;
    int *column = csv->column;
    bool wide = column[FORMATS_ROLE_OLD] != NO_COLUMN &&
                column[FORMATS_ROLE_NEW] != NO_COLUMN && !options->one_side &&
                options->columns[FORMATS_ROLE_VALUE] == NULL;
    if (wide) {
        column[FORMATS_ROLE_VALUE] = column[FORMATS_ROLE_SIDE] = NO_COLUMN;
        return DUET_OK;
    }
    column[FORMATS_ROLE_OLD] = column[FORMATS_ROLE_NEW] = NO_COLUMN;
    if (column[FORMATS_ROLE_VALUE] == NO_COLUMN && csv->row.count == 1) {
        column[FORMATS_ROLE_VALUE] = 0;
    }
    if (column[FORMATS_ROLE_VALUE] == NO_COLUMN) {
        return not_found(csv,
                         "column with a known name for values; name it with "
                         "--column",
                         reterr);
    }
    if (options->one_side) {
        column[FORMATS_ROLE_SIDE] = NO_COLUMN;
    } else if (column[FORMATS_ROLE_SIDE] == NO_COLUMN) {
        return not_found(
            csv,
            "column of sides; name it with --map side=NAME, or old=NAME and "
            "new=NAME, or give two files",
            reterr);
    }
    return DUET_OK;
}

static enum duet_code settle_units(struct csv *csv, struct duet_error *reterr)
{
    for (int role = FORMATS_ROLE_VALUE; role <= FORMATS_ROLE_NEW; role++) {
        struct formats_unit *unit = &csv->units[role];
        *unit = csv->options->unit;
        if (unit->ns <= 0 && csv->column[role] != NO_COLUMN) {
            const char *name =
                formats_csv_row_text(&csv->row, (size_t)csv->column[role]);
            if (formats_unit_is_unclear(name)) {
                return error_set(
                    reterr, DUET_E_FORMAT,
                    "'%s': column '%.60s' may hold minutes or the smallest of several "
                    "times: name its unit, as in --unit min or --unit s",
                    csv->source->name, name);
            }
            (void)formats_unit_from_suffix(name, &unit->ns);
        }
    }
    return DUET_OK;
}

static enum duet_code read_header(struct csv *csv, char *ret_separator,
                                  struct duet_error *reterr)
{
    struct formats_source *source = csv->source;
    char separator = csv->options->separator;
    enum duet_code code =
        formats_csv_header_read(source, &separator, &csv->row, reterr);
    if (code == DUET_OK) {
        csv->columns = csv->row.count;
        code = find_columns(csv, reterr);
    }
    if (code == DUET_OK) {
        csv->where = csv->options->where;
        code = formats_where_find(&csv->where, &csv->row, source->name, reterr);
    }
    if (code == DUET_OK) {
        code = settle_values(csv, reterr);
    }
    if (code == DUET_OK) {
        *ret_separator = separator;
        code = settle_units(csv, reterr);
    }
    return code;
}

/* ---- Rows ---- */

static const char *text_of(const struct csv *csv, enum formats_role role)
{
    return csv->column[role] == NO_COLUMN
               ? NULL
               : formats_csv_row_text(&csv->row, (size_t)csv->column[role]);
}

static enum duet_code wrong_field(const struct csv *csv, enum formats_role role,
                                  const char *what, struct duet_error *reterr)
{
    const struct formats_csv_field *field = &csv->row.fields[csv->column[role]];
    return formats_source_error(csv->source, field->line, field->column, reterr,
                                "'%.60s' is not a %s", text_of(csv, role), what);
}

static enum duet_code take_value(const struct csv *csv, enum formats_role role,
                                 struct formats_record *record,
                                 struct duet_error *reterr)
{
    const struct formats_csv_field *field = &csv->row.fields[csv->column[role]];
    double value = 0;
    if (!formats_scan_number(text_of(csv, role), field->length, &value)) {
        return wrong_field(
            csv, role, formats_scan_wanted(text_of(csv, role), field->length), reterr);
    }
    if (!formats_unit_apply(&csv->units[role], value, &record->ns)) {
        const struct formats_unit_wanted wanted =
            formats_unit_wanted(&csv->units[role], value);
        return wrong_field(csv, role, wanted.text, reterr);
    }
    return DUET_OK;
}

static enum duet_code take_whole(const struct csv *csv, enum formats_role role,
                                 bool *ret_has, uint64_t *ret_value,
                                 struct duet_error *reterr)
{
    if (csv->column[role] == NO_COLUMN) {
        return DUET_OK;
    }
    const char *text = text_of(csv, role);
    size_t length = csv->row.fields[csv->column[role]].length;
    formats_csv_trim(&text, &length);
    if (!formats_scan_whole(text, length, ret_value)) {
        return wrong_field(csv, role, "whole number from 0", reterr);
    }
    *ret_has = true;
    return DUET_OK;
}

/* *ret_known: whether the row is of one of the two sides. */
static enum duet_code take_side(const struct csv *csv, enum model_side *ret_side,
                                bool *ret_known, struct duet_error *reterr)
{
    if (csv->column[FORMATS_ROLE_SIDE] == NO_COLUMN) {
        *ret_side = csv->options->side;
        *ret_known = true;
        return DUET_OK;
    }
    const char *text = text_of(csv, FORMATS_ROLE_SIDE);
    size_t length = csv->row.fields[csv->column[FORMATS_ROLE_SIDE]].length;
    const char *const *given = csv->options->side_names;
    bool named = given[MODEL_OLD] != NULL && given[MODEL_NEW] != NULL;
    size_t pairs = named ? 1 : sizeof usual_sides / sizeof usual_sides[0];
    for (size_t i = 0; i < pairs; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (formats_csv_is_called(text, length,
                                      named ? given[side] : usual_sides[i][side])) {
                *ret_side = (enum model_side)side;
                *ret_known = true;
                return DUET_OK;
            }
        }
    }
    *ret_known = false;
    return named ? DUET_OK
                 : wrong_field(csv, FORMATS_ROLE_SIDE,
                               "known name of a side; name both with --sides OLD,NEW",
                               reterr);
}

static bool is_missing(const struct csv *csv, int role)
{
    const struct formats_csv_field *field = &csv->row.fields[csv->column[role]];
    return formats_scan_is_missing(text_of(csv, (enum formats_role)role),
                                   field->length);
}

/* Of two values of a row, one alone would be without its partner. */
static enum duet_code add_values(struct csv *csv, struct formats_record *record,
                                 struct formats_gather *gather,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool wide = csv->column[FORMATS_ROLE_VALUE] == NO_COLUMN;
    int first = wide ? FORMATS_ROLE_OLD : FORMATS_ROLE_VALUE;
    int last = wide ? FORMATS_ROLE_NEW : FORMATS_ROLE_VALUE;
    if (is_missing(csv, first) || is_missing(csv, last)) {
        csv->counts.missing += wide ? 2 : 1;
        return DUET_OK;
    }
    for (int role = first; role <= last && code == DUET_OK; role++) {
        if (wide) {
            record->side = role == FORMATS_ROLE_OLD ? MODEL_OLD : MODEL_NEW;
        }
        code = take_value(csv, (enum formats_role)role, record, reterr);
        if (code == DUET_OK) {
            code = formats_gather_add(gather, record, reterr);
        }
    }
    return code;
}

/* Runs of two files are different ones, whatever they are called. */
static const char *run_of(struct csv *csv)
{
    const char *run = text_of(csv, FORMATS_ROLE_RUN);
    const char *process = csv->options->process;
    if (run == NULL || process == NULL) {
        return run != NULL ? run : process;
    }
    csv->run.length = 0;
    text_append_format(&csv->run, "%s/%s", process, run);
    return text_string(&csv->run);
}

/* As --export-raw writes how it was measured. */
static bool is_unpaired(const struct csv *csv)
{
    const char *schedule = text_of(csv, FORMATS_ROLE_SCHEDULE);
    return schedule != NULL && (strcmp(schedule, "interleaved") == 0 ||
                                strcmp(schedule, "sequential") == 0);
}

static enum duet_code take_row(struct csv *csv, struct formats_gather *gather,
                               struct duet_error *reterr)
{
    if (csv->row.count != csv->columns) {
        return formats_source_error(csv->source, csv->row.fields[0].line, 1, reterr,
                                    "%zu fields where the first row names %zu columns",
                                    csv->row.count, csv->columns);
    }
    if (!formats_where_holds(&csv->where, &csv->row)) {
        csv->counts.filtered++;
        return DUET_OK;
    }
    bool wide = csv->column[FORMATS_ROLE_VALUE] == NO_COLUMN;
    const char *run = run_of(csv);
    struct formats_record record = {
        .benchmark = text_of(csv, FORMATS_ROLE_BENCHMARK),
        .run = run,
        .instance = text_of(csv, FORMATS_ROLE_INSTANCE),
        .beside = !csv->options->one_side && !is_unpaired(csv),
        /* The values of a row belong together, whatever else it says. */
        .has_iteration = wide && csv->column[FORMATS_ROLE_ITERATION] == NO_COLUMN,
        .iteration = csv->rows,
    };
    bool known = false;
    enum duet_code code = take_side(csv, &record.side, &known, reterr);
    if (code == DUET_OK && !known) {
        csv->counts.skipped++;
        return DUET_OK;
    }
    if (code == DUET_OK) {
        code = take_whole(csv, FORMATS_ROLE_ITERATION, &record.has_iteration,
                          &record.iteration, reterr);
    }
    if (code == DUET_OK) {
        code = take_whole(csv, FORMATS_ROLE_BLOCK, &record.has_block, &record.block,
                          reterr);
    }
    if (code == DUET_OK) {
        code = add_values(csv, &record, gather, reterr);
        csv->rows++;
    }
    return code;
}

static enum duet_code no_rows(const struct csv *csv, struct duet_error *reterr)
{
    const char *name = csv->source->name;
    if (csv->counts.skipped > 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "'%s' has %" PRIu64 " rows, none of the sides '%s' and '%s'",
                         name, csv->counts.skipped, csv->options->side_names[MODEL_OLD],
                         csv->options->side_names[MODEL_NEW]);
    }
    return error_set(reterr, DUET_E_TOO_FEW,
                     csv->counts.filtered > 0 ? "'%s' has no row that --where asks for"
                                              : "'%s' has a header and no row below it",
                     name);
}

enum duet_code formats_csv_read(struct formats_source *source,
                                const struct formats_csv_options *options,
                                struct formats_gather *gather,
                                struct formats_csv_counts *ret_counts,
                                struct duet_error *reterr)
{
    struct csv csv = {.source = source, .options = options};
    char separator = 0;
    enum duet_code code = read_header(&csv, &separator, reterr);
    bool more = code == DUET_OK;
    while (more) {
        code = formats_csv_row_read(source, separator, &csv.row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(&csv, gather, reterr);
        }
        more = more && code == DUET_OK;
    }
    formats_csv_row_release(&csv.row);
    if (code == DUET_OK && text_failed(&csv.run)) {
        code = error_no_memory(reterr);
    }
    text_release(&csv.run);
    if (code == DUET_OK && csv.rows == 0) {
        code = no_rows(&csv, reterr);
    }
    if (code == DUET_OK) {
        ret_counts->skipped += csv.counts.skipped;
        ret_counts->filtered += csv.counts.filtered;
        ret_counts->missing += csv.counts.missing;
    }
    return code;
}

bool formats_csv_has_sides(struct formats_source *source,
                           const struct formats_csv_options *options)
{
    struct csv csv = {.source = source, .options = options};
    struct duet_error error;
    char separator = 0;
    bool has = read_header(&csv, &separator, &error) == DUET_OK;
    for (size_t w = 0; w < csv.where.count && has; w++) {
        has = (int)csv.where.columns[w] != csv.column[FORMATS_ROLE_SIDE];
    }
    formats_csv_row_release(&csv.row);
    return has;
}
