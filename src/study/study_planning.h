/* The cheapest instances x trials x iterations that find a wanted slowdown, from
 * measured variability. */
#ifndef DUET_STUDY_STUDY_PLANNING_H
#define DUET_STUDY_STUDY_PLANNING_H

#include "study/grid/study_grid.h"

struct study_planning {
    double effect;                /* the slowdown to be found, above 0 */
    enum study_sampling sampling; /* STUDY_SAMPLINGS: not chosen yet */
    enum study_test test;         /* STUDY_TESTS: not chosen yet */
    double confidence;
    double delta_least; /* of the rank-sum test */
    double found_least; /* share of the draws that must find it */
    double false_most;
    /* What an instance and a trial cost beside their iterations, in iterations. */
    double instance_cost;
    double trial_cost;
    size_t draws;
    size_t replicates;
    uint64_t seed;
    int threads; /* 0: threads_usual() */
    /* Asked before each drawing of groups; false: DUET_E_INTERRUPTED. NULL: go on. */
    bool (*go_on)(void *context);
    void *context;
};

/* Of one configuration. */
struct study_planned {
    bool found; /* else nothing below is set */
    size_t instances;
    size_t trials;
    size_t iterations;
    double cost; /* of one group, in iterations */
    /* Shares of the draws: from the half of the instances that the plan was made on,
     * and from the other half. NaN: that half has too few instances. */
    double found_share;
    double held_out_found;
    double held_out_false;
};

/* Chooses what is not: for data of pairs (`paired`) pairs, for other data trials of the
 * same instances; for pairs the test of their ratio, else the rank-sum test. */
void study_planning_choose(struct study_planning *planning, bool paired);

/* Every second instance is held out. Sizes of 1, 2, 3, 5, 8, 10, 15, 20, ... are tried
 * from the cheapest on, on the other half, until one finds the effect in enough draws,
 * with few enough false positives; then the same size is tried on those held out.
 * O(sizes * draws). Errors: DUET_E_DOMAIN (out of range), DUET_E_TOO_FEW (fewer than
 * four instances), DUET_E_INTERRUPTED, DUET_E_NOMEM. Source: Laaber 2019 s.6 names it
 * as future work; the tests are those of study_detector.h. */
BASE_MUST_USE enum duet_code study_planning_run(const struct model_dataset *dataset,
                                                size_t configuration,
                                                const struct study_planning *planning,
                                                struct study_planned *ret_planned,
                                                struct duet_error *reterr);

#endif
