#include "session/run/combinations.h"

#include "base/alloc.h"
#include "session/comparison/answer_done.h"
#include "session/comparison/answers.h"
#include "session/comparison/braces.h"
#include "session/comparison/confirm.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/comparison/regions.h"
#include "session/comparison/skip.h"
#include "session/sameness/same_program.h"
#include "store/store_companion.h"

#include <stdlib.h>

enum duet_code combinations_check(const struct run_request *request,
                                  const struct session *session,
                                  struct duet_error *reterr)
{
    size_t count = request->commands[MODEL_OLD] == NULL
                       ? 0
                       : parameter_combinations(&request->parameters);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct benchmark benchmark;
        code = benchmark_prepare(request, session->machine, i, &benchmark, reterr);
        if (code != DUET_OK) {
            return code;
        }
        code = measure_check(&benchmark.plan, reterr);
        if (code == DUET_OK && i == 0) {
            braces_warn(request, session->listener);
            if (!request->skip_identical) {
                same_program_warn(&benchmark.plan, session->listener);
            }
        }
        benchmark_release(&benchmark);
    }
    return code;
}

/* A control takes turns with its comparison, which it cannot where that goes on. */
static enum duet_code warn_of_control(const struct session *session, int64_t experiment,
                                      struct duet_error *reterr)
{
    int64_t *controls = NULL;
    size_t count = 0;
    enum duet_code code =
        store_companions(session->store, experiment, &controls, &count, reterr);
    if (code == DUET_OK && count > 0) {
        listener_warn(
            session->listener,
            "experiment %lld goes on without its control (experiment %lld): to "
            "have one, measure anew",
            (long long)experiment, (long long)controls[0]);
    }
    free(controls);
    return code;
}

/* The experiment that goes on, which must be the one that was asked for. */
static enum duet_code restore(struct combinations *all, struct benchmark *ret_benchmark,
                              struct duet_error *reterr)
{
    const struct run_request *request = all->request;
    struct benchmark asked = {0};
    enum duet_code code =
        resume_open(all->session, request->resumed, &all->resume, reterr);
    if (code == DUET_OK && request->commands[MODEL_OLD] != NULL) {
        code = benchmark_prepare(request, all->session->machine, 0, &asked, reterr);
        if (code == DUET_OK) {
            code = resume_check(all->session, &all->resume, request, &asked, reterr);
        }
        benchmark_release(&asked);
    }
    if (code == DUET_OK) {
        code = warn_of_control(all->session, all->resume.experiment.id, reterr);
    }
    if (code == DUET_OK) {
        *ret_benchmark = all->resume.benchmark;
        ret_benchmark->same_output = request->same_output; /* not stored */
        all->resume.benchmark = (struct benchmark){0};
    }
    return code;
}

/* Analyses what is stored of an experiment and adds it to the answers. */
static enum duet_code add_answer(struct combinations *all, int64_t experiment,
                                 struct duet_error *reterr)
{
    enum duet_code code = answer_done(all->session->store, experiment, NULL,
                                      &all->answers[all->count], reterr);
    all->count += code == DUET_OK;
    return code;
}

static bool is_of_command(enum duet_code code)
{
    return code == DUET_E_WORKLOAD || code == DUET_E_TIMEOUT || code == DUET_E_PEER ||
           code == DUET_E_PROTOCOL;
}

/* An experiment that was cut short may have nothing to say: then the error is all there
 * is. */
static void add_what_is_there(struct combinations *all, const char *name,
                              int64_t experiment, const struct duet_error *error)
{
    struct duet_error ignored;
    bool several = parameter_combinations(&all->request->parameters) > 1;
    if (error->code == DUET_E_INTERRUPTED && all->kept > 0) {
        (void)!add_answer(all, experiment, &ignored);
    } else if (is_of_command(error->code) && (several || all->tells_failure)) {
        all->count +=
            failed_answer(all->session->store, experiment, name, error->message,
                          &all->answers[all->count], &ignored) == DUET_OK;
    }
}

static enum duet_code answer_combination(struct combinations *all, size_t index,
                                         struct duet_error *reterr)
{
    struct benchmark benchmark;
    struct experiments made = {0};
    enum duet_code code = all->request->resume
                              ? restore(all, &benchmark, reterr)
                              : benchmark_prepare(all->request, all->session->machine,
                                                  index, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    benchmark.advised = index == 0;
    if (!all->request->resume) {
        code = skip_identical(all->request, &benchmark, all->session, &made.experiment,
                              reterr);
    }
    if (code == DUET_OK && made.experiment == 0) {
        code = controlled_carry_out(&benchmark, all->session, all->request->control,
                                    &made, reterr);
    }
    all->experiments[index] = made.experiment;
    leftovers_warn(all->session->listener, NULL, &made.result);
    if (code == DUET_OK) {
        code = add_answer(all, made.experiment, reterr);
        if (code == DUET_OK && made.control != 0) {
            code = add_answer(all, made.control, reterr);
        }
    } else {
        all->cut_short = made.experiment;
        all->kept = made.result.runs + all->resume.experiment.runs;
        add_what_is_there(all, benchmark.plan.name, made.experiment, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

enum duet_code combinations_answer(struct combinations *all, struct duet_error *reterr)
{
    size_t count = parameter_combinations(&all->request->parameters);
    all->answers = alloc_array(MODEL_ROLES * count, sizeof *all->answers);
    all->experiments = alloc_array(count, sizeof *all->experiments);
    enum duet_code code = all->answers == NULL || all->experiments == NULL
                              ? error_no_memory(reterr)
                              : DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = answer_combination(all, i, reterr);
    }
    return code;
}

static enum duet_code make_again(void *context, int64_t experiment, bool *ret_wanted,
                                 struct benchmark *ret_benchmark,
                                 struct duet_error *reterr)
{
    const struct combinations *all = context;
    size_t index = 0;
    while (all->experiments[index] != experiment) {
        index++;
    }
    *ret_wanted = true;
    return benchmark_prepare(all->request, all->session->machine, index, ret_benchmark,
                             reterr);
}

enum duet_code combinations_conclude(struct combinations *all, bool whole,
                                     struct duet_error *reterr)
{
    const struct confirm_source source = {.make = make_again, .context = all};
    struct store *store = all->session->store;
    enum duet_code code = answers_conclude(store, all->answers, all->count, reterr);
    if (code == DUET_OK) {
        code = regions_conclude(store, &all->answers, &all->count, reterr);
    }
    return code == DUET_OK && whole && all->request->confirm
               ? confirm_failing(all->session, &source, &all->answers, &all->count,
                                 reterr)
               : code;
}

void combinations_release(struct combinations *all)
{
    answers_free(all->answers, all->count);
    free(all->experiments);
    resume_release(&all->resume);
}
