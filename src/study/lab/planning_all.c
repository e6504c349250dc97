#include "study/lab/planning_all.h"

#include "study/lab/planning_state.h"

static enum duet_code plan_one(const struct planning_answer *answer,
                               size_t configuration, struct duet_error *reterr)
{
    struct planning_row *row = &answer->rows[configuration];
    enum duet_code code = study_planning_run(answer->dataset, configuration,
                                             answer->planning, &row->planned, reterr);
    row->too_few = code == DUET_E_TOO_FEW;
    row->done = code == DUET_OK || row->too_few;
    return row->done ? DUET_OK : code;
}

/* What is done already stays as it is. */
static enum duet_code plan_all(const struct planning_answer *answer, const char *path,
                               struct study_session *session, struct duet_error *reterr)
{
    struct study_state state = {.path = path};
    size_t count = answer->dataset->configuration_count;
    enum duet_code code = DUET_OK;
    struct duet_error kept_error = {0};
    enum duet_code kept = DUET_OK;
    if (state.path != NULL) {
        code = planning_state_begin(&state, answer, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    for (size_t c = 0; c < count && code == DUET_OK && kept == DUET_OK; c++) {
        if (answer->rows[c].done) {
            continue;
        }
        if (!study_session_go_on(session, c, count)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code = plan_one(answer, c, reterr);
        if (state.path != NULL) {
            kept = planning_state_keep(&state, answer, false, &kept_error);
        }
    }
    if (state.path != NULL && kept == DUET_OK) {
        kept = planning_state_keep(&state, answer, true, &kept_error);
    }
    return kept == DUET_OK ? code : error_set(reterr, kept, "%s", kept_error.message);
}

/* Data of which nothing can be planned. */
static enum duet_code check_any(const struct planning_answer *answer,
                                struct duet_error *reterr)
{
    size_t most = 0;
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        size_t count = answer->dataset->configurations[c].count;
        most = count > most ? count : most;
        if (!answer->rows[c].too_few) {
            return DUET_OK;
        }
    }
    return error_set(
        reterr, DUET_E_TOO_FEW,
        "a plan needs 4 instances of a benchmark, half of them to check it with, and none has more than %zu; "
        "--map instance=NAME says which column tells instances apart",
        most);
}

enum duet_code planning_all(const struct planning_answer *answer, const char *path,
                            struct study_session *session, struct duet_error *reterr)
{
    enum duet_code code = plan_all(answer, path, session, reterr);
    return code == DUET_OK ? check_any(answer, reterr) : code;
}
