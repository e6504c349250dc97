#include "session/comparison/confirm.h"

#include "base/alloc.h"
#include "base/version.h"
#include "session/comparison/answers.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/comparison/regions.h"

#include <stdlib.h>
#include <string.h>

/* The same benchmark with other coins, and layouts that differ between the sides. */
static enum duet_code confirm_again(const struct session *session,
                                    const struct benchmark *benchmark, int64_t of,
                                    const char *failed, struct answer *ret_answer,
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
                  "%s fails its gate: measured once more to confirm it", failed);
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
                                  int64_t experiment, const struct answer *failed,
                                  struct answer *ret_answer, bool *ret_made,
                                  struct duet_error *reterr)
{
    struct benchmark benchmark = {.name = NULL};
    bool wanted = false;
    enum duet_code code =
        source->make(source->context, experiment, &wanted, &benchmark, reterr);
    if (code != DUET_OK || !wanted) {
        return code;
    }
    code = confirm_again(session, &benchmark, experiment, failed->comparison.name,
                         ret_answer, reterr);
    benchmark_release(&benchmark);
    *ret_made = code == DUET_OK;
    if (code != DUET_OK && !ends_all(code)) {
        listener_warn(session->listener, "%s could not be confirmed: %s",
                      failed->comparison.name, reterr->message);
        code = DUET_OK;
    }
    return code;
}

/* ---- What belongs together ---- */

/* Regions, controls and confirmations stand behind theirs. */
static bool is_comparison(const struct answer *answer)
{
    return answer->experiment.region_of == 0 &&
           answer->comparison.role == MODEL_ROLE_COMPARISON;
}

const struct answer *confirm_failed(const struct answer *answers, size_t count,
                                    size_t at)
{
    const struct answer *whole = &answers[at];
    for (size_t i = at; i < count && is_comparison(whole); i++) {
        bool own = i == at || answers[i].experiment.region_of == whole->experiment.id;
        if (i > at && is_comparison(&answers[i])) {
            break;
        }
        if (own && answers[i].comparison.gate.state == MODEL_GATE_FAILED) {
            return &answers[i];
        }
    }
    return NULL;
}

/* How many regions those of a comparison were judged with; 0: it has none. */
static size_t region_family(const struct answer *answers, size_t count, int64_t whole)
{
    for (size_t i = 0; i < count; i++) {
        if (answers[i].experiment.region_of == whole) {
            return (size_t)answers[i].comparison.analysis.family;
        }
    }
    return 0;
}

/* Puts a confirmation, and its regions, behind what belongs to the comparison at `at`.
 * Takes it, on failure too. */
static enum duet_code put_behind(struct store *store, struct answer **answers,
                                 size_t *count, size_t at, struct answer *take_made,
                                 struct duet_error *reterr)
{
    struct answer *regions = NULL;
    struct answer *grown = NULL;
    size_t region_count = 0;
    size_t family = region_family(*answers, *count, (*answers)[at].experiment.id);
    enum duet_code code = regions_answer(store, take_made->experiment.id, family,
                                         &regions, &region_count, reterr);
    if (code == DUET_OK) {
        grown = alloc_resize(*answers, *count + 1 + region_count, sizeof *grown);
        code = grown == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    if (code != DUET_OK) {
        answers_free(regions, region_count);
        answer_release(take_made);
        return code;
    }
    do {
        at++;
    } while (at < *count && !is_comparison(&grown[at]));
    memmove(&grown[at + 1 + region_count], &grown[at], (*count - at) * sizeof *grown);
    grown[at] = *take_made;
    memcpy(&grown[at + 1], regions, region_count * sizeof *grown);
    free(regions);
    *answers = grown;
    *count += 1 + region_count;
    return DUET_OK;
}

enum duet_code confirm_failing(const struct session *session,
                               const struct confirm_source *source,
                               struct answer **answers, size_t *count,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < *count && code == DUET_OK; i++) {
        const struct answer *failed = confirm_failed(*answers, *count, i);
        struct answer made = {0};
        bool any = false;
        if (failed != NULL) {
            code = confirm_one(session, source, (*answers)[i].experiment.id, failed,
                               &made, &any, reterr);
        }
        if (any) {
            code = put_behind(session->store, answers, count, i, &made, reterr);
        }
    }
    answers_judge_gates(*answers, *count);
    return code;
}
