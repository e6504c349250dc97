#include "session/suite/suite_session.h"

#include "base/alloc.h"
#include "base/version.h"
#include "measure/hook.h"
#include "session/comparison/answer_done.h"
#include "session/comparison/answers.h"
#include "session/comparison/confirm.h"
#include "session/storage.h"
#include "session/suite/suite_measure.h"
#include "store/store_companion.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <stdio.h>
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
    enum duet_code code = store_analysis_save(
        session->with.store, session->experiments[index], &analysis, reterr);
    return code == DUET_OK
               ? store_acceptance_save(session->with.store, session->experiments[index],
                                       &entry->options->acceptance, reterr)
               : code;
}

/* Two processes at one run would measure each other, and benchmarks twice. */
static enum duet_code take(const struct suite_session *session, int64_t suite,
                           struct duet_error *reterr)
{
    bool taken = false;
    int64_t busy = 0;
    char which[48] = "";
    enum duet_code code =
        store_suite_take(session->with.store, suite, &taken, &busy, reterr);
    if (code != DUET_OK || taken) {
        return code;
    }
    if (busy != 0) {
        (void)snprintf(which, sizeof which, " (experiment %" PRId64 ")", busy);
    }
    return error_set(reterr, DUET_E_USAGE,
                     "another process is measuring this suite%s: wait until it ends",
                     which);
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
    code = take(session, suite.id, reterr);
    if (code == DUET_OK && !session->request->seed_given) {
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

/* ---- Set-up and clean-up ---- */

static enum duet_code expand_hook(const struct suite_session *session, const char *text,
                                  char **ret_hook, struct duet_error *reterr)
{
    struct parameter_list *variables = &session->plan->options[0].variables[MODEL_OLD];
    *ret_hook = text == NULL ? NULL : parameter_expand(variables, 0, text);
    return text != NULL && *ret_hook == NULL ? error_no_memory(reterr) : DUET_OK;
}

static enum duet_code set_up(struct suite_session *session, struct duet_error *reterr)
{
    char *hook = NULL;
    if (session->set_up) {
        return DUET_OK;
    }
    enum duet_code code =
        expand_hook(session, session->plan->suite.setup, &hook, reterr);
    if (code == DUET_OK) {
        session->set_up = true; /* half of it needs the clean-up, too */
        code = hook_shell(hook, "suite's setup", NULL, session->with.cancel_fd, reterr);
    }
    if (code != DUET_OK) {
        listener_tell(session->with.listener, "%s", reterr->message);
    }
    free(hook);
    return code;
}

enum duet_code suite_session_clean(struct suite_session *session,
                                   struct duet_error *reterr)
{
    char *hook = NULL;
    if (!session->set_up) {
        return DUET_OK;
    }
    session->set_up = false;
    enum duet_code code =
        expand_hook(session, session->plan->suite.cleanup, &hook, reterr);
    if (code == DUET_OK) {
        code =
            hook_clean(hook, "suite's cleanup", NULL, session->with.cancel_fd, reterr);
    }
    if (code != DUET_OK) {
        listener_tell(session->with.listener, "%s", reterr->message);
    }
    free(hook);
    return code;
}

static bool may_confirm(const struct suite_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->entries[i].options->confirm) {
            return true;
        }
    }
    return false;
}

/* The clean-up whatever happened, but behind confirmations. */
enum duet_code suite_session_measure(struct suite_session *session,
                                     struct duet_error *reterr)
{
    struct duet_error unclean;
    bool needed = session->taken < session->plan->count;
    enum duet_code code = needed ? set_up(session, reterr) : DUET_OK;
    if (code == DUET_OK) {
        code = suite_measure_all(session, reterr);
    }
    if (code == DUET_OK && may_confirm(session->plan)) {
        return DUET_OK;
    }
    enum duet_code cleaned = suite_session_clean(session, &unclean);
    return code != DUET_OK || cleaned == DUET_OK
               ? code
               : error_set(reterr, cleaned, "%s", unclean.message);
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
        code = answer_done(store, experiment, NULL, ret_answer, &error);
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

/* The controls of the last of the answers, behind it; confirmations are made anew. */
static enum duet_code answer_companions(const struct suite_session *session,
                                        struct answer *answers, size_t *ret_count,
                                        struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    enum duet_code code =
        store_companions(session->with.store, answers[*ret_count - 1].experiment.id,
                         &ids, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct answer *answer = &answers[*ret_count];
        code = answer_make(session->with.store, ids[i], NULL, answer, reterr);
        if (code == DUET_OK && answer->comparison.role == MODEL_ROLE_CONTROL) {
            ++*ret_count;
            i = count;
        } else if (code == DUET_OK) {
            answer_release(answer);
        }
    }
    free(ids);
    return code;
}

static enum duet_code make_again(void *context, int64_t experiment, bool *ret_wanted,
                                 struct benchmark *ret_benchmark,
                                 struct duet_error *reterr)
{
    const struct suite_session *session = context;
    const struct suite_plan *plan = session->plan;
    for (size_t i = 0; i < plan->count; i++) {
        if (session->experiments[i] == experiment) {
            const struct suite_entry *entry = &plan->entries[i];
            *ret_wanted = entry->options->confirm;
            return *ret_wanted
                       ? suite_benchmark_make(session, entry, ret_benchmark, reterr)
                       : DUET_OK;
        }
    }
    *ret_wanted = false;
    return DUET_OK;
}

static bool is_to_confirm(const struct suite_session *session, int64_t experiment)
{
    for (size_t i = 0; i < session->plan->count; i++) {
        if (session->experiments[i] == experiment) {
            return session->plan->entries[i].options->confirm;
        }
    }
    return false;
}

enum duet_code suite_session_confirm(struct suite_session *session,
                                     struct answer **answers, size_t *count,
                                     struct duet_error *reterr)
{
    const struct confirm_source source = {.make = make_again, .context = session};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < *count && code == DUET_OK; i++) {
        bool due = confirm_failed(*answers, *count, i) != NULL &&
                   is_to_confirm(session, (*answers)[i].experiment.id);
        code = due ? set_up(session, reterr) : code;
    }
    return code == DUET_E_WORKLOAD ? DUET_OK /* it is told: nothing is confirmed */
           : code != DUET_OK
               ? code
               : confirm_failing(&session->with, &source, answers, count, reterr);
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
        code =
            made ? answer_companions(session, ret_answers, ret_count, reterr) : DUET_OK;
        if (code != DUET_OK) {
            return code;
        }
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
