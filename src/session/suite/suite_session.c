#include "session/suite/suite_session.h"

#include "base/alloc.h"
#include "base/version.h"
#include "measure/hook.h"
#include "session/comparison/answers.h"
#include "session/comparison/failed.h"
#include "session/comparison/leftovers.h"
#include "session/storage.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is there ---- */

/* What is there is answered as this carrying out asks, with the others of it. */
static enum duet_code describe_again(const struct suite_session *session, size_t index,
                                     struct duet_error *reterr)
{
    const struct suite_entry *entry = &session->plan->entries[index];
    struct model_plan plan = entry->options->plan;
    plan.seed = entry->seed;
    struct model_analysis analysis =
        benchmark_describe(&entry->options->analysis, &plan);
    analysis.family = run_request_family(entry->options);
    return store_analysis_save(session->with.store, session->experiments[index],
                               &analysis, reterr);
}

/* The run that this one goes on with, and what of it is done. */
static enum duet_code resume(struct suite_session *session, bool *ret_found,
                             struct duet_error *reterr)
{
    struct suite_plan *plan = session->plan;
    struct store_suite suite = {0};
    enum duet_code code = store_suite_find(session->with.store, plan->suite.name,
                                           session->path, &suite, ret_found, reterr);
    if (code != DUET_OK || !*ret_found) {
        return code;
    }
    session->run = suite.id;
    if (!session->request->seed_given) {
        code = suite_plan_seed(plan, suite.seed, reterr);
    }
    for (size_t i = 0; i < plan->count && code == DUET_OK; i++) {
        code = store_suite_done(session->with.store, suite.id, plan->entries[i].name,
                                plan->entries[i].definition, &session->experiments[i],
                                reterr);
        if (code == DUET_OK && session->experiments[i] != 0) {
            session->outcomes[i] = SUITE_OUTCOME_DONE;
            session->taken++;
            code = describe_again(session, i, reterr);
        }
    }
    return code == DUET_OK
               ? store_suite_end(session->with.store, suite.id, STORE_RUNNING, reterr)
               : code;
}

static enum duet_code open_run(struct suite_session *session, struct duet_error *reterr)
{
    bool found = false;
    enum duet_code code = DUET_OK;
    if (session->request->resume) {
        code = resume(session, &found, reterr);
        if (code == DUET_OK && !found) {
            listener_warn(
                session->with.listener,
                "the store has no run of this suite to resume: a new one begins");
        }
    }
    return code != DUET_OK || found
               ? code
               : store_suite_begin(session->with.store, session->plan->suite.name,
                                   session->path, session->plan->seed,
                                   session->plan->count, BASE_VERSION, &session->run,
                                   reterr);
}

/* ---- Measuring ---- */

/* What a benchmark will take as far as its plan says so; NaN: it does not. */
static double planned_ns(const struct suite_entry *entry)
{
    const struct model_plan *plan = &entry->options->plan;
    return plan->runs == 0 && plan->until == MODEL_UNTIL_FIXED ? (double)plan->budget_ns
                                                               : (double)NAN;
}

/* `at`: in the order of measuring. */
static struct live_ordinal ordinal_of(const struct suite_session *session, size_t at)
{
    const struct suite_plan *plan = session->plan;
    struct live_ordinal ordinal = {.index = at + 1,
                                   .count = plan->count,
                                   .before_ns =
                                       (double)(clock_mono_ns() - session->began_ns)};
    memcpy(ordinal.found, session->found, sizeof ordinal.found);
    for (size_t i = at + 1; i < plan->count; i++) {
        size_t entry = plan->order[i];
        double planned = planned_ns(&plan->entries[entry]);
        if (session->outcomes[entry] == SUITE_OUTCOME_DONE) {
            continue;
        }
        if (!isnan(planned)) {
            ordinal.after_ns += planned;
        } else if (session->measured > 0) {
            ordinal.after_ns += session->done_ns / (double)session->measured;
        } else {
            ordinal.unknown++;
        }
    }
    return ordinal;
}

static enum duet_code measure_entry(struct suite_session *session, size_t at,
                                    struct measure_result *ret_result,
                                    struct duet_error *reterr)
{
    size_t index = session->plan->order[at];
    struct suite_entry *entry = &session->plan->entries[index];
    struct benchmark benchmark;
    enum duet_code code = suite_entry_make(session->plan, entry, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct benchmark_suite suite = {.run = session->run,
                                    .definition = entry->definition,
                                    .ordinal = ordinal_of(session, at),
                                    .check = entry->checked ? &entry->check : NULL};
    benchmark.suite = &suite;
    benchmark.revisions = session->request->base.revisions;
    code = benchmark_pick_cpus(entry->options, session->with.machine, &benchmark.plan,
                               reterr);
    if (code == DUET_OK) {
        code = benchmark_measure(&benchmark, &session->with,
                                 &session->experiments[index], ret_result, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

/* Whether the suite goes on after it: what is wrong lies with that benchmark. */
static bool is_its_own(enum duet_code code)
{
    switch (code) {
    case DUET_E_NOMEM:
    case DUET_E_IO:
    case DUET_E_UNSUITABLE:
    case DUET_E_SYSTEM:
    case DUET_E_INTERNAL:
    case DUET_E_INTERRUPTED:
        return false;
    case DUET_OK:
    case DUET_E_USAGE:
    case DUET_E_DOMAIN:
    case DUET_E_TOO_FEW:
    case DUET_E_NOT_FOUND:
    case DUET_E_FORMAT:
    case DUET_E_VERSION:
    case DUET_E_WORKLOAD:
    case DUET_E_TIMEOUT:
    case DUET_E_PEER:
    case DUET_E_PROTOCOL:
        break;
    }
    return true;
}

static void tell_failed(const struct suite_session *session, size_t index,
                        const struct measure_result *result,
                        const struct duet_error *error)
{
    const struct listener *listener = session->with.listener;
    listener_tell(listener, "%s: %s", session->plan->entries[index].name,
                  error->message);
    if (result->runs > 0 && !store_is_gone(session->with.store)) {
        listener_tell(listener,
                      "its %" PRIu64 " finished run%s %s kept: duet show %" PRId64,
                      result->runs, result->runs == 1 ? "" : "s",
                      result->runs == 1 ? "is" : "are", session->experiments[index]);
    }
}

/* With the answer as far as it can be said by now. */
static void tell_ended(struct suite_session *session, size_t at)
{
    const struct suite_plan *plan = session->plan;
    const struct listener *listener = session->with.listener;
    const struct live_ordinal ordinal = ordinal_of(session, at);
    size_t index = plan->order[at];
    bool failed = session->outcomes[index] == SUITE_OUTCOME_FAILED;
    struct answer answer = {.comparison.verdict = MODEL_VERDICT_FAILED};
    struct duet_error ignored;
    bool wanted = listener->ended != NULL || listener->progress != NULL;
    if (!wanted ||
        (!failed && answer_make(session->with.store, session->experiments[index], NULL,
                                &answer, &ignored) != DUET_OK)) {
        return; /* what is wrong is found again at the end */
    }
    session->found[answer.comparison.verdict]++;
    if (listener->ended != NULL) {
        const struct session_ended ended = {
            .name = plan->entries[index].name,
            .comparison = failed ? NULL : &answer.comparison,
            .index = session->taken + session->measured + session->failed,
            .count = plan->count,
            .left_ns = ordinal.unknown == 0 ? ordinal.after_ns : (double)NAN};
        listener->ended(listener->context, &ended);
    }
    answer_release(&answer);
}

static enum duet_code measure_all(struct suite_session *session,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t at = 0; at < session->plan->count && code == DUET_OK; at++) {
        size_t index = session->plan->order[at];
        if (session->outcomes[index] == SUITE_OUTCOME_DONE) {
            continue;
        }
        struct measure_result result = {0};
        uint64_t began_ns = clock_mono_ns();
        code = measure_entry(session, at, &result, reterr);
        leftovers_warn(session->with.listener, session->plan->entries[index].name,
                       &result);
        if (code == DUET_OK) {
            session->outcomes[index] = SUITE_OUTCOME_DONE;
            session->done_ns += (double)(clock_mono_ns() - began_ns);
            session->measured++;
            tell_ended(session, at);
            continue;
        }
        tell_failed(session, index, &result, reterr);
        if (is_its_own(code)) {
            session->outcomes[index] = SUITE_OUTCOME_FAILED;
            session->reasons[index] = alloc_string(reterr->message);
            session->failed++;
            tell_ended(session, at);
            code = DUET_OK;
        } else if (code == DUET_E_INTERRUPTED && result.runs > 0) {
            session->outcomes[index] = SUITE_OUTCOME_CUT;
        }
    }
    return code;
}

/* The clean-up whatever happened. */
enum duet_code suite_session_measure(struct suite_session *session,
                                     struct duet_error *reterr)
{
    const struct suite_plan *plan = session->plan;
    struct parameter_list *variables = &plan->options[0].variables[MODEL_OLD];
    char *hooks[2] = {NULL, NULL};
    const char *const texts[2] = {plan->suite.setup, plan->suite.cleanup};
    struct duet_error wrong = {0};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < 2; i++) {
        hooks[i] = texts[i] == NULL ? NULL : parameter_expand(variables, 0, texts[i]);
        if (texts[i] != NULL && hooks[i] == NULL) {
            code = error_no_memory(&wrong);
        }
    }
    bool needed = session->taken < plan->count;
    if (code == DUET_OK && needed) {
        code = hook_shell(hooks[0], "suite's setup", NULL, session->with.cancel_fd,
                          &wrong);
    }
    if (code != DUET_OK) {
        listener_tell(session->with.listener, "%s", wrong.message);
    } else {
        code = measure_all(session, &wrong);
    }
    struct duet_error unclean;
    enum duet_code cleaned = needed ? hook_clean(hooks[1], "suite's cleanup", NULL,
                                                 session->with.cancel_fd, &unclean)
                                    : DUET_OK;
    if (cleaned != DUET_OK) {
        listener_tell(session->with.listener, "%s", unclean.message);
    }
    free(hooks[0]);
    free(hooks[1]);
    if (code != DUET_OK) {
        *reterr = wrong;
    } else if (cleaned != DUET_OK) {
        *reterr = unclean;
        code = cleaned;
    }
    return code;
}

/* ---- Answers ---- */

/* *ret_made false: it was interrupted too early for an answer. */
static enum duet_code answer_entry(const struct suite_session *session, size_t index,
                                   struct answer *ret_answer, bool *ret_made,
                                   struct duet_error *reterr)
{
    struct store *store = session->with.store;
    const char *name = session->plan->entries[index].name;
    const char *reason = session->reasons[index];
    int64_t experiment = session->experiments[index];
    struct duet_error error;
    enum duet_code code = DUET_OK;
    *ret_made = true;
    switch (session->outcomes[index]) {
    case SUITE_OUTCOME_NONE:
        *ret_made = false;
        break;
    case SUITE_OUTCOME_DONE:
        code = answer_make(store, experiment, NULL, ret_answer, &error);
        break;
    case SUITE_OUTCOME_CUT:
        *ret_made = answer_make(store, experiment, NULL, ret_answer, &error) == DUET_OK;
        break;
    case SUITE_OUTCOME_FAILED:
        code = failed_answer(store, experiment, name, reason != NULL ? reason : "",
                             ret_answer, &error);
        break;
    }
    return code == DUET_OK ? DUET_OK
                           : error_set(reterr, code, "%s: %s", name, error.message);
}

enum duet_code suite_session_answer(const struct suite_session *session,
                                    struct answer *ret_answers, size_t *ret_count,
                                    struct duet_error *reterr)
{
    const struct suite_plan *plan = session->plan;
    *ret_count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        bool made = false;
        enum duet_code code =
            answer_entry(session, i, &ret_answers[*ret_count], &made, reterr);
        if (code != DUET_OK) {
            return code;
        }
        *ret_count += made;
    }
    return *ret_count > 0
               ? answers_conclude(session->with.store, ret_answers, *ret_count, reterr)
               : DUET_OK;
}

/* ---- Beginning and end ---- */

/* Finds what is wrong with any benchmark before the first is measured. */
static enum duet_code check_all(const struct suite_session *session,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < session->plan->count && code == DUET_OK; i++) {
        struct benchmark benchmark;
        const struct suite_entry *entry = &session->plan->entries[i];
        code = suite_entry_make(session->plan, entry, &benchmark, reterr);
        if (code == DUET_OK) {
            code = benchmark_pick_cpus(entry->options, session->with.machine,
                                       &benchmark.plan, reterr);
            benchmark_release(&benchmark);
        }
    }
    return code;
}

enum duet_code suite_session_prepare(struct suite_session *session,
                                     struct duet_error *reterr)
{
    size_t count = session->plan->count;
    session->began_ns = clock_mono_ns();
    session->outcomes = alloc_array(count, sizeof *session->outcomes);
    session->experiments = alloc_array(count, sizeof *session->experiments);
    session->reasons = alloc_array(count, sizeof(char *));
    if (session->outcomes == NULL || session->experiments == NULL ||
        session->reasons == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = machine_open(NULL, &session->with.machine, reterr);
    return code == DUET_OK ? check_all(session, reterr) : code;
}

enum duet_code suite_session_open(struct suite_session *session,
                                  struct duet_error *reterr)
{
    enum duet_code code =
        storage_open(session->request->base.store, true, &session->with.store, reterr);
    return code == DUET_OK ? open_run(session, reterr) : code;
}

enum duet_code suite_session_end(const struct suite_session *session,
                                 enum duet_code code, struct duet_error *reterr)
{
    enum store_state state = STORE_DONE;
    if (code == DUET_E_INTERRUPTED) {
        state = STORE_INTERRUPTED;
    } else if (code != DUET_OK || session->failed > 0) {
        state = STORE_FAILED;
    }
    return store_suite_end(session->with.store, session->run, state, reterr);
}

void suite_session_release(struct suite_session *session)
{
    storage_close(session->with.store, session->with.listener);
    machine_free(session->with.machine);
    for (size_t i = 0; session->reasons != NULL && i < session->plan->count; i++) {
        free(session->reasons[i]);
    }
    free((void *)session->reasons);
    free(session->outcomes);
    free(session->experiments);
}
