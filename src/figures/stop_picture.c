#include "figures/stop_picture.h"

#include "base/alloc.h"
#include "figures/study_pictures.h"
#include "report/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double accuracy_of(const struct stopping_means *means)
{
    return means->accurate_pct;
}

static double points_of(const struct stopping_means *means)
{
    return isnan(means->points_relative) ? means->points : means->points_relative;
}

static double price_of(const struct stopping_means *means)
{
    return means->price;
}

/* A row of bars: a series, for the error of its panel, or a group for one error. */
struct row {
    char *name;
    size_t series;
    const char *group; /* NULL: of all series */
    size_t error;      /* of a group */
};

struct rows {
    struct row *list;
    size_t count;
    const char **names;
    double *places; /* 0, 1, 2 ... */
    bool groups;
};

static const struct subject {
    const char *file;
    const char *title;
    const char *without; /* title where Metior's tests are not there; NULL: the same */
    const char *label;
    const char *unit;
    double (*value_of)(const struct stopping_means *means);
    bool groups;
    bool priced; /* only when there is a price */
    double high; /* end of the axis; 0: by the values */
} subjects[] = {
    {"accuracy.svg", "Accurate tests of those that stopped, by series", NULL,
     "accurate tests", "%", accuracy_of, false, false, 100.0},
    {"points.svg", "Points of a test, relative to Metior's, by series",
     "Points of a test, by series", "points", NULL, points_of, false, false, 0.0},
    {"summary.svg", "Accurate tests of those that stopped, by allowed error", NULL,
     "accurate tests", "%", accuracy_of, true, false, 100.0},
    {"executions.svg", "Executions of a test, relative to Metior's",
     "Executions of a test", "executions", NULL, points_of, true, false, 0.0},
    {"prices.svg", "Price of a test", NULL, "price", NULL, price_of, true, true, 0.0},
};

static bool add_row(struct rows *rows, const struct row *row)
{
    rows->list[rows->count] = *row;
    rows->names[rows->count] = row->name;
    rows->places[rows->count] = (double)rows->count;
    rows->count += row->name == NULL ? 0 : 1;
    return row->name != NULL;
}

static bool add_series(struct rows *rows, const struct stopping_answer *answer)
{
    bool added = true;
    for (size_t s = 0; s < answer->series_count && added; s++) {
        const struct row row = {alloc_string(answer->series[s].name), s, NULL, 0};
        added = add_row(rows, &row);
    }
    return added;
}

static bool add_group(struct rows *rows, const struct stopping_answer *answer,
                      const char *group, size_t error)
{
    double pct = 100.0 * answer->plan->errors[error];
    const struct row row = {
        alloc_format("%s, %.6g %%", group == NULL ? "all" : group, pct), 0, group,
        error};
    return add_row(rows, &row);
}

static bool add_groups(struct rows *rows, const struct stopping_answer *answer)
{
    bool several = stopping_answer_groups(answer) > 1;
    bool added = true;
    for (size_t e = 0; e < answer->plan->error_count && added; e++) {
        for (size_t s = 0; s < answer->series_count && several && added; s++) {
            if (stopping_answer_is_first(answer, s)) {
                added = add_group(rows, answer, answer->series[s].group, e);
            }
        }
        added = added && add_group(rows, answer, NULL, e);
    }
    return added;
}

static void rows_release(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->list[i].name);
    }
    free(rows->list);
    free((void *)rows->names);
    free(rows->places);
}

/* Rows of series, or of groups. */
static enum duet_code rows_init(struct rows *rows, const struct stopping_answer *answer,
                                bool groups, struct duet_error *reterr)
{
    size_t most = groups
                      ? (stopping_answer_groups(answer) + 1) * answer->plan->error_count
                      : answer->series_count;
    *rows = (struct rows){.list = alloc_array(most, sizeof *rows->list),
                          .names = alloc_array(most, sizeof *rows->names),
                          .places = alloc_array(most, sizeof *rows->places),
                          .groups = groups};
    bool whole = rows->list != NULL && rows->names != NULL && rows->places != NULL;
    whole = whole && (groups ? add_groups(rows, answer) : add_series(rows, answer));
    return whole ? DUET_OK : error_no_memory(reterr);
}

/* Of which tests a panel is. */
struct tests {
    size_t statistic;
    size_t error; /* of rows that are series */
};

static double value_at(const struct stopping_answer *answer,
                       const struct subject *subject, const struct row *row,
                       const struct tests *tests, size_t rule)
{
    size_t error = subject->groups ? row->error : tests->error;
    struct stopping_column own = {tests->statistic, error, rule};
    struct stopping_column metior = {tests->statistic, error, ANALYSIS_STOP_METIOR};
    struct study_stopping_cell cells[2];
    double interval = answer->series[row->series].interval;
    if (subject->groups) {
        cells[0] = stopping_answer_sum(answer, &own, row->group);
        cells[1] = stopping_answer_sum(answer, &metior, row->group);
        interval = stopping_answer_interval(answer, &own, row->group);
    } else {
        cells[0] = *stopping_answer_cell(answer, &own, row->series);
        cells[1] = *stopping_answer_cell(answer, &metior, row->series);
    }
    const struct stopping_means means =
        stopping_answer_means(answer, &cells[0], &cells[1], interval);
    return cells[0].tests == 0 ? (double)NAN : subject->value_of(&means);
}

/* All that a panel borrows. */
struct drawn {
    struct plot_series bars[ANALYSIS_STOP_RULES];
    char title[2 * STOP_NAME_BYTES];
    double *values; /* by rule, row */
};

static void name_panel(const struct stopping_answer *answer,
                       const struct subject *subject, const struct tests *tests,
                       struct drawn *drawn)
{
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&answer->plan->statistics[tests->statistic], statistic);
    if (subject->groups) {
        (void)snprintf(drawn->title, sizeof drawn->title, "%s", statistic);
    } else {
        (void)snprintf(drawn->title, sizeof drawn->title, "%s, %.6g %%", statistic,
                       100.0 * answer->plan->errors[tests->error]);
    }
}

static void fill_panel(const struct stopping_answer *answer,
                       const struct subject *subject, const struct rows *rows,
                       const struct tests *tests, struct drawn *drawn,
                       struct plot_panel *ret_panel)
{
    size_t used = 0;
    name_panel(answer, subject, tests, drawn);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        double *values = drawn->values + r * rows->count;
        if (!answer->plan->rules[r]) {
            continue;
        }
        for (size_t i = 0; i < rows->count; i++) {
            values[i] = value_at(answer, subject, &rows->list[i], tests, r);
        }
        drawn->bars[used] = (struct plot_series){
            .name = analysis_stop_rule_name((enum analysis_stop_rule)r),
            .kind = PLOT_BARS,
            .color = used,
            .count = rows->count,
            .x = rows->places,
            .y = values,
            .missing = "none stopped"};
        used++;
    }
    *ret_panel = (struct plot_panel){
        .title = drawn->title,
        .x = {.label = subject->label, .unit = subject->unit, .high = subject->high},
        .y = {.categories = rows->names, .category_count = rows->count},
        .series = drawn->bars,
        .series_count = used};
}

/* A panel a statistic; of series, whose rows have no error of their own, such panels
 * for one error below those of the other. */
static enum duet_code write_picture(const char *folder, const struct subject *subject,
                                    const struct stopping_answer *answer,
                                    const struct rows *rows, struct duet_error *reterr)
{
    bool relative = answer->plan->rules[ANALYSIS_STOP_METIOR];
    size_t statistics = answer->plan->statistic_count;
    size_t count = statistics * (subject->groups ? 1 : answer->plan->error_count);
    size_t bars = ANALYSIS_STOP_RULES * rows->count;
    struct plot_panel *panels = alloc_array(count, sizeof *panels);
    struct drawn *drawn = alloc_array(count, sizeof *drawn);
    double *values = alloc_array(count * bars, sizeof *values);
    char note[STUDY_NOTE_BYTES];
    study_pictures_series_note(note, answer->series, answer->series_count);
    const struct plot_figure figure = {
        .title =
            relative || subject->without == NULL ? subject->title : subject->without,
        .description =
            subject->groups
                ? "A panel for each result, a row for each group of series and allowed error, a bar for each stop rule."
                : "A panel for each result and allowed error, a row a series of measurements, a bar for each stop rule.",
        .note = note,
        .panels = panels,
        .panel_count = count,
        .columns = 1};
    if (panels == NULL || drawn == NULL || values == NULL) {
        free(values);
        free(drawn);
        free(panels);
        return error_no_memory(reterr);
    }
    for (size_t p = 0; p < count; p++) {
        const struct tests tests = {p % statistics, p / statistics};
        drawn[p].values = values + p * bars;
        fill_panel(answer, subject, rows, &tests, &drawn[p], &panels[p]);
    }
    enum duet_code code = study_picture_write(folder, subject->file, &figure, reterr);
    free(values);
    free(drawn);
    free(panels);
    return code;
}

enum duet_code stop_pictures_write(const char *folder,
                                   const struct stopping_answer *answer,
                                   struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int groups = 0; groups < 2 && code == DUET_OK; groups++) {
        struct rows rows;
        code = rows_init(&rows, answer, groups == 1, reterr);
        for (size_t i = 0; i < sizeof subjects / sizeof *subjects && code == DUET_OK;
             i++) {
            bool wanted = subjects[i].groups == rows.groups &&
                          (!subjects[i].priced || answer->price_per_hour > 0.0);
            code = wanted ? write_picture(folder, &subjects[i], answer, &rows, reterr)
                          : DUET_OK;
        }
        rows_release(&rows);
    }
    return code;
}
