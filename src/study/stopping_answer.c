#include "study/stopping_answer.h"

#include "study/study_share.h"

#include <math.h>
#include <string.h>

const struct study_stopping_cell *
stopping_answer_cell(const struct stopping_answer *answer,
                     const struct stopping_column *column, size_t series)
{
    const struct study_stopping_plan *plan = answer->plan;
    size_t row = series * plan->statistic_count + column->statistic;
    size_t at =
        (row * ANALYSIS_STOP_RULES + column->rule) * plan->error_count + column->error;
    return &answer->cells[at];
}

static bool is_member(const struct study_series *series, const char *group)
{
    return group == NULL || strcmp(series->group, group) == 0;
}

bool stopping_answer_is_first(const struct stopping_answer *answer, size_t series)
{
    for (size_t s = 0; s < series; s++) {
        if (is_member(&answer->series[s], answer->series[series].group)) {
            return false;
        }
    }
    return true;
}

size_t stopping_answer_groups(const struct stopping_answer *answer)
{
    size_t groups = 0;
    for (size_t s = 0; s < answer->series_count; s++) {
        groups += stopping_answer_is_first(answer, s) ? 1 : 0;
    }
    return groups;
}

struct study_stopping_cell stopping_answer_sum(const struct stopping_answer *answer,
                                               const struct stopping_column *column,
                                               const char *group)
{
    struct study_stopping_cell sum = {0};
    for (size_t s = 0; s < answer->series_count; s++) {
        const struct study_stopping_cell *cell =
            stopping_answer_cell(answer, column, s);
        if (!is_member(&answer->series[s], group)) {
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

double stopping_answer_interval(const struct stopping_answer *answer,
                                const struct stopping_column *column, const char *group)
{
    double points = 0.0;
    double intervals = 0.0;
    for (size_t s = 0; s < answer->series_count; s++) {
        if (is_member(&answer->series[s], group)) {
            double own = stopping_answer_cell(answer, column, s)->points_sum;
            points += own;
            intervals += own / answer->series[s].interval;
        }
    }
    return points / intervals;
}

struct stopping_means stopping_answer_means(const struct stopping_answer *answer,
                                            const struct study_stopping_cell *cell,
                                            const struct study_stopping_cell *metior,
                                            double interval)
{
    double stopped = (double)cell->stopped;
    double points = cell->points_sum / (double)cell->tests;
    bool priced = answer->price_per_hour > 0.0;
    return (struct stopping_means){
        .stopped_pct = study_share_pct(cell->stopped, cell->tests),
        .accurate_pct = study_share_pct(cell->accurate, cell->stopped),
        .error = cell->error_sum / stopped,
        .error_most = cell->stopped > 0 ? cell->error_max : (double)NAN,
        .points = points,
        .points_stopped = cell->points_stopped_sum / stopped,
        .points_relative = points / (metior->points_sum / (double)metior->tests),
        .price =
            priced ? points / interval * answer->interval_hours * answer->price_per_hour
                   : (double)NAN};
}
