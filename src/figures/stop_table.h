/* The answers of the study of stop rules as tables. */
#ifndef DUET_FIGURES_STOP_TABLE_H
#define DUET_FIGURES_STOP_TABLE_H

#include "base/text.h"
#include "study/study_stopping.h"

#include <stdbool.h>

/* "mean", "p90", "p99.9". ret_name: room for 24 bytes. */
enum { STOP_NAME_BYTES = 24 };
void stop_statistic_name(const struct stats_statistic *statistic, char *ret_name);

struct stop_table {
    const struct study_stopping_plan *plan;
    const struct study_series *series;
    size_t series_count;
    const struct study_stopping_cell *cells;
    double price_per_hour; /* of the machine that a test needs; 0: not asked for */
    double interval_hours;
};

/* Numbers of the plan's lists: which tests. */
struct stop_column {
    size_t statistic;
    size_t error;
    size_t rule;
};

/* All tests of a group's series; group NULL: of all series. */
struct study_stopping_cell stop_table_sum(const struct stop_table *table,
                                          const struct stop_column *column,
                                          const char *group);
/* The mean number of points of an interval of such series. */
double stop_table_interval(const struct stop_table *table, const char *group);
/* What a test costs on average: its machine rented from its beginning to its end.
 * interval: points of an interval. */
double stop_table_price(const struct stop_table *table,
                        const struct study_stopping_cell *cell, double interval);
/* Groups come in the order of their first series. */
size_t stop_table_groups(const struct stop_table *table);
bool stop_table_is_first_of_group(const struct stop_table *table, size_t series);

/* For people: for each statistic and error a row a series and a group, a column a rule:
 * accurate tests (He 2021, figures 7 to 9), errors, points (figure 10), and prices. */
void stop_table_append(struct text *text, const struct stop_table *table);
/* For programs: a row a series, statistic, error and rule. */
void stop_table_append_records(struct text *csv, struct text *json,
                               const struct stop_table *table);

#endif
