/* How good are stop rules? Simulated tests on series of measurements whose truth is
 * known from later measurements (He 2021, s.IV). */
#ifndef DUET_STUDY_STUDY_STOPPING_H
#define DUET_STUDY_STUDY_STOPPING_H

#include "analysis/stop/stop_rule.h"
#include "study/study_book.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One benchmark on one kind of machine. */
struct study_series {
    const char *name;
    const char *group;    /* series are summed up by it, such as their cloud */
    const double *values; /* in the order in which they were measured, positive */
    size_t count;
    size_t test_points; /* the first ones, which tests are simulated on; the others are
                           the ground truth */
    double interval;    /* points of an interval (a day); need not be whole */
};

/* Where simulated tests begin, and what they may read. */
enum study_starts {
    STUDY_STARTS_ALL,  /* at every test point; a test that comes to the end of the test
                          points goes on at their beginning, so that each has all */
    STUDY_STARTS_THIRD /* at every point of their first third; a test ends with them */
};

enum { STUDY_STATISTICS_MAX = 8 };

struct study_stopping_plan {
    bool rules[ANALYSIS_STOP_RULES];
    struct stats_statistic statistics[STUDY_STATISTICS_MAX];
    size_t statistic_count;
    double errors[ANALYSIS_STOP_ERRORS_MAX];
    size_t error_count;
    double confidence;
    size_t replicates;
    enum study_starts starts;
    size_t every; /* only each such start: 1 for all */
    uint64_t seed;
    int threads;             /* 0: threads_usual() */
    struct study_book *book; /* of study_stopping_units(); borrowed; or NULL */
};

/* All tests of one series, statistic, rule and error. An unstopped test used all test
 * points; accuracy and errors are of stopped ones. */
struct study_stopping_cell {
    uint64_t tests;
    uint64_t stopped;
    uint64_t accurate; /* stopped with an error below the one allowed */
    double error_sum;  /* |result - truth| / truth */
    double error_max;
    double points_sum;         /* of all tests */
    double points_stopped_sum; /* of stopped ones */
};

/* Cells of a plan: series by series, in a series by statistic, then rule (all
 * ANALYSIS_STOP_RULES, those not in the plan with no test), then error. */
size_t study_stopping_cells(const struct study_stopping_plan *plan,
                            size_t series_count);

/* Units of the study: some starts of a series each. */
uint64_t study_stopping_units(const struct study_stopping_plan *plan,
                              const struct study_series *series, size_t series_count);

/* Fills ret_cells. `progress` is called between batches in the calling thread with
 * finished and planned simulated tests (one for all rules together); false ends the
 * study. The same numbers for any number of threads. Streams: 0xE000 and on.
 * Errors: DUET_E_DOMAIN (plan; a series without ground truth or shorter than an
 * interval; a value that is not positive), DUET_E_INTERRUPTED (series that are done are
 * in ret_cells, others have no test), DUET_E_FORMAT (the book has what cannot be),
 * DUET_E_NOMEM. Where the book leaves units to others, the cells hold what is known. */
BASE_MUST_USE enum duet_code
study_stopping_run(const struct study_stopping_plan *plan,
                   const struct study_series *series, size_t series_count,
                   bool (*progress)(void *context, uint64_t done, uint64_t planned),
                   void *context, struct study_stopping_cell *ret_cells,
                   struct duet_error *reterr);

#endif
