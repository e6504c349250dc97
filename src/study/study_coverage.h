/* How often do the intervals hold the truth? Simulated data of known truth, analysed as
 * measured data is (docs/method.md, "Which interval is the default"). */
#ifndef DUET_STUDY_STUDY_COVERAGE_H
#define DUET_STUDY_STUDY_COVERAGE_H

#include "analysis/conclude.h"
#include "study/study_book.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the independent values that an interval rests on look like. All have the mean 0
 * and a standard deviation of about 1, except where said. */
enum study_model {
    STUDY_MODEL_NORMAL,
    STUDY_MODEL_LOGNORMAL, /* exp(Z): skewed */
    STUDY_MODEL_PARETO,    /* tail exponent 2.5: finite variance, no third moment */
    STUDY_MODEL_BIMODAL,   /* two narrow modes, one four times as frequent */
    STUDY_MODEL_AR1,       /* not independent: normal, lag-1 autocorrelation 0.4 */
    STUDY_MODEL_TWOLEVEL,  /* 20 iterations a run, half of a run's variance is theirs */
    STUDY_MODELS
};
const char *study_model_name(enum study_model model);

struct study_coverage_plan {
    double confidence;
    uint64_t samples;    /* simulated experiments a cell */
    uint64_t replicates; /* of the bootstraps */
    uint64_t seed;
    enum study_model model;  /* only this one; STUDY_MODELS: all */
    int threads;             /* 0: threads_usual() */
    struct study_book *book; /* of study_coverage_units(); borrowed; or NULL */
};
/* Units of the study: some samples of a cell each. */
uint64_t study_coverage_units(const struct study_coverage_plan *plan);

/* A cell: one method on one model with `size` independent values (runs, blocks for the
 * methods over blocks, runs of each side for the standard method). */
struct study_coverage_cell {
    enum model_interval_method method;
    enum study_model model;
    size_t size;
    uint64_t samples;   /* finished */
    uint64_t covered;   /* intervals with both ends that hold the truth */
    uint64_t unbounded; /* without both ends: they say nothing, and count as no cover */
    double width_pct;   /* mean width of the bounded ones, in % of the ratio */
};

enum { STUDY_COVERAGE_SIZES = 5 }; /* 3, 5, 10, 20, 30 */

/* Cells of a table with all models and all methods of enum model_interval_method. */
size_t study_coverage_cells(void);

/* Fills ret_cells (study_coverage_cells() of them: by size, then model, then method).
 * `progress` is called between units in the calling thread with finished and planned
 * samples; false ends the study, and cells then hold the samples done so far (0 where
 * none is). The same counts for any number of threads.
 *
 * The paired methods see runs of one pair (20 with the two-level model) whose log ratio
 * is 0.05 times the model's value; methods over blocks get two runs of the same value a
 * block, so that all stand on `size` independent ones. The standard method sees two
 * sides of times 1 + 0.05 times the model's value, measured apart. The truth is a ratio
 * of 1. Streams: its own (docs/method.md).
 * Errors: DUET_E_DOMAIN (no sample, options out of range), DUET_E_INTERRUPTED (what is
 * done is in ret_cells), DUET_E_FORMAT (the book has what cannot be), DUET_E_NOMEM.
 * Where the book leaves units to others, the cells hold what is known. */
BASE_MUST_USE enum duet_code
study_coverage_run(const struct study_coverage_plan *plan,
                   bool (*progress)(void *context, uint64_t done, uint64_t planned),
                   void *context, struct study_coverage_cell *ret_cells,
                   struct duet_error *reterr);

#endif
