/* Draws groups of many sizes from every configuration and counts what the tests see:
 * false positives without a slowdown, detections with one. */
#ifndef DUET_STUDY_STUDY_GRID_H
#define DUET_STUDY_STUDY_GRID_H

#include "study/grid/study_detector.h"
#include "study/study_book.h"

enum {
    STUDY_SIZES_MAX = 32, /* numbers of instances, and of trials */
    STUDY_CELLS_MAX = (int)STUDY_SAMPLINGS * STUDY_SIZES_MAX * STUDY_SIZES_MAX,
    STUDY_SIDE_MAX = 255
};

struct study_grid_plan {
    struct study_detector
        detector; /* slowdown 0 is no slowdown: its changes are false */
    struct study_cell cells[STUDY_CELLS_MAX];
    size_t cell_count;
    unsigned tests; /* bit t: test t */
    size_t draws;   /* of a cell, up to 65535 */
    /* Cells of a sampling are looked at from the fewest values on (of equal products,
     * more trials before more instances), and for each test only up to the first that
     * has at most `false_most` false positives. */
    bool fewest;
    double false_most; /* a share of the draws */
    uint64_t seed;
    int threads;             /* 0: threads_usual() */
    struct study_book *book; /* of study_grid_units(); borrowed; or NULL */
};
/* Units of the study: a cell of a configuration each; with plan->fewest, all cells of a
 * sampling, since which of them are looked at follows from the ones before. */
uint64_t study_grid_units(const struct model_dataset *dataset,
                          const struct study_grid_plan *plan);

struct study_grid_cell {
    bool done;      /* it is known */
    unsigned tests; /* those applied; without a bit of a test there is no answer */
    uint32_t changed[STUDY_TESTS][STUDY_SLOWDOWNS_MAX];
    uint32_t faster[STUDY_TESTS][STUDY_SLOWDOWNS_MAX];
};

/* cells: plan->cell_count a configuration, configuration by configuration. A cell for
 * which there is not enough data is done and has no tests. `progress` is called between
 * cells with the work done and planned; false ends the study. The same counts for any
 * number of threads, and for a cell in whichever study: they follow from seed,
 * configuration, cell and draw. Errors: DUET_E_DOMAIN (a plan out of range),
 * DUET_E_INTERRUPTED (what is done says so), DUET_E_FORMAT (the book has what cannot
 * be), DUET_E_NOMEM. Source: Laaber 2019 s.5.3 and s.5.4. */
BASE_MUST_USE enum duet_code
study_grid_run(const struct model_dataset *dataset, const struct study_grid_plan *plan,
               bool (*progress)(void *context, uint64_t done, uint64_t planned),
               void *context, struct study_grid_cell *ret_cells,
               struct duet_error *reterr);

/* Whether the groups of a cell can look changed to a test at all. To the rank-sum test
 * they cannot while even the smallest p value of so few values, times the repetitions,
 * is too large: then there are no false positives, and nothing is detected either.
 * O(trials of the configuration). */
bool study_grid_can_change(const struct model_dataset *dataset,
                           const struct study_grid_plan *plan, size_t configuration,
                           size_t cell, enum study_test test);

/* False positives of a test: its share of the draws. */
double study_grid_false_share(const struct study_grid_plan *plan,
                              const struct study_grid_cell *cell, enum study_test test);

/* The index of the smallest slowdown above 0 that at least `found_least` of the draws
 * find, when at most plan->false_most have false positives; slowdown_count: none.
 * Source: Laaber 2019 s.5.4.1. */
size_t study_grid_detectable(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cell, enum study_test test,
                             double found_least);

/* Of a configuration's cells, the index of the first in the order of plan->fewest that
 * has few enough false positives; plan->cell_count: none. Source: Laaber 2019 s.5.3.3.
 */
size_t study_grid_fewest(const struct study_grid_plan *plan,
                         const struct study_grid_cell *cells,
                         enum study_sampling sampling, enum study_test test);

#endif
