#include "figures/widths_table.h"

#include "base/day.h"
#include "figures/study_records.h"
#include "report/columns.h"
#include "report/display.h"

#include <math.h>
#include <string.h>

/* What table 1 of Bulej 2020 prints for a platform ("Average": all of them) and suite;
 * NaN: nothing. */
static double printed_gain(const char *platform, const char *suite)
{
    /* Bulej 2020, table 1. */
    static const struct {
        const char *platform;
        double scalabench;
        double spec;
    } printed[] = {{"Amazon m5.large", 2.3, 26.6},
                   {"Amazon m5a.large", 3.86, 82.4},
                   {"Amazon t3.medium", 9.13, (double)NAN},
                   {"Amazon t3a.medium", 3.99, (double)NAN},
                   {"GitLab CI", 12.5, 23.8},
                   {"Travis CI", 3.97, (double)NAN},
                   {"Average", 5.03, 37.4}};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        if (strcmp(platform, printed[i].platform) == 0) {
            return strcmp(suite, "ScalaBench") == 0      ? printed[i].scalabench
                   : strcmp(suite, "SPEC CPU 2017") == 0 ? printed[i].spec
                                                         : (double)NAN;
        }
    }
    return (double)NAN;
}

enum {
    NAME_COLUMNS = 24,
    SUITE_COLUMNS = 16,
    NUMBER_COLUMNS = 10,
    TRIPLE_COLUMNS = 26
};

static bool same_cell(const struct study_width *a, const struct study_width *b)
{
    return strcmp(a->platform, b->platform) == 0 && strcmp(a->suite, b->suite) == 0;
}

static bool same_group(const struct study_width *a, const struct study_width *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->suite, b->suite) == 0;
}

static const struct study_width *next_first(const struct widths *widths, size_t *at,
                                            bool (*same)(const struct study_width *a,
                                                         const struct study_width *b))
{
    while (*at < widths->count) {
        const struct study_width *row = &widths->rows[(*at)++];
        const struct study_width *first = widths->rows;
        while (!same(first, row)) {
            first++;
        }
        if (first == row) {
            return row;
        }
    }
    return NULL;
}

const struct study_width *widths_next_cell(const struct widths *widths, size_t *at)
{
    return next_first(widths, at, same_cell);
}

static const struct study_width *next_group(const struct widths *widths, size_t *at)
{
    return next_first(widths, at, same_group);
}

/* Whether the group has several platforms with this suite. */
static bool has_several(const struct widths *widths, const struct study_width *group)
{
    for (size_t i = 0; i < widths->count; i++) {
        if (same_group(&widths->rows[i], group) &&
            strcmp(widths->rows[i].platform, group->platform) != 0) {
            return true;
        }
    }
    return false;
}

/* Pairs of widths whose ratio is a column: those that any row has are shown. */
static const struct gain_column {
    const char *head;
    enum study_width_kind over;
    enum study_width_kind under;
} gain_columns[] = {
    {"duet", STUDY_WIDTH_STANDARD, STUDY_WIDTH_DUET},
    {"shuffled", STUDY_WIDTH_STANDARD, STUDY_WIDTH_SHUFFLED},
    {"trimmed", STUDY_WIDTH_STANDARD_TRIMMED, STUDY_WIDTH_DUET_TRIMMED},
    {"timeslice", STUDY_WIDTH_STANDARD, STUDY_WIDTH_TIMESLICE},
};
enum { GAINS = sizeof gain_columns / sizeof gain_columns[0] };

static bool gain_of(const struct widths *widths,
                    const struct study_widths_filter *filter,
                    const struct gain_column *column, double *ret_gain,
                    size_t *ret_workloads)
{
    struct duet_error none; /* no such row: nothing to show */
    return study_widths_gain(widths->rows, widths->count, filter, column->over,
                             column->under, ret_gain, ret_workloads, &none) == DUET_OK;
}

struct gains_table {
    struct text *text;
    const struct widths *widths;
    bool printed;
    bool shown[GAINS];
};

static void append_gain(struct text *text, double gain)
{
    columns_append_number(text, NUMBER_COLUMNS, gain < 9.995 ? 2 : 1, gain);
}

static void append_gains(const struct gains_table *table, const char *name,
                         const char *suite, const struct study_widths_filter *filter,
                         double printed)
{
    struct text *text = table->text;
    double gain = 0;
    size_t workloads = 0;
    size_t most = 0;
    struct text numbers = {0};
    for (size_t i = 0; i < GAINS; i++) {
        if (!table->shown[i]) {
            continue;
        }
        if (gain_of(table->widths, filter, &gain_columns[i], &gain, &workloads)) {
            append_gain(&numbers, gain);
            most = workloads > most ? workloads : most;
        } else {
            append_gain(&numbers, (double)NAN);
        }
        if (i == 0 && table->printed && isfinite(printed)) {
            columns_append_cell(&numbers, NUMBER_COLUMNS, "%.3g", printed);
        } else if (i == 0 && table->printed) {
            append_gain(&numbers, (double)NAN);
        }
    }
    columns_append_name(text, NAME_COLUMNS, name);
    columns_append_name(text, SUITE_COLUMNS, suite);
    columns_append_cell(text, NUMBER_COLUMNS, "%zu", most);
    text_append_format(text, "%s\n", text_string(&numbers));
    display_drop(text, &numbers);
}

static void append_gains_head(const struct gains_table *table)
{
    static const int widths[] = {-NAME_COLUMNS, -SUITE_COLUMNS, NUMBER_COLUMNS};
    struct text *text = table->text;
    text_append(text,
                "How many times narrower than the standard method's the intervals are\n"
                "(geometric mean over the workloads):\n"
                "\n");
    columns_append(text, widths, "platform\tsuite\tworkloads");
    for (size_t i = 0; i < GAINS; i++) {
        if (table->shown[i]) {
            columns_append_cell(text, NUMBER_COLUMNS, "%s", gain_columns[i].head);
        }
        if (i == 0 && table->printed) {
            columns_append_cell(text, NUMBER_COLUMNS, "the paper");
        }
    }
    text_append_char(text, '\n');
}

void widths_table_gains(struct text *text, const struct widths *widths, bool printed)
{
    struct gains_table table = {.text = text, .widths = widths, .printed = printed};
    const struct study_widths_filter all = {NULL, NULL, NULL};
    double gain = 0;
    size_t workloads = 0;
    for (size_t i = 0; i < GAINS; i++) {
        table.shown[i] =
            i == 0 || gain_of(widths, &all, &gain_columns[i], &gain, &workloads);
    }
    append_gains_head(&table);
    size_t at = 0;
    const struct study_width *row;
    while ((row = widths_next_cell(widths, &at)) != NULL) {
        const struct study_widths_filter filter = {NULL, row->platform, row->suite};
        append_gains(&table, row->platform, row->suite, &filter,
                     printed_gain(row->platform, row->suite));
    }
    at = 0;
    while ((row = next_group(widths, &at)) != NULL) {
        const struct study_widths_filter filter = {row->group, NULL, row->suite};
        if (has_several(widths, row)) {
            bool average = strcmp(row->group, "public cloud") == 0;
            struct text name = {0};
            text_append_format(&name, "%s, all", row->group);
            append_gains(&table, text_string(&name), row->suite, &filter,
                         average ? printed_gain("Average", row->suite) : (double)NAN);
            display_drop(text, &name);
        }
    }
}

static void append_width(struct text *text, double width, bool best)
{
    if (!isfinite(width)) {
        text_append(text, "-");
    } else {
        text_append_format(text, "%.*f%s",
                           width < 0.095  ? 3
                           : width < 0.95 ? 2
                           : width < 9.5  ? 1
                                          : 0,
                           width, best ? "*" : "");
    }
}

static void append_triple(struct text *text, const struct study_width *row)
{
    double best = study_width_narrowest(row);
    struct text triple = {0};
    for (int kind = 0; kind <= STUDY_WIDTH_STANDARD; kind++) {
        text_append(&triple, kind == 0 ? "" : " : ");
        append_width(&triple, row->widths[kind], !(row->widths[kind] > best));
    }
    columns_append_name(text, TRIPLE_COLUMNS, text_string(&triple));
    display_drop(text, &triple);
}

/* What any workload has beside the triple: quotients of widths, and how long together
 * compares with alone. */
static void append_row(struct text *text, const struct study_width *row, bool measured)
{
    columns_append_name(text, NAME_COLUMNS, row->workload);
    append_triple(text, row);
    append_gain(text, study_width_gain(row, STUDY_WIDTH_STANDARD, STUDY_WIDTH_DUET));
    if (measured) {
        append_gain(text, study_width_gain(row, STUDY_WIDTH_STANDARD_TRIMMED,
                                           STUDY_WIDTH_DUET_TRIMMED));
        append_gain(text,
                    study_width_gain(row, STUDY_WIDTH_STANDARD, STUDY_WIDTH_TIMESLICE));
        append_gain(text, row->together_ratio);
        if (isfinite(row->runs)) {
            columns_append_number(text, 8, 0, row->runs);
            text_append_format(text, " x %.4g", row->iterations);
        }
    }
    text_append_char(text, '\n');
}

static void append_rows_head(struct text *text, const struct study_width *cell,
                             bool measured)
{
    static const int widths[] = {-NAME_COLUMNS,  -TRIPLE_COLUMNS, NUMBER_COLUMNS,
                                 NUMBER_COLUMNS, NUMBER_COLUMNS,  21};
    text_append_format(text, "\n%s, %s\n", cell->platform, cell->suite);
    columns_append(text, widths, "workload\tduet : shuffled : standard\tgain");
    if (measured) {
        columns_append(text, widths + 2,
                       "trimmed\ttimeslice\ttogether\truns x iterations");
    }
    text_append_char(text, '\n');
}

void widths_table_triples(struct text *text, const struct widths *widths)
{
    size_t at = 0;
    const struct study_width *cell;
    text_append(
        text,
        "Widths of the intervals in percent of the mean (* the narrowest), and how many\n"
        "times narrower than the standard method's they are:\n");
    while ((cell = widths_next_cell(widths, &at)) != NULL) {
        bool measured = false;
        for (size_t i = 0; i < widths->count; i++) {
            measured = measured || (same_cell(cell, &widths->rows[i]) &&
                                    isfinite(widths->rows[i].runs));
        }
        append_rows_head(text, cell, measured);
        for (size_t i = 0; i < widths->count; i++) {
            if (same_cell(cell, &widths->rows[i])) {
                append_row(text, &widths->rows[i], measured);
            }
        }
    }
}

void widths_append_csv(struct text *text, const struct widths *widths)
{
    struct study_records records;
    struct text names = {0};
    for (size_t column = 0; column < WIDTHS_COLUMNS; column++) {
        text_append_format(&names, "%s%s", column == 0 ? "" : ",",
                           widths_column_name(column));
    }
    study_records_begin(&records, "widths", 0, text_string(&names), text, NULL);
    for (size_t i = 0; i < widths->count; i++) {
        struct study_width *row = &widths->rows[i];
        study_records_text(&records, row->group);
        study_records_text(&records, row->platform);
        study_records_text(&records, row->suite);
        study_records_text(&records, row->workload);
        for (size_t number = 0; number < WIDTHS_NUMBERS; number++) {
            study_records_number(&records, *widths_number(row, number));
        }
        for (size_t day = 0; day < WIDTHS_DAYS; day++) {
            char name[DAY_BYTES];
            day_name(*widths_day(row, day), name);
            study_records_text(&records, name);
        }
    }
    study_records_end(&records);
    display_drop(text, &names);
}

void widths_table_append(struct text *text, const struct widths *widths)
{
    widths_table_gains(text, widths, false);
    text_append_char(text, '\n');
    widths_table_triples(text, widths);
}
