/* Inside the Gaussian process: what its model and its search for a kernel share. */
#ifndef DUET_STATS_GAUSSIAN_PROCESS_PRIVATE_H
#define DUET_STATS_GAUSSIAN_PROCESS_PRIVATE_H

#include "stats/regression/gaussian_process.h"

struct stats_gp {
    struct stats_lapack lapack;
    struct stats_gp_kernel kernel;
    size_t count;
    size_t features;
    double *points; /* all arrays in one block, which begins here */
    double *values;
    double *factor;  /* L with L L' = R, by columns, the lower triangle */
    double *weights; /* R^-1 (values - mean) */
    double *ones;    /* R^-1 1 */
    double ones_sum; /* 1' R^-1 1 */
    double mean;
    double variance; /* s^2 */
    double log_likelihood;
};

/* Checks the data and copies them; no kernel yet. */
BASE_MUST_USE enum duet_code gp_allocate(const struct stats_lapack *lapack,
                                         const struct stats_gp_data *data,
                                         struct stats_gp **ret_gp,
                                         struct duet_error *reterr);
/* Fills all that depends on gp->kernel; false: the covariance has no inverse. */
bool gp_condition(struct stats_gp *gp);

#endif
