#include "figures/stop_table.h"

#include "figures/dataset_names.h"
#include "figures/study_records.h"
#include "report/columns.h"
#include "study/study_share.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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
    const struct stopping_answer *answer;
    size_t statistic;
    size_t error;
};

static const struct study_stopping_cell *cell_of(const struct view *view, size_t series,
                                                 size_t rule)
{
    const struct stopping_column column = {view->statistic, view->error, rule};
    return stopping_answer_cell(view->answer, &column, series);
}

/* What a table shows a number of. */
struct subject {
    const struct study_stopping_cell *cell;
    struct stopping_means means;
};
typedef void show_cell(struct text *text, const struct subject *of);

static void show_accuracy(struct text *text, const struct subject *of)
{
    if (of->cell->stopped == 0) {
        columns_append_cell(text, COLUMN_WIDTH, "never stops");
    } else if (of->cell->stopped < of->cell->tests) {
        columns_append_cell(text, COLUMN_WIDTH, "%.1f (%.0f)", of->means.accurate_pct,
                            of->means.stopped_pct);
    } else {
        columns_append_number(text, COLUMN_WIDTH, 1, of->means.accurate_pct);
    }
}

static void show_errors(struct text *text, const struct subject *of)
{
    if (of->cell->stopped == 0) {
        columns_append_cell(text, COLUMN_WIDTH, "-");
    } else {
        columns_append_cell(text, COLUMN_WIDTH, "%.2f / %.1f", 100.0 * of->means.error,
                            100.0 * of->means.error_most);
    }
}

static void show_points(struct text *text, const struct subject *of)
{
    if (isnan(of->means.points_relative)) {
        columns_append_number(text, COLUMN_WIDTH, 1, of->means.points);
    } else {
        columns_append_cell(text, COLUMN_WIDTH, "%.1f = %.2f", of->means.points,
                            of->means.points_relative);
    }
}

static void show_price(struct text *text, const struct subject *of)
{
    columns_append_number(text, COLUMN_WIDTH, 2, of->means.price);
}

static void append_header(struct text *text, const struct view *view, const char *what)
{
    const struct study_stopping_plan *plan = view->answer->plan;
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&plan->statistics[view->statistic], statistic);
    text_append_format(text, "\n%s, allowed error %.6g %%: %s\n", statistic,
                       100.0 * plan->errors[view->error], what);
    columns_append_cell(text, -NAME_WIDTH, "series");
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        if (plan->rules[r]) {
            columns_append_cell(text, COLUMN_WIDTH, "%s",
                                analysis_stop_rule_name((enum analysis_stop_rule)r));
        }
    }
}

/* A series (group and name differ) or a group. intervals: one a rule. */
static void append_row(struct text *text, const struct view *view, const char *name,
                       const struct study_stopping_cell *cells, const double *intervals,
                       show_cell *show)
{
    text_append_char(text, '\n');
    dataset_name_append_whole(text, name, NAME_WIDTH);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        if (view->answer->plan->rules[r] && cells[r].tests > 0) {
            const struct subject of = {
                &cells[r],
                stopping_answer_means(view->answer, &cells[r],
                                      &cells[ANALYSIS_STOP_METIOR], intervals[r])};
            show(text, &of);
        }
    }
}

static void append_group(struct text *text, const struct view *view, const char *name,
                         const char *group, show_cell *show)
{
    struct study_stopping_cell sums[ANALYSIS_STOP_RULES];
    double intervals[ANALYSIS_STOP_RULES];
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        const struct stopping_column column = {view->statistic, view->error, r};
        sums[r] = stopping_answer_sum(view->answer, &column, group);
        intervals[r] = stopping_answer_interval(view->answer, &column, group);
    }
    append_row(text, view, name, sums, intervals, show);
}

static void append_view(struct text *text, const struct view *view, const char *what,
                        show_cell *show)
{
    const struct stopping_answer *answer = view->answer;
    struct study_stopping_cell cells[ANALYSIS_STOP_RULES];
    double intervals[ANALYSIS_STOP_RULES];
    bool several = stopping_answer_groups(answer) > 1;
    append_header(text, view, what);
    for (size_t s = 0; s < answer->series_count; s++) {
        for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
            cells[r] = *cell_of(view, s, r);
            intervals[r] = answer->series[s].interval;
        }
        append_row(text, view, answer->series[s].name, cells, intervals, show);
    }
    for (size_t s = 0; s < answer->series_count && several; s++) {
        if (stopping_answer_is_first(answer, s)) {
            char name[CELL_BYTES];
            (void)snprintf(name, sizeof name, "all %s", answer->series[s].group);
            append_group(text, view, name, answer->series[s].group, show);
        }
    }
    append_group(text, view, "all", NULL, show);
    text_append_char(text, '\n');
}

void stop_table_append(struct text *text, const struct stopping_answer *answer)
{
    const struct study_stopping_plan *plan = answer->plan;
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
            struct view view = {answer, s, e};
            append_view(
                text, &view,
                "accurate tests in % of those that stopped (and how many did, in %)",
                show_accuracy);
            append_view(text, &view, "mean / largest error of those that stopped, in %",
                        show_errors);
            append_view(
                text, &view,
                plan->rules[ANALYSIS_STOP_METIOR]
                    ? "points a test, all for one that does not stop = times Metior's"
                    : "points a test, all for one that does not stop",
                show_points);
            if (answer->price_per_hour > 0.0) {
                append_view(text, &view, "price of a test", show_price);
            }
        }
    }
}

static void append_record(struct study_records *records, const struct view *view,
                          size_t series, size_t rule)
{
    const struct stopping_answer *answer = view->answer;
    const struct study_series *of = &answer->series[series];
    const struct study_stopping_cell *cell = cell_of(view, series, rule);
    const struct study_stopping_cell *metior =
        cell_of(view, series, ANALYSIS_STOP_METIOR);
    const struct stopping_means means =
        stopping_answer_means(answer, cell, metior, of->interval);
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&answer->plan->statistics[view->statistic], statistic);
    study_records_text(records, of->name);
    study_records_text(records, of->group);
    study_records_text(records, statistic);
    study_records_number(records, answer->plan->errors[view->error]);
    study_records_text(records, analysis_stop_rule_name((enum analysis_stop_rule)rule));
    study_records_number(records, of->interval);
    study_records_whole(records, cell->tests);
    study_records_whole(records, cell->stopped);
    study_records_whole(records, cell->accurate);
    study_records_number(records, study_share(cell->accurate, cell->stopped));
    study_records_number(records, means.error);
    study_records_number(records, means.error_most);
    study_records_number(records, means.points);
    study_records_number(records, means.points_stopped);
    study_records_number(records, means.points_relative);
    study_records_number(records, means.price);
}

void stop_table_append_records(struct text *csv, struct text *json,
                               const struct stopping_answer *answer)
{
    struct study_records records;
    study_records_begin(
        &records, "stopping", answer->plan->seed,
        "series,group,statistic,error,rule,interval,tests,stopped,accurate,accurate_share,error_mean,error_max,points_mean,points_stopped_mean,points_relative,price_mean",
        csv, json);
    for (size_t i = 0; i < answer->series_count * answer->plan->statistic_count; i++) {
        size_t series = i / answer->plan->statistic_count;
        for (size_t e = 0; e < answer->plan->error_count; e++) {
            struct view view = {answer, i % answer->plan->statistic_count, e};
            for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
                if (cell_of(&view, series, r)->tests > 0) {
                    append_record(&records, &view, series, r);
                }
            }
        }
    }
    study_records_end(&records);
}
