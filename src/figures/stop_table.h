/* The answers of the study of stop rules as tables. */
#ifndef DUET_FIGURES_STOP_TABLE_H
#define DUET_FIGURES_STOP_TABLE_H

#include "base/text.h"
#include "study/stopping_answer.h"

/* "mean", "p90", "p99.9". ret_name: room for 24 bytes. */
enum { STOP_NAME_BYTES = 24 };
void stop_statistic_name(const struct stats_statistic *statistic, char *ret_name);

/* For people: for each statistic and error a row a series and a group, a column a rule:
 * accurate tests (He 2021, figures 7 to 9), errors, points (figure 10), and prices. */
void stop_table_append(struct text *text, const struct stopping_answer *answer);
/* For programs: a row a series, statistic, error and rule. */
void stop_table_append_records(struct text *csv, struct text *json,
                               const struct stopping_answer *answer);

#endif
