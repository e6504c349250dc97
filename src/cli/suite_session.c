#include "cli/suite_session.h"

#include "base/alloc.h"
#include "cli/answers.h"
#include "cli/cli.h"
#include "cli/failed.h"
#include "cli/gate_words.h"
#include "cli/version.h"
#include "measure/hook.h"
#include "session/storage.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What became of an entry. */
enum outcome { OUTCOME_NONE, OUTCOME_DONE, OUTCOME_FAILED };

struct session {
    const struct suite_request *request;
    struct suite_plan *plan;
    const char *path;
    struct machine *machine;
    struct store *store;
    int cancel_fd;
    int64_t run; /* of the store */
    enum outcome *outcomes;
    int64_t *experiments; /* 0: none */
    char **reasons;       /* of what failed, owned; NULL: did not, or no memory */
    size_t taken;         /* entries that were there already */
    size_t failed;
    uint64_t began_ns;
    double done_ns; /* that the measured entries took */
    size_t measured;
};

/* ---- What is there ---- */

/* What is there is answered as this carrying out asks, with the others of it. */
static enum duet_code describe_again(const struct session *session, size_t index,
                                     struct duet_error *reterr)
{
    const struct suite_entry *entry = &session->plan->entries[index];
    struct model_plan plan = entry->options->plan;
    plan.seed = entry->seed;
    struct model_analysis analysis =
        benchmark_describe(&entry->options->analysis, &plan);
    analysis.family = run_options_family(entry->options);
    return store_analysis_save(session->store, session->experiments[index], &analysis,
                               reterr);
}

/* The run that this one goes on with, and what of it is done. */
static enum duet_code resume(struct session *session, bool *ret_found,
                             struct duet_error *reterr)
{
    struct suite_plan *plan = session->plan;
    struct store_suite suite = {0};
    enum duet_code code = store_suite_find(session->store, plan->suite.name,
                                           session->path, &suite, ret_found, reterr);
    if (code != DUET_OK || !*ret_found) {
        return code;
    }
    session->run = suite.id;
    if (!session->request->seed_given) {
        code = suite_plan_seed(plan, suite.seed, reterr);
    }
    for (size_t i = 0; i < plan->count && code == DUET_OK; i++) {
        code = store_suite_done(session->store, suite.id, plan->entries[i].name,
                                plan->entries[i].definition, &session->experiments[i],
                                reterr);
        if (code == DUET_OK && session->experiments[i] != 0) {
            session->outcomes[i] = OUTCOME_DONE;
            session->taken++;
            code = describe_again(session, i, reterr);
        }
    }
    return code == DUET_OK
               ? store_suite_end(session->store, suite.id, STORE_RUNNING, reterr)
               : code;
}

static enum duet_code open_run(struct session *session, struct duet_error *reterr)
{
    bool found = false;
    enum duet_code code = DUET_OK;
    if (session->request->resume) {
        code = resume(session, &found, reterr);
        if (code == DUET_OK && !found) {
            cli_warn("the store has no run of this suite to resume: a new one begins");
        }
    }
    return code != DUET_OK || found
               ? code
               : store_suite_begin(session->store, session->plan->suite.name,
                                   session->path, session->plan->seed,
                                   session->plan->count, CLI_VERSION, &session->run,
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
static struct live_place place_of(const struct session *session, size_t at)
{
    const struct suite_plan *plan = session->plan;
    struct live_place place = {.index = at + 1,
                               .count = plan->count,
                               .before_ns =
                                   (double)(clock_mono_ns() - session->began_ns)};
    for (size_t i = at + 1; i < plan->count; i++) {
        size_t entry = plan->order[i];
        double planned = planned_ns(&plan->entries[entry]);
        if (session->outcomes[entry] == OUTCOME_DONE) {
            continue;
        }
        if (!isnan(planned)) {
            place.after_ns += planned;
        } else if (session->measured > 0) {
            place.after_ns += session->done_ns / (double)session->measured;
        } else {
            place.unknown++;
        }
    }
    return place;
}

static enum duet_code measure_entry(struct session *session, size_t at,
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
                                    .place = place_of(session, at),
                                    .check = entry->checked ? &entry->check : NULL};
    benchmark.suite = &suite;
    code = benchmark_place(entry->options, session->machine, &benchmark.plan, reterr);
    if (code == DUET_OK) {
        code = benchmark_measure(&benchmark, entry->options, session->machine,
                                 session->store, session->cancel_fd,
                                 &session->experiments[index], ret_result, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

/* Whether the suite goes on after it: what is wrong lies with that benchmark. */
static bool is_its_own(enum duet_code code)
{
    int status = cli_exit_of(code);
    return status == CLI_EXIT_WORKLOAD || status == CLI_EXIT_USAGE;
}

static void say_failed(const struct session *session, size_t index,
                       const struct measure_result *result,
                       const struct duet_error *error)
{
    (void)fprintf(stderr, "duet: %s: %s\n", session->plan->entries[index].name,
                  error->message);
    if (result->runs > 0) {
        (void)fprintf(stderr,
                      "duet: its %" PRIu64 " finished run%s %s kept: duet show %" PRId64
                      "\n",
                      result->runs, result->runs == 1 ? "" : "s",
                      result->runs == 1 ? "is" : "are", session->experiments[index]);
    }
}

static enum duet_code measure_all(struct session *session, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t at = 0; at < session->plan->count && code == DUET_OK; at++) {
        size_t index = session->plan->order[at];
        if (session->outcomes[index] == OUTCOME_DONE) {
            continue;
        }
        struct measure_result result = {0};
        uint64_t began_ns = clock_mono_ns();
        code = measure_entry(session, at, &result, reterr);
        if (result.leftovers > 0) {
            cli_warn("%s: %" PRIu64 " left-over processes were killed",
                     session->plan->entries[index].name, result.leftovers);
        }
        if (code == DUET_OK) {
            session->outcomes[index] = OUTCOME_DONE;
            session->done_ns += (double)(clock_mono_ns() - began_ns);
            session->measured++;
            continue;
        }
        say_failed(session, index, &result, reterr);
        if (is_its_own(code)) {
            session->outcomes[index] = OUTCOME_FAILED;
            session->reasons[index] = alloc_string(reterr->message);
            session->failed++;
            code = DUET_OK;
        }
    }
    return code;
}

/* With the suite's own set-up and clean-up around it; the latter whatever happened. */
static enum duet_code measure_suite(struct session *session, struct duet_error *reterr)
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
            code = error_set(&wrong, DUET_E_NOMEM, "out of memory");
        }
    }
    bool needed = session->taken < plan->count;
    if (code == DUET_OK && needed) {
        code = hook_shell(hooks[0], "suite's setup", session->cancel_fd, &wrong);
    }
    if (code != DUET_OK) {
        (void)fprintf(stderr, "duet: %s\n", wrong.message);
    } else {
        code = measure_all(session, &wrong);
    }
    struct duet_error unclean;
    enum duet_code cleaned =
        needed ? hook_shell(hooks[1], "suite's cleanup", -1, &unclean) : DUET_OK;
    if (cleaned != DUET_OK) {
        (void)fprintf(stderr, "duet: %s\n", unclean.message);
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

/* The answers of what is done or failed, in the file's order. */
struct gated {
    struct answer *answers;
    size_t count;
};

static enum duet_code collect(const struct session *session, struct gated *gated,
                              struct duet_error *reterr)
{
    const struct suite_plan *plan = session->plan;
    for (size_t i = 0; i < plan->count; i++) {
        struct answer *answer = &gated->answers[gated->count];
        struct duet_error error;
        enum duet_code code = DUET_OK;
        if (session->outcomes[i] == OUTCOME_NONE) {
            continue;
        }
        if (session->outcomes[i] == OUTCOME_DONE) {
            code = answer_make(session->store, session->experiments[i], NULL, answer,
                               &error);
        } else {
            const char *reason = session->reasons[i];
            code = failed_answer(session->store, session->experiments[i],
                                 plan->entries[i].name, reason != NULL ? reason : "",
                                 answer, &error);
        }
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s: %s", plan->entries[i].name,
                             error.message);
        }
        gated->count++;
    }
    return DUET_OK;
}

/* Shows them; returns the status of their verdicts. */
static int show(const struct session *session, struct gated *gated)
{
    struct duet_error error = {0};
    enum duet_code code = collect(session, gated, &error);
    if (code == DUET_OK && gated->count > 0) {
        code = answers_conclude(session->store, gated->answers, gated->count, &error);
    }
    if (code == DUET_OK && gated->count > 0) {
        code = output_answers(&session->request->base.output, session->store,
                              gated->answers, gated->count, &error);
    }
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    struct gate_tally tally = {.several = true,
                               .quiet = session->request->base.output.verbosity == 0};
    for (size_t i = 0; i < gated->count; i++) {
        status = verdict_exit_worse(status,
                                    gate_judge(&tally, &gated->answers[i].comparison));
    }
    gate_close(&tally);
    return status;
}

static int answer_all(const struct session *session)
{
    size_t count = session->plan->count;
    struct gated gated = {.answers = alloc_array(count, sizeof *gated.answers)};
    int status = CLI_EXIT_UNSUITABLE;
    if (gated.answers == NULL) {
        (void)fprintf(stderr, "duet: out of memory\n");
    } else {
        status = show(session, &gated);
    }
    for (size_t i = 0; i < gated.count; i++) {
        answer_release(&gated.answers[i]);
    }
    free(gated.answers);
    return status;
}

/* ---- The end ---- */

static void say_rest(const struct session *session)
{
    const struct suite_plan *plan = session->plan;
    size_t left = 0;
    for (size_t i = 0; i < plan->count; i++) {
        left += session->outcomes[i] == OUTCOME_NONE;
    }
    if (session->failed > 0) {
        (void)fprintf(stderr, "duet: %zu of %zu benchmarks failed:", session->failed,
                      plan->count);
        const char *separator = " ";
        for (size_t i = 0; i < plan->count; i++) {
            if (session->outcomes[i] == OUTCOME_FAILED) {
                (void)fprintf(stderr, "%s%s", separator, plan->entries[i].name);
                separator = "; ";
            }
        }
        (void)fprintf(stderr, "\n");
    }
    const char *store = session->request->base.store;
    if (left > 0 && (store == NULL || strcmp(store, "none") != 0)) {
        (void)fprintf(stderr,
                      "duet: %zu of %zu benchmarks are left; the same command with "
                      "--resume goes on\n",
                      left, plan->count);
    }
}

static int finish(struct session *session, enum duet_code code)
{
    struct duet_error error;
    enum store_state state = STORE_DONE;
    if (code == DUET_E_INTERRUPTED) {
        state = STORE_INTERRUPTED;
    } else if (code != DUET_OK || session->failed > 0) {
        state = STORE_FAILED;
    }
    int status = answer_all(session);
    say_rest(session);
    if (store_suite_end(session->store, session->run, state, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    if (code != DUET_OK) {
        return cli_exit_of(code);
    }
    return session->failed > 0 ? CLI_EXIT_WORKLOAD : status;
}

/* Finds what is wrong with any benchmark before the first is measured. */
static enum duet_code check_all(const struct session *session,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < session->plan->count && code == DUET_OK; i++) {
        struct benchmark benchmark;
        const struct suite_entry *entry = &session->plan->entries[i];
        code = suite_entry_make(session->plan, entry, &benchmark, reterr);
        if (code == DUET_OK) {
            code = benchmark_place(entry->options, session->machine, &benchmark.plan,
                                   reterr);
            benchmark_release(&benchmark);
        }
    }
    return code;
}

static enum duet_code session_open(struct session *session, struct duet_error *reterr)
{
    const struct run_options *base = &session->request->base;
    size_t count = session->plan->count;
    session->outcomes = alloc_array(count, sizeof *session->outcomes);
    session->experiments = alloc_array(count, sizeof *session->experiments);
    session->reasons = alloc_array(count, sizeof(char *));
    if (session->outcomes == NULL || session->experiments == NULL ||
        session->reasons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code = machine_open(NULL, &session->machine, reterr);
    if (code == DUET_OK) {
        code = check_all(session, reterr);
    }
    if (code == DUET_OK) {
        code = output_check(&base->output, reterr);
    }
    if (code == DUET_OK) {
        code = storage_open(base->store, true, &session->store, reterr);
    }
    if (code == DUET_OK) {
        code = open_run(session, reterr);
    }
    return code;
}

int suite_session_run(const struct suite_request *request, struct suite_plan *plan,
                      const char *path, int cancel_fd)
{
    struct session session = {.request = request,
                              .plan = plan,
                              .path = path,
                              .cancel_fd = cancel_fd,
                              .began_ns = clock_mono_ns()};
    struct duet_error error = {0};
    enum duet_code code = session_open(&session, &error);
    int status = CLI_EXIT_OK;
    if (code == DUET_OK) {
        code = measure_suite(&session, &error);
        status = finish(&session, code);
    } else {
        status = cli_fail(&error);
    }
    store_close(session.store);
    machine_free(session.machine);
    for (size_t i = 0; session.reasons != NULL && i < plan->count; i++) {
        free(session.reasons[i]);
    }
    free((void *)session.reasons);
    free(session.outcomes);
    free(session.experiments);
    return status;
}
