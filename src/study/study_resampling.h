/* What does the basic bootstrap do to a series whose neighbours are alike? He 2021,
 * s.II: figures 2 to 5 and table I. */
#ifndef DUET_STUDY_STUDY_RESAMPLING_H
#define DUET_STUDY_STUDY_RESAMPLING_H

#include "study/study_stopping.h"

enum study_bootstrap { STUDY_BOOTSTRAP_BASIC, STUDY_BOOTSTRAP_BLOCK, STUDY_BOOTSTRAPS };
/* The paper's length of a block, its number of tests, and the intervals of its series.
 */
enum { STUDY_BLOCK_LENGTH = 24, STUDY_RESAMPLING_TESTS = 100, STUDY_WEEK = 7 };

/* What one bootstrap makes of a series. */
struct study_resampled {
    /* Lag-1 autocorrelations of the resamples: mean, and the range of the central 90 %.
     * A resample of equal values has none, and does not count; NaN: of all of them. */
    double acf_mean, acf_low, acf_high;
    /* The interval of the statistic, as shares of it: -0.02 is 2 % below. */
    double low, high;
    /* Tests that stop when the interval, looked at after every STUDY_BLOCK_LENGTH
     * points from the second one on, lies within the first of the plan's errors. */
    uint64_t tests, stopped, accurate;
};

struct study_resampling_row {
    size_t
        points; /* of the first STUDY_WEEK intervals, which the first numbers are of */
    double acf; /* NaN: they are all equal */
    struct study_resampled of[STUDY_BOOTSTRAPS];
};

/* "basic", "block". */
const char *study_bootstrap_name(enum study_bootstrap bootstrap);

/* What pictures of a series need, by bootstrap. Owned; release with
 * study_resampling_trace_release(). */
struct study_resampling_trace {
    double *sample[STUDY_BOOTSTRAPS]; /* the first resample: row.points values */
    double *acfs[STUDY_BOOTSTRAPS];   /* of each resample; NaN: it has none */
    double *shares[STUDY_BOOTSTRAPS]; /* its statistic's distance from the series', as a
                                         share of that; in no order */
};
void study_resampling_trace_release(struct study_resampling_trace *trace);

/* Fills a row for each series with the last of the plan's statistics. Errors and
 * progress (in series) as study_stopping_run(). plan->book: a unit is a series, kept
 * with its trace where these are wanted. ret_traces: as many as series, zeroed,
 * to be released also after an error; NULL: not wanted. Streams: 0xE800 and on. */
BASE_MUST_USE enum duet_code
study_resampling_run(const struct study_stopping_plan *plan,
                     const struct study_series *series, size_t series_count,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_resampling_row *ret_rows,
                     struct study_resampling_trace *ret_traces,
                     struct duet_error *reterr);

#endif
