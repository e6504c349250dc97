/* The answers of the study of stop rules as tables. */
#ifndef DUET_CLI_STOP_TABLE_H
#define DUET_CLI_STOP_TABLE_H

#include "base/text.h"
#include "study/study_resampling.h"
#include "study/study_stopping.h"

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

/* For people: for each statistic and error a row a series and a group, a column a rule:
 * accurate tests (He 2021, figures 7 to 9), errors, points (figure 10), and prices. */
void stop_table_append(struct text *text, const struct stop_table *table);
/* For programs: a row a series, statistic, error and rule, header first, RFC 4180. */
void stop_table_append_csv(struct text *text, const struct stop_table *table);

/* He 2021, s.II: table I and the numbers of figures 3 to 5. */
void resampling_table_append(struct text *text, const struct stop_table *table,
                             const struct study_resampling_row *rows);
void resampling_table_append_csv(struct text *text, const struct stop_table *table,
                                 const struct study_resampling_row *rows);

#endif
