/* What tells a study of one plan and one data set from every other: a number that files
 * with its units carry, so that they are not taken for those of another. */
#ifndef DUET_STUDY_LAB_STUDY_MARK_H
#define DUET_STUDY_LAB_STUDY_MARK_H

#include "study/grid/study_grid.h"
#include "study/planning_answer.h"
#include "study/study_coverage.h"
#include "study/study_prediction.h"
#include "study/study_sequential.h"
#include "study/study_stopping.h"
#include "study/study_variability.h"

/* FNV-1a, 64 bits, of everything that changes the numbers of a unit: the plan without
 * its threads, the data, and the version of duet. */
uint64_t study_mark_sequential(const struct study_sequential_plan *plan);
uint64_t study_mark_coverage(const struct study_coverage_plan *plan);
uint64_t study_mark_grid(const struct model_dataset *dataset,
                         const struct study_grid_plan *plan);
uint64_t study_mark_planning(const struct planning_answer *answer);
uint64_t study_mark_variability(const struct model_dataset *dataset,
                                const struct study_variability_plan *plan);
/* kind: 0 replays rules, 1 compares bootstraps, 2 does that for pictures. */
uint64_t study_mark_stopping(const struct study_stopping_plan *plan,
                             const struct study_series *series, size_t count,
                             unsigned kind);
uint64_t study_mark_prediction(const struct study_prediction_plan *plan,
                               const struct study_configuration *configurations,
                               size_t count);

#endif
