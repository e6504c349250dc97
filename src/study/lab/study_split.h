/* The studies whose units can be split, in a session: what is known of them is taken,
 * the session's share of the others computed and kept. Groups: grid_cells.h; plans:
 * planning_all.h. */
#ifndef DUET_STUDY_LAB_STUDY_SPLIT_H
#define DUET_STUDY_LAB_STUDY_SPLIT_H

#include "study/lab/study_session.h"
#include "study/study_coverage.h"
#include "study/study_prediction.h"
#include "study/study_resampling.h"
#include "study/study_sequential.h"
#include "study/study_variability.h"

/* What study_coverage_run() and its like do, with the session's book as that of the
 * plan and the session to ask. Results are there also when it was interrupted. Errors:
 * those of the run and of the session. */
BASE_MUST_USE enum duet_code study_split_coverage(struct study_coverage_plan *plan,
                                                  struct study_session *session,
                                                  struct study_coverage_cell *ret_cells,
                                                  struct duet_error *reterr);
BASE_MUST_USE enum duet_code study_split_sequential(
    struct study_sequential_plan *plan, struct study_session *session,
    struct study_sequential_cell *ret_cells, struct duet_error *reterr);
BASE_MUST_USE enum duet_code study_split_variability(
    const struct model_dataset *dataset, struct study_variability_plan *plan,
    struct study_session *session, struct study_variability_row *ret_rows,
    struct duet_error *reterr);
BASE_MUST_USE enum duet_code study_split_stopping(struct study_stopping_plan *plan,
                                                  const struct study_series *series,
                                                  size_t series_count,
                                                  struct study_session *session,
                                                  struct study_stopping_cell *ret_cells,
                                                  struct duet_error *reterr);
BASE_MUST_USE enum duet_code study_split_resampling(
    struct study_stopping_plan *plan, const struct study_series *series,
    size_t series_count, struct study_session *session,
    struct study_resampling_row *ret_rows, struct study_resampling_trace *ret_traces,
    struct duet_error *reterr);
BASE_MUST_USE enum duet_code
study_split_prediction(struct study_prediction_plan *plan,
                       const struct study_configuration *configurations, size_t count,
                       struct study_session *session,
                       struct study_prediction_cell *ret_cells,
                       struct duet_error *reterr);

#endif
