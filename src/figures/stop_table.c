#include "figures/stop_table.h"

#include "figures/dataset_names.h"
#include "figures/study_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 20, COLUMN_WIDTH = 16, CELL_BYTES = 48 };

void stop_statistic_name(const struct stats_statistic *statistic, char *ret_name)
{
    if (statistic->kind == STATS_STATISTIC_MEAN) {
        (void)snprintf(ret_name, STOP_NAME_BYTES, "mean");
    } else {
        (void)snprintf(ret_name, STOP_NAME_BYTES, "p%.6g", 100.0 * statistic->fraction);
    }
}

/* One table: of this statistic and error. */
struct view {
    const struct stop_table *table;
    size_t statistic;
    size_t error;
};

static const struct study_stopping_cell *cell_of(const struct view *view, size_t series,
                                                 size_t rule)
{
    const struct study_stopping_plan *plan = view->table->plan;
    size_t row = series * plan->statistic_count + view->statistic;
    size_t at = (row * ANALYSIS_STOP_RULES + rule) * plan->error_count + view->error;
    return &view->table->cells[at];
}

static bool is_member(const struct study_series *series, const char *group)
{
    return group == NULL || strcmp(series->group, group) == 0;
}

struct study_stopping_cell stop_table_sum(const struct stop_table *table,
                                          const struct stop_column *column,
                                          const char *group)
{
    struct view view = {table, column->statistic, column->error};
    struct study_stopping_cell sum = {0};
    for (size_t s = 0; s < table->series_count; s++) {
        const struct study_stopping_cell *cell = cell_of(&view, s, column->rule);
        if (!is_member(&table->series[s], group)) {
            continue;
        }
        sum.tests += cell->tests;
        sum.stopped += cell->stopped;
        sum.accurate += cell->accurate;
        sum.error_sum += cell->error_sum;
        sum.error_max = fmax(sum.error_max, cell->error_max);
        sum.points_sum += cell->points_sum;
        sum.points_stopped_sum += cell->points_stopped_sum;
    }
    return sum;
}

double stop_table_interval(const struct stop_table *table, const char *group)
{
    double interval = 0.0;
    size_t members = 0;
    for (size_t s = 0; s < table->series_count; s++) {
        if (is_member(&table->series[s], group)) {
            interval += table->series[s].interval;
            members++;
        }
    }
    return interval / (double)members;
}

bool stop_table_is_first_of_group(const struct stop_table *table, size_t series)
{
    for (size_t s = 0; s < series; s++) {
        if (is_member(&table->series[s], table->series[series].group)) {
            return false;
        }
    }
    return true;
}

size_t stop_table_groups(const struct stop_table *table)
{
    size_t groups = 0;
    for (size_t s = 0; s < table->series_count; s++) {
        groups += stop_table_is_first_of_group(table, s) ? 1 : 0;
    }
    return groups;
}

static double share_pct(uint64_t hits, uint64_t of)
{
    return 100.0 * (double)hits / (double)of;
}

static double points_of(const struct study_stopping_cell *cell)
{
    return cell->points_sum / (double)cell->tests;
}

/* What a table shows a number of. */
struct subject {
    const struct stop_table *table;
    const struct study_stopping_cell *cell;
    const struct study_stopping_cell *metior; /* of the same tests */
    double interval;
};
typedef void show_cell(char *shown, const struct subject *of);

static void show_accuracy(char *shown, const struct subject *of)
{
    const struct study_stopping_cell *cell = of->cell;
    if (cell->stopped == 0) {
        (void)snprintf(shown, CELL_BYTES, "never stops");
    } else if (cell->stopped < cell->tests) {
        (void)snprintf(shown, CELL_BYTES, "%.1f (%.0f)",
                       share_pct(cell->accurate, cell->stopped),
                       share_pct(cell->stopped, cell->tests));
    } else {
        (void)snprintf(shown, CELL_BYTES, "%.1f",
                       share_pct(cell->accurate, cell->stopped));
    }
}

static void show_errors(char *shown, const struct subject *of)
{
    const struct study_stopping_cell *cell = of->cell;
    if (cell->stopped == 0) {
        (void)snprintf(shown, CELL_BYTES, "-");
    } else {
        (void)snprintf(shown, CELL_BYTES, "%.2f / %.1f",
                       100.0 * cell->error_sum / (double)cell->stopped,
                       100.0 * cell->error_max);
    }
}

static void show_points(char *shown, const struct subject *of)
{
    if (of->metior->tests == 0) {
        (void)snprintf(shown, CELL_BYTES, "%.1f", points_of(of->cell));
    } else {
        (void)snprintf(shown, CELL_BYTES, "%.1f = %.2f", points_of(of->cell),
                       points_of(of->cell) / points_of(of->metior));
    }
}

double stop_table_price(const struct stop_table *table,
                        const struct study_stopping_cell *cell, double interval)
{
    return points_of(cell) / interval * table->interval_hours * table->price_per_hour;
}

static void show_price(char *shown, const struct subject *of)
{
    (void)snprintf(shown, CELL_BYTES, "%.2f",
                   stop_table_price(of->table, of->cell, of->interval));
}

static void append_header(struct text *text, const struct view *view, const char *what)
{
    const struct study_stopping_plan *plan = view->table->plan;
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&plan->statistics[view->statistic], statistic);
    text_append_format(text, "\n%s, allowed error %.6g %%: %s\n%-*s", statistic,
                       100.0 * plan->errors[view->error], what, NAME_WIDTH, "series");
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        if (plan->rules[r]) {
            text_append_format(text, "%*s", COLUMN_WIDTH,
                               analysis_stop_rule_name((enum analysis_stop_rule)r));
        }
    }
}

/* A series (group and name differ) or a group. */
static void append_row(struct text *text, const struct view *view, const char *name,
                       const struct study_stopping_cell *cells, double interval,
                       show_cell *show)
{
    text_append_char(text, '\n');
    dataset_name_append_whole(text, name, NAME_WIDTH);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        if (view->table->plan->rules[r] && cells[r].tests > 0) {
            char shown[CELL_BYTES];
            const struct subject of = {view->table, &cells[r],
                                       &cells[ANALYSIS_STOP_METIOR], interval};
            show(shown, &of);
            text_append_format(text, "%*s", COLUMN_WIDTH, shown);
        }
    }
}

static void append_group(struct text *text, const struct view *view, const char *name,
                         const char *group, show_cell *show)
{
    struct study_stopping_cell sums[ANALYSIS_STOP_RULES];
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        const struct stop_column column = {view->statistic, view->error, r};
        sums[r] = stop_table_sum(view->table, &column, group);
    }
    append_row(text, view, name, sums, stop_table_interval(view->table, group), show);
}

static void append_view(struct text *text, const struct view *view, const char *what,
                        show_cell *show)
{
    const struct stop_table *table = view->table;
    struct study_stopping_cell cells[ANALYSIS_STOP_RULES];
    bool several = stop_table_groups(table) > 1;
    append_header(text, view, what);
    for (size_t s = 0; s < table->series_count; s++) {
        for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
            cells[r] = *cell_of(view, s, r);
        }
        append_row(text, view, table->series[s].name, cells, table->series[s].interval,
                   show);
    }
    for (size_t s = 0; s < table->series_count && several; s++) {
        if (stop_table_is_first_of_group(table, s)) {
            char name[CELL_BYTES];
            (void)snprintf(name, sizeof name, "all %s", table->series[s].group);
            append_group(text, view, name, table->series[s].group, show);
        }
    }
    append_group(text, view, "all", NULL, show);
    text_append_char(text, '\n');
}

void stop_table_append(struct text *text, const struct stop_table *table)
{
    const struct study_stopping_plan *plan = table->plan;
    text_append_format(text,
                       "Stop rules at %.6g %% confidence, %zu replicates, seed %" PRIu64
                       "; a test from %s%s\n",
                       100.0 * plan->confidence, plan->replicates, plan->seed,
                       plan->starts == STUDY_STARTS_ALL
                           ? "every test point, the end followed by the beginning"
                           : "every point of the first third",
                       plan->every > 1 ? " (some of them)" : "");
    for (size_t s = 0; s < plan->statistic_count; s++) {
        for (size_t e = 0; e < plan->error_count; e++) {
            struct view view = {table, s, e};
            append_view(text, &view,
                        "accurate tests in % of those that stopped (and how many did, "
                        "in %)",
                        show_accuracy);
            append_view(text, &view, "mean / largest error of those that stopped, in %",
                        show_errors);
            append_view(text, &view,
                        "points a test, all for one that does not stop = times "
                        "Metior's",
                        show_points);
            if (table->price_per_hour > 0.0) {
                append_view(text, &view, "price of a test", show_price);
            }
        }
    }
}

static void append_record(struct study_records *records, const struct view *view,
                          size_t series, size_t rule)
{
    const struct stop_table *table = view->table;
    const struct study_series *of = &table->series[series];
    const struct study_stopping_cell *cell = cell_of(view, series, rule);
    const struct study_stopping_cell *metior =
        cell_of(view, series, ANALYSIS_STOP_METIOR);
    double stopped = (double)cell->stopped;
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&table->plan->statistics[view->statistic], statistic);
    study_records_text(records, of->name);
    study_records_text(records, of->group);
    study_records_text(records, statistic);
    study_records_number(records, table->plan->errors[view->error]);
    study_records_text(records, analysis_stop_rule_name((enum analysis_stop_rule)rule));
    study_records_number(records, of->interval);
    study_records_whole(records, cell->tests);
    study_records_whole(records, cell->stopped);
    study_records_whole(records, cell->accurate);
    study_records_number(records, (double)cell->accurate / stopped);
    study_records_number(records, cell->error_sum / stopped);
    study_records_number(records, cell->stopped > 0 ? cell->error_max : (double)NAN);
    study_records_number(records, points_of(cell));
    study_records_number(records, cell->points_stopped_sum / stopped);
    study_records_number(records, points_of(cell) / points_of(metior));
    study_records_number(records, table->price_per_hour > 0.0
                                      ? stop_table_price(table, cell, of->interval)
                                      : (double)NAN);
}

void stop_table_append_records(struct text *csv, struct text *json,
                               const struct stop_table *table)
{
    static const char *const names[] = {"series",
                                        "group",
                                        "statistic",
                                        "error",
                                        "rule",
                                        "interval",
                                        "tests",
                                        "stopped",
                                        "accurate",
                                        "accurate_share",
                                        "error_mean",
                                        "error_max",
                                        "points_mean",
                                        "points_stopped_mean",
                                        "points_relative",
                                        "price_mean"};
    struct study_records records;
    study_records_begin(&records, "stopping", table->plan->seed, names,
                        sizeof names / sizeof names[0], csv, json);
    for (size_t i = 0; i < table->series_count * table->plan->statistic_count; i++) {
        size_t series = i / table->plan->statistic_count;
        for (size_t e = 0; e < table->plan->error_count; e++) {
            struct view view = {table, i % table->plan->statistic_count, e};
            for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
                if (cell_of(&view, series, r)->tests > 0) {
                    append_record(&records, &view, series, r);
                }
            }
        }
    }
    study_records_end(&records);
}
