#include "study/lab/planning_all.h"

#include "study/lab/study_mark.h"

/* A configuration under way; it may take minutes. */
struct asking {
    struct study_session *session;
    uint64_t done;
    uint64_t planned;
};

static bool go_on(void *context)
{
    const struct asking *asking = context;
    return study_session_go_on(asking->session, asking->done, asking->planned);
}

static enum duet_code plan_one(const struct planning_answer *answer,
                               size_t configuration, struct study_session *session,
                               struct duet_error *reterr)
{
    struct planning_row *row = &answer->rows[configuration];
    struct asking asking = {session, configuration,
                            answer->dataset->configuration_count};
    struct study_planning planning = *answer->planning;
    planning.go_on = go_on;
    planning.context = &asking;
    enum duet_code code = study_planning_run(answer->dataset, configuration, &planning,
                                             &row->planned, reterr);
    row->too_few = code == DUET_E_TOO_FEW;
    row->done = code == DUET_OK || row->too_few;
    return row->done ? DUET_OK : code;
}

/* The numbers of a unit. */
enum {
    OF_TOO_FEW,
    OF_FOUND,
    OF_INSTANCES,
    OF_TRIALS,
    OF_ITERATIONS,
    OF_COST,
    OF_FOUND_SHARE,
    OF_HELD_OUT_FOUND,
    OF_HELD_OUT_FALSE,
    OF_UNIT
};

static void pack(const struct planning_row *row, double numbers[OF_UNIT])
{
    const struct study_planned *planned = &row->planned;
    numbers[OF_TOO_FEW] = row->too_few ? 1.0 : 0.0;
    numbers[OF_FOUND] = planned->found ? 1.0 : 0.0;
    numbers[OF_INSTANCES] = (double)planned->instances;
    numbers[OF_TRIALS] = (double)planned->trials;
    numbers[OF_ITERATIONS] = (double)planned->iterations;
    numbers[OF_COST] = planned->cost;
    numbers[OF_FOUND_SHARE] = planned->found_share;
    numbers[OF_HELD_OUT_FOUND] = planned->held_out_found;
    numbers[OF_HELD_OUT_FALSE] = planned->held_out_false;
}

static bool unpack(const struct study_page *page, struct planning_row *ret_row)
{
    uint64_t counts[OF_COST] = {0};
    bool right = page->count == OF_UNIT;
    for (size_t i = 0; i < OF_COST && right; i++) {
        right = study_page_whole(page, i, i <= OF_FOUND ? 1 : UINT32_MAX, &counts[i]);
    }
    *ret_row = (struct planning_row){.done = right, .too_few = counts[OF_TOO_FEW] != 0};
    if (right) {
        ret_row->planned =
            (struct study_planned){.found = counts[OF_FOUND] != 0,
                                   .instances = (size_t)counts[OF_INSTANCES],
                                   .trials = (size_t)counts[OF_TRIALS],
                                   .iterations = (size_t)counts[OF_ITERATIONS],
                                   .cost = page->numbers[OF_COST],
                                   .found_share = page->numbers[OF_FOUND_SHARE],
                                   .held_out_found = page->numbers[OF_HELD_OUT_FOUND],
                                   .held_out_false = page->numbers[OF_HELD_OUT_FALSE]};
    }
    return right;
}

static enum duet_code take_unit(const struct planning_answer *answer,
                                struct study_book *book, size_t configuration,
                                struct study_session *session,
                                struct duet_error *reterr)
{
    double numbers[OF_UNIT];
    struct planning_row *row = &answer->rows[configuration];
    const struct study_page *known = study_book_find(book, configuration);
    if (known != NULL) {
        return unpack(known, row) ? DUET_OK : study_page_wrong(configuration, reterr);
    }
    if (!study_book_wants(book, configuration)) {
        return DUET_OK;
    }
    if (!study_session_go_on(session, configuration,
                             answer->dataset->configuration_count)) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    enum duet_code code = plan_one(answer, configuration, session, reterr);
    if (code == DUET_OK) {
        pack(row, numbers);
        code = study_book_put(book, configuration, numbers, OF_UNIT, reterr);
    }
    return code;
}

static enum duet_code plan_all(const struct planning_answer *answer,
                               struct study_session *session, struct duet_error *reterr)
{
    struct study_book *book = NULL;
    size_t count = answer->dataset->configuration_count;
    enum duet_code code =
        study_session_begin(session, count, study_mark_planning(answer), &book, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t c = 0; c < count && code == DUET_OK; c++) {
        code = take_unit(answer, book, c, session, reterr);
    }
    return study_session_end(session, code, reterr);
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

enum duet_code planning_all(const struct planning_answer *answer,
                            struct study_session *session, struct duet_error *reterr)
{
    enum duet_code code = plan_all(answer, session, reterr);
    return code == DUET_OK && study_session_shows(session, code)
               ? check_any(answer, reterr)
               : code;
}
