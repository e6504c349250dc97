/* Is a machine's performance predicted better from careful tests of other machines? A
 * Gaussian process learns from some configurations and predicts another (He 2021, s.V,
 * figure 11). */
#ifndef DUET_STUDY_STUDY_PREDICTION_H
#define DUET_STUDY_STUDY_PREDICTION_H

#include "study/study_book.h"
#include "study/study_training.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct study_prediction_plan {
    struct study_training_plan training;
    size_t features;         /* of a configuration: 1 to STATS_GP_FEATURES_MAX */
    const char *target;      /* only configurations of this name; NULL: each */
    uint64_t predictions;    /* of each, by each kind of training; at least 2 */
    bool one_length;         /* of the kernel, see stats_gp_fit() */
    struct study_book *book; /* of study_prediction_units(); borrowed; or NULL */
};

enum { STUDY_PREDICTION_OTHERS_MIN = 3 }; /* that a configuration is predicted from */

/* Predictions of one configuration by one kind of training. The truth as training
 * always gives the same prediction, which is made once: what the model itself is off
 * by. */
struct study_prediction_cell {
    uint64_t predictions; /* 0: not made */
    double error_mean;    /* of |prediction - truth| / truth */
    double error_sd;      /* of the same; NaN for one prediction */
    double error_low;     /* 5 % and 95 % quantiles of (prediction - truth) / truth */
    double error_high;
    double points_mean; /* that a training value takes; NaN for the truth */
};

/* Units of the study: the configurations that are predicted. */
uint64_t study_prediction_units(const struct study_prediction_plan *plan,
                                const struct study_configuration *configurations,
                                size_t count);

/* Fills ret_cells (count x STUDY_TRAININGS). For a prediction of a configuration a test
 * is drawn for each other one of its benchmark, the same for all kinds of training; a
 * process is fitted to the logarithms of their means (noise is multiplicative there, as
 * CherryPick has it, and a configuration twice as fast lies as far away as one half as
 * fast) and the exponential of its posterior mean is the prediction. `progress` is
 * called between batches in the calling thread with tests and predictions finished and
 * planned; false ends the study. The same numbers for any number of threads. Streams:
 * 0xEA02 and 0xEA03. Errors: DUET_E_DOMAIN (plan; values), DUET_E_TOO_FEW (a benchmark
 * with too few configurations; none is called as the target), DUET_E_UNSUITABLE (no
 * LAPACKE), DUET_E_INTERRUPTED (configurations that are done are in ret_cells),
 * DUET_E_FORMAT (the book has what cannot be), DUET_E_NOMEM. Where the book leaves
 * units to others, the cells hold what is known. */
BASE_MUST_USE enum duet_code
study_prediction_run(const struct study_prediction_plan *plan,
                     const struct study_configuration *configurations, size_t count,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_prediction_cell *ret_cells,
                     struct duet_error *reterr);

/* Mean error, over that of the same configuration's predictions by a handful of points.
 */
double study_prediction_relative(const struct study_prediction_cell *cell,
                                 const struct study_prediction_cell *handful);

/* Means over the configurations that a kind of training has predictions of. */
struct study_prediction_means {
    size_t configurations; /* 0: the rest is NaN */
    double error;
    double relative; /* study_prediction_relative() */
    double points;   /* that a training value takes; NaN for the truth */
};
/* cells: count x STUDY_TRAININGS, as study_prediction_run() sets them. */
struct study_prediction_means
study_prediction_means_of(const struct study_prediction_cell *cells, size_t count,
                          size_t training);

#endif
