/* One simulated experiment of study_sequential.h. */
#ifndef DUET_STUDY_STUDY_SEQUENTIAL_SAMPLE_H
#define DUET_STUDY_STUDY_SEQUENTIAL_SAMPLE_H

#include "stats/sequential/block_spread.h"
#include "stats/sequential/coins.h"
#include "study/study_sequential.h"

enum { STUDY_SEQUENTIAL_POSITIONS = 2, STUDY_SEQUENTIAL_RUNS_OF_BLOCK = 2 };

/* One simulated experiment. */
struct study_sequential_outcome {
    int sign;    /* of the verdict; 0: none */
    size_t runs; /* with which it came */
    bool missed;
};

/* A thread's storage. */
struct study_sequential_bench {
    struct stats_betting *betting;
    struct stats_block_spread *spread;
    struct stats_coins *coins; /* with a coin per run, in place of `spread` */
    double *runs[STUDY_SEQUENTIAL_POSITIONS];       /* a value a run */
    double *iterations[STUDY_SEQUENTIAL_POSITIONS]; /* plan->iterations a run */
    double *lost[STUDY_SEQUENTIAL_POSITIONS];       /* what is known of it, of each */
    double ratios[STUDY_SEQUENTIAL_ITERATIONS_MAX];
    double scratch[STUDY_SEQUENTIAL_ITERATIONS_MAX];
};

/* Errors: DUET_E_NOMEM, then it is to be released, too. */
BASE_MUST_USE enum duet_code
study_sequential_bench_init(const struct study_sequential_plan *plan,
                            struct study_sequential_bench *bench,
                            struct duet_error *reterr);
void study_sequential_bench_release(struct study_sequential_bench *bench);

/* Sample `index` of a model. With an effect the experiment goes on after its verdict,
 * to see whether its interval keeps holding the truth; without one a verdict is all
 * that can be wrong. Errors: those of the statistics. */
BASE_MUST_USE enum duet_code
study_sequential_simulate(const struct study_sequential_plan *plan, int model,
                          uint64_t index, struct study_sequential_bench *bench,
                          struct study_sequential_outcome *ret_outcome,
                          struct duet_error *reterr);

#endif
