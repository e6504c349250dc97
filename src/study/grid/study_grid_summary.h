/* What the configurations together say in a cell of study_grid.h. */
#ifndef DUET_STUDY_STUDY_GRID_SUMMARY_H
#define DUET_STUDY_STUDY_GRID_SUMMARY_H

#include "stats/spread.h"
#include "study/grid/study_grid.h"

#include <stdbool.h>
#include <stddef.h>

/* A study that ran, to its end or not; borrowed. */
struct study_grid {
    const struct study_grid_plan *plan;
    const struct model_dataset *dataset;
    const struct study_grid_cell *cells; /* as of study_grid_run() */
};

const struct study_grid_cell *study_grid_at(const struct study_grid *grid,
                                            size_t configuration, size_t cell);

/* Whether a cell has an answer of the test. */
bool study_grid_answers(const struct study_grid_cell *cell, enum study_test test);
/* Whether any configuration has one there. */
bool study_grid_any_answers(const struct study_grid *grid, size_t cell,
                            enum study_test test);
/* Whether any of a configuration's cells of the sampling has one. */
bool study_grid_has_sampling(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cells,
                             enum study_sampling sampling, enum study_test test);

/* The false positives of an environment's configurations in a cell, as shares of the
 * draws, in the set's order; how many. environment: dataset->environment_count for all.
 * ret_shares: room for every configuration. */
size_t study_grid_shares(const struct study_grid *grid, size_t environment, size_t cell,
                         enum study_test test, double *ret_shares);

/* How those shares are spread, in percent: their quartiles, and their density at
 * `points` places from 0 to 100, with a bandwidth of a draw at least. room: for every
 * configuration. False: there is no share. */
bool study_grid_density(const struct study_grid *grid, size_t environment, size_t cell,
                        enum study_test test, double *room, size_t points,
                        struct stats_spread *ret_spread, double *ret_at,
                        double *ret_density);

/* How those shares of all configurations are spread. */
struct study_grid_spread {
    size_t count;       /* 0: nothing below is set */
    size_t within_most; /* at most plan->false_most */
    size_t within_10;   /* at most 10 %, 20 % */
    size_t within_20;
    double median; /* of an even number the middle of the two in the middle */
    double mean;
    double most;
};

/* room: for every configuration; what is in it then is of no use. O(n log n). */
struct study_grid_spread study_grid_spread_of(const struct study_grid *grid,
                                              size_t cell, enum study_test test,
                                              double *room);

/* Configurations that answer in the cell, but whose groups cannot look changed, and did
 * in no draw: see study_grid_can_change(). */
size_t study_grid_count_powerless(const struct study_grid *grid, size_t cell,
                                  enum study_test test);

/* Configurations whose fewest samples are those of the cell (plan->cell_count: none is
 * enough), and *ret_powerless of them whose groups there cannot look changed. Those
 * without an answer of the sampling do not count. */
size_t study_grid_count_fewest(const struct study_grid *grid,
                               enum study_sampling sampling, enum study_test test,
                               size_t cell, size_t *ret_powerless);

/* Configurations of which the slowdown of this index is the smallest to be found
 * (slowdown_count: none is), see study_grid_detectable(). */
size_t study_grid_count_detectable(const struct study_grid *grid, size_t cell,
                                   enum study_test test, double found_least,
                                   size_t slowdown);

#endif
