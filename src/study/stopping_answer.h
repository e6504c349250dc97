/* The answer of duet study stopping, and what its cells say together. */
#ifndef DUET_STUDY_STOPPING_ANSWER_H
#define DUET_STUDY_STOPPING_ANSWER_H

#include "study/study_stopping.h"

/* All borrowed. */
struct stopping_answer {
    const struct study_stopping_plan *plan;
    const struct study_series *series;
    size_t series_count;
    const struct study_stopping_cell *cells; /* of study_stopping_run() */
    double price_per_hour; /* of the machine that a test needs; 0: not asked for */
    double interval_hours;
};

/* Numbers of the plan's lists: which tests. */
struct stopping_column {
    size_t statistic;
    size_t error;
    size_t rule;
};

const struct study_stopping_cell *
stopping_answer_cell(const struct stopping_answer *answer,
                     const struct stopping_column *column, size_t series);

/* Groups come in the order of their first series. */
size_t stopping_answer_groups(const struct stopping_answer *answer);
bool stopping_answer_is_first(const struct stopping_answer *answer, size_t series);

/* All tests of a group's series; group NULL: of all series. */
struct study_stopping_cell stopping_answer_sum(const struct stopping_answer *answer,
                                               const struct stopping_column *column,
                                               const char *group);
/* The points of an interval of such series, as many of each as its tests took: by it
 * the points of all their tests make as many intervals as each series' by its own. NaN:
 * of no test. */
double stopping_answer_interval(const struct stopping_answer *answer,
                                const struct stopping_column *column,
                                const char *group);

/* What tests come to. NaN: of no test, or of none that stopped. */
struct stopping_means {
    double stopped_pct;  /* of the tests */
    double accurate_pct; /* of those that stopped */
    double error;        /* mean of those that stopped, a share of the truth */
    double error_most;
    double points;          /* of a test */
    double points_stopped;  /* of one that stopped */
    double points_relative; /* to Metior's */
    double price; /* of a test, its machine rented from its beginning to its end; NaN
                     also when no price was asked for */
};

/* metior: the same tests' by that rule. interval: points of an interval. */
struct stopping_means stopping_answer_means(const struct stopping_answer *answer,
                                            const struct study_stopping_cell *cell,
                                            const struct study_stopping_cell *metior,
                                            double interval);

#endif
