/* How much do measurements vary, and between what? Table 5 and figure 5 of Laaber 2019.
 */
#ifndef DUET_STUDY_STUDY_VARIABILITY_H
#define DUET_STUDY_STUDY_VARIABILITY_H

#include "base/error.h"
#include "model/dataset.h"
#include "study/study_book.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How wide the interval of a CV is, relative to it: classes of table 5. */
#define STUDY_WIDTH_NARROW_BELOW 0.3
#define STUDY_WIDTH_WIDE_ABOVE 0.6
enum study_width_class {
    STUDY_WIDTH_NARROW,
    STUDY_WIDTH_MEDIUM,
    STUDY_WIDTH_WIDE,
    STUDY_WIDTH_UNKNOWN
};

enum study_source {
    STUDY_SOURCE_ITERATIONS, /* within a trial: the benchmark itself */
    STUDY_SOURCE_TRIALS,     /* between trials of an instance */
    STUDY_SOURCE_INSTANCES,  /* between instances */
    STUDY_SOURCES,
    STUDY_SOURCE_NONE = STUDY_SOURCES /* nothing varies, or nothing is known */
};
const char *study_source_name(enum study_source source); /* "iterations" ... */

struct study_variability_plan {
    double confidence; /* of the CV's interval; 0.95 in the paper */
    size_t replicates; /* 1000 in the paper; 0: no interval */
    bool independent;  /* resample all values alike, not level by level */
    uint64_t seed;
    int threads;             /* 0: threads_usual() */
    struct study_book *book; /* a unit is the interval of a configuration; or NULL */
};

/* Mean and sample standard deviation of a level's CVs; NaN where there are too few. */
struct study_cv_spread {
    double mean;
    double sd;
};

/* One configuration. CVs are ratios (0.05: 5 %), with the sample standard deviation. */
struct study_variability_row {
    bool done;
    size_t values;
    size_t trials;
    size_t instances;
    double mean;
    double cv_total;
    struct study_cv_spread cv_trials;    /* figure 5: of each trial */
    struct study_cv_spread cv_instances; /* of each instance, its trials together */
    double cv_low, cv_high;              /* bootstrap interval of cv_total; or NaN */
    double rciw;                         /* (high - low) / CV; or NaN */
    enum study_width_class width;
    /* Components of variance, each as the standard deviation over the mean (NaN: the
     * data cannot tell), and which is the largest. */
    double component[STUDY_SOURCES];
    enum study_source dominant;
    double cv_ratio; /* of the pairs' ratios; NaN: no pairs */
};

/* The row of a benchmark in an environment; NULL: none is done. */
const struct study_variability_row *
study_variability_row_of(const struct model_dataset *dataset,
                         const struct study_variability_row *rows, size_t benchmark,
                         size_t environment);

/* Of the rows that are done: how many there are, how many each source dominates, and
 * whether a component of any is unknown. */
struct study_variability_tally {
    size_t done;
    size_t dominant[STUDY_SOURCES + 1]; /* the last: STUDY_SOURCE_NONE */
    bool any_unknown;
};
struct study_variability_tally
study_variability_tally_of(const struct study_variability_row *rows, size_t count);

/* ret_rows: one a configuration, in the set's order. `progress` is called between
 * configurations with values done and planned; false ends the study.
 * O(values * replicates).
 * Errors: DUET_E_DOMAIN (a plan out of range), DUET_E_INTERRUPTED (rows that are done
 * say so), DUET_E_FORMAT (the book has what cannot be), DUET_E_NOMEM. Source: Laaber
 * 2019 s.4, equations 5 to 7. Deviation: the bootstrap resamples instances, trials and
 * iterations (the paper does not say), and components of variance are estimated beside
 * figure 5's CVs, since a CV per instance holds that of the trials, too. */
BASE_MUST_USE enum duet_code study_variability_run(
    const struct model_dataset *dataset, const struct study_variability_plan *plan,
    bool (*progress)(void *context, uint64_t done, uint64_t planned), void *context,
    struct study_variability_row *ret_rows, struct duet_error *reterr);

/* The `most` benchmarks with the largest coefficient of variation in any environment,
 * all when there are no more, in the order of the data set. ret_benchmarks: room for
 * `most`. room: a number for every benchmark. Their number. O(configurations +
 * benchmarks most). */
size_t study_variability_most(const struct model_dataset *dataset,
                              const struct study_variability_row *rows, size_t most,
                              double *room, size_t *ret_benchmarks);

#endif
