#include "session/comparison/confirm.h"

#include "base/alloc.h"
#include "base/version.h"
#include "session/comparison/answers.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"

#include <stdlib.h>
#include <string.h>

/* The same benchmark with other coins, and layouts that differ between the sides. */
static enum duet_code confirm_again(const struct session *session,
                                    const struct benchmark *benchmark, int64_t of,
                                    struct answer *ret_answer,
                                    struct duet_error *reterr)
{
    const uint64_t other_seed = UINT64_C(0x3c3c3c3c3c3c3c3c);
    struct benchmark again = *benchmark; /* the strings stay the first one's */
    struct experiments made = {0};
    char *name = alloc_format("%s (%s)", again.plan.name,
                              model_role_name(MODEL_ROLE_CONFIRMATION));
    if (name == NULL) {
        return error_no_memory(reterr);
    }
    again.plan.name = name;
    again.plan.seed = (again.plan.seed ^ other_seed) & (uint64_t)INT64_MAX;
    again.plan.layout = MODEL_LAYOUT_INDEPENDENT;
    again.same_output = false;
    again.suite = NULL;
    again.role = MODEL_ROLE_CONFIRMATION;
    again.of = of;
    listener_tell(session->listener,
                  "%s fails its gate: measured once more to confirm it",
                  benchmark->plan.name);
    enum duet_code code = controlled_carry_out(&again, session, false, &made, reterr);
    leftovers_warn(session->listener, name, &made.result);
    if (code == DUET_OK) {
        code = answer_make(session->store, made.experiment, NULL, ret_answer, reterr);
    }
    if (code == DUET_OK) {
        code = store_comparison_save(session->store, made.experiment,
                                     &ret_answer->comparison, BASE_VERSION, reterr);
        if (code != DUET_OK) {
            answer_release(ret_answer);
        }
    }
    free(name);
    return code;
}

/* Whether the confirmations of the others are still worth while. */
static bool ends_all(enum duet_code code)
{
    return code == DUET_E_INTERRUPTED || code == DUET_E_NOMEM || code == DUET_E_IO ||
           code == DUET_E_UNSUITABLE || code == DUET_E_SYSTEM;
}

static enum duet_code confirm_one(const struct session *session,
                                  const struct confirm_source *source,
                                  const struct answer *failed,
                                  struct answer *ret_answer, bool *ret_made,
                                  struct duet_error *reterr)
{
    struct benchmark benchmark = {.name = NULL};
    int64_t experiment = failed->experiment.id;
    bool wanted = false;
    enum duet_code code =
        source->make(source->context, experiment, &wanted, &benchmark, reterr);
    if (code != DUET_OK || !wanted) {
        return code;
    }
    code = confirm_again(session, &benchmark, experiment, ret_answer, reterr);
    benchmark_release(&benchmark);
    *ret_made = code == DUET_OK;
    if (code != DUET_OK && !ends_all(code)) {
        listener_warn(session->listener, "%s could not be confirmed: %s",
                      failed->comparison.name, reterr->message);
        code = DUET_OK;
    }
    return code;
}

enum duet_code confirm_failing(const struct session *session,
                               const struct confirm_source *source,
                               struct answer *answers, size_t *ret_count,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < *ret_count && code == DUET_OK; i++) {
        struct answer made = {0};
        bool any = false;
        if (answers[i].comparison.gate.state == MODEL_GATE_FAILED) {
            code = confirm_one(session, source, &answers[i], &made, &any, reterr);
        }
        if (!any) {
            continue;
        }
        size_t at = i + 1; /* behind its control */
        while (at < *ret_count &&
               answers[at].comparison.of == answers[i].experiment.id) {
            at++;
        }
        memmove(&answers[at + 1], &answers[at], (*ret_count - at) * sizeof *answers);
        answers[at] = made;
        ++*ret_count;
    }
    answers_judge_gates(answers, *ret_count);
    return code;
}
