/* How often are sequential verdicts wrong, and how soon are they there? Positions'
 * times are drawn from a noise model, a coin assigns the sides to them, and the
 * confidence sequence of stats/sequential/betting is looked at after every coin
 * (docs/method.md).
 */
#ifndef DUET_STUDY_STUDY_SEQUENTIAL_H
#define DUET_STUDY_STUDY_SEQUENTIAL_H

#include "stats/rank/order.h"
#include "study/study_book.h"
#include "study/study_coverage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The models of enum study_model and four more. */
enum {
    STUDY_SEQUENTIAL_DRIFT = STUDY_MODELS, /* normal, and the difference between the
                                              positions grows steadily */
    STUDY_SEQUENTIAL_STEAL,    /* normal, and in storms CPU time is taken away */
    STUDY_SEQUENTIAL_NOISIER,  /* normal; the new side's noise is new_noise */
    STUDY_SEQUENTIAL_ONESIDED, /* as steal, but only the new side's losses are known */
    STUDY_SEQUENTIAL_MODELS
};
/* The name of one of the STUDY_SEQUENTIAL_MODELS. */
const char *study_sequential_model_name(int model);

enum { STUDY_SEQUENTIAL_BLOCKS_MAX = 10000, STUDY_SEQUENTIAL_ITERATIONS_MAX = 20 };

struct study_sequential_plan {
    double confidence; /* 1 - alpha */
    double effect;     /* new takes 1 + effect times as long; > -1; 0: A/A */
    double noise;      /* standard deviation of an iteration's time within its run; that
                          of a run's is half as large; > 0 */
    double new_noise;  /* of STUDY_SEQUENTIAL_NOISIER, the new side's; > 0 */
    enum stats_location location; /* of the log ratios in a run */
    size_t iterations;            /* of a run, up to STUDY_SEQUENTIAL_ITERATIONS_MAX */
    size_t blocks;     /* pairs of runs at most, up to STUDY_SEQUENTIAL_BLOCKS_MAX */
    bool coin_per_run; /* of some runs, as live (stats/sequential/coins.h); false: one a
                          block */
    uint64_t samples;  /* simulated experiments of a model */
    uint64_t seed;
    int model;               /* only this one; STUDY_SEQUENTIAL_MODELS: all */
    int threads;             /* 0: threads_usual() */
    struct study_book *book; /* of study_sequential_units(); borrowed; or NULL */
};
/* Units of the study: some hundred samples of a model each. */
uint64_t study_sequential_units(const struct study_sequential_plan *plan);

/* One model. A verdict is wrong when it has the effect's sign reversed or, without an
 * effect, when there is one. */
struct study_sequential_cell {
    int model;
    uint64_t samples; /* finished */
    uint64_t wrong;
    uint64_t right;  /* always 0 without an effect */
    uint64_t missed; /* experiments of which some look's interval, to the last run,
                        did not hold the true effect */
    /* 99 % Clopper-Pearson intervals of the shares of `wrong` and of `missed`. */
    double wrong_low, wrong_high;
    double missed_low, missed_high;
    /* Runs until the verdict, over all samples; NaN: not within the planned ones. */
    double runs_median;
    double runs_p90;
};

/* Fills ret_cells[STUDY_SEQUENTIAL_MODELS]. `progress` as in study_coverage_run(). The
 * same counts for any number of threads.
 *
 * The logarithm of a time is the sum of a run's value (half the noise, one for each
 * position), an iteration's (the noise), 0.02 for the second position and, with the
 * drift, 0.1 times the noise for every run so far at the second position. Under ar1
 * runs and iterations each follow one series through the whole experiment; under
 * twolevel both are normal and the run's has the iterations' standard deviation. With
 * steal a third of the runs are in a storm, where half of the iterations of each
 * position lose CPU time: the time grows by a factor whose logarithm is exponential
 * with mean 0.5. How much was lost is known of nine in ten of them, with
 * onesided of the new side's only. With noisier the new side's runs and iterations have
 * new_noise in place of the noise, wherever the coin has put it; the centres are equal.
 * Errors:
 * DUET_E_DOMAIN (a plan out of range), DUET_E_INTERRUPTED (what is done is in
 * ret_cells), DUET_E_FORMAT (the book has what cannot be), DUET_E_NOMEM. Where the book
 * leaves units to others, the cells hold what is known. */
BASE_MUST_USE enum duet_code
study_sequential_run(const struct study_sequential_plan *plan,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_sequential_cell *ret_cells,
                     struct duet_error *reterr);

#endif
