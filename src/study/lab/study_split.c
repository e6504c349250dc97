#include "study/lab/study_split.h"

#include "study/lab/study_mark.h"

enum duet_code study_split_coverage(struct study_coverage_plan *plan,
                                    struct study_session *session,
                                    struct study_coverage_cell *ret_cells,
                                    struct duet_error *reterr)
{
    enum duet_code code =
        study_session_begin(session, study_coverage_units(plan),
                            study_mark_coverage(plan), &plan->book, reterr);
    if (code == DUET_OK) {
        code =
            study_coverage_run(plan, study_session_go_on, session, ret_cells, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}

enum duet_code study_split_sequential(struct study_sequential_plan *plan,
                                      struct study_session *session,
                                      struct study_sequential_cell *ret_cells,
                                      struct duet_error *reterr)
{
    enum duet_code code =
        study_session_begin(session, study_sequential_units(plan),
                            study_mark_sequential(plan), &plan->book, reterr);
    if (code == DUET_OK) {
        code =
            study_sequential_run(plan, study_session_go_on, session, ret_cells, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}

enum duet_code study_split_variability(const struct model_dataset *dataset,
                                       struct study_variability_plan *plan,
                                       struct study_session *session,
                                       struct study_variability_row *ret_rows,
                                       struct duet_error *reterr)
{
    enum duet_code code =
        study_session_begin(session, dataset->configuration_count,
                            study_mark_variability(dataset, plan), &plan->book, reterr);
    if (code == DUET_OK) {
        code = study_variability_run(dataset, plan, study_session_go_on, session,
                                     ret_rows, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}

enum duet_code study_split_stopping(struct study_stopping_plan *plan,
                                    const struct study_series *series,
                                    size_t series_count, struct study_session *session,
                                    struct study_stopping_cell *ret_cells,
                                    struct duet_error *reterr)
{
    enum duet_code code = study_session_begin(
        session, study_stopping_units(plan, series, series_count),
        study_mark_stopping(plan, series, series_count, 0), &plan->book, reterr);
    if (code == DUET_OK) {
        code = study_stopping_run(plan, series, series_count, study_session_go_on,
                                  session, ret_cells, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}

enum duet_code study_split_resampling(struct study_stopping_plan *plan,
                                      const struct study_series *series,
                                      size_t series_count,
                                      struct study_session *session,
                                      struct study_resampling_row *ret_rows,
                                      struct study_resampling_trace *ret_traces,
                                      struct duet_error *reterr)
{
    enum duet_code code = study_session_begin(
        session, series_count,
        study_mark_stopping(plan, series, series_count, ret_traces == NULL ? 1 : 2),
        &plan->book, reterr);
    if (code == DUET_OK) {
        code = study_resampling_run(plan, series, series_count, study_session_go_on,
                                    session, ret_rows, ret_traces, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}

enum duet_code study_split_prediction(struct study_prediction_plan *plan,
                                      const struct study_configuration *configurations,
                                      size_t count, struct study_session *session,
                                      struct study_prediction_cell *ret_cells,
                                      struct duet_error *reterr)
{
    enum duet_code code = study_session_begin(
        session, study_prediction_units(plan, configurations, count),
        study_mark_prediction(plan, configurations, count), &plan->book, reterr);
    if (code == DUET_OK) {
        code = study_prediction_run(plan, configurations, count, study_session_go_on,
                                    session, ret_cells, reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}
