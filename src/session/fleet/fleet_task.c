#include "session/fleet/fleet_task.h"

#include "base/alloc.h"
#include "base/random.h"
#include "machine/machine.h"
#include "session/fleet/fleet_call.h"
#include "session/fleet/fleet_result.h"
#include "session/fleet/fleet_slurm.h"
#include "store/store_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fleet_question fleet_question_of(const struct fleet *fleet,
                                        enum fleet_strata strata)
{
    const struct model_fleet_plan *plan = &fleet->plan;
    return (struct fleet_question){.confidence = plan->confidence,
                                   .same_within = plan->same_within,
                                   .until_decided = plan->until_decided,
                                   .strata = strata};
}

/* ---- Who it is ---- */

/* Slurm numbers the attempts of a job; without it the time and the process do. */
static enum duet_code name_attempt(const char *attempt, char *field, size_t size,
                                   struct duet_error *reterr)
{
    const char *job = getenv("SLURM_ARRAY_JOB_ID");
    const char *restart = getenv("SLURM_RESTART_COUNT");
    if (attempt != NULL) {
        text_copy(field, size, attempt);
    } else if (job != NULL) {
        (void)snprintf(field, size, "%s.%s", job, restart != NULL ? restart : "0");
    } else {
        (void)snprintf(field, size, "%" PRId64 ".%ld", fleet_now_utc_ms(),
                       (long)getpid());
    }
    return fleet_attempt_is_right(field)
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "'%s' cannot name an attempt: use letters, digits and dots, "
                           "at most %d",
                           attempt != NULL ? attempt : field,
                           MODEL_FLEET_ATTEMPT_BYTES - 1);
}

static void name_node(char *field, size_t size)
{
    const char *node = getenv("SLURMD_NODENAME");
    char host[256] = "";
    if (node == NULL && gethostname(host, sizeof host - 1) == 0) {
        node = host;
    }
    text_copy(field, size, node == NULL ? "" : node);
}

static enum duet_code name_instance(const struct fleet_task *task,
                                    struct duet_error *reterr)
{
    const struct model_fleet_plan *plan = &task->fleet->plan;
    char name[320];
    switch (plan->instance) {
    case MODEL_FLEET_BY_NODE:
        text_copy(name, sizeof name, task->state.node);
        break;
    case MODEL_FLEET_BY_TASK:
        (void)snprintf(name, sizeof name, "%s/%" PRIu64, plan->id, task->state.task);
        break;
    case MODEL_FLEET_BY_MACHINE:
    case MODEL_FLEET_INSTANCES:
        return DUET_OK;
    }
    /* banned-ok: for all that this process measures; no thread yet */
    return setenv(MACHINE_INSTANCE_VARIABLE, name, 1) == 0 ? DUET_OK
                                                           : error_no_memory(reterr);
}

/* ---- Before ---- */

/* A task that was requeued may have had its result before. */
static enum duet_code look_for_result(struct fleet_task *task,
                                      struct duet_error *reterr)
{
    struct model_words names = {.list = NULL};
    struct fleet_result_name name;
    enum duet_code code = fleet_list(task->fleet, FLEET_RESULTS,
                                     fleet_result_ending(task->fleet), &names, reterr);
    for (size_t i = 0; i < names.count; i++) {
        if (fleet_result_parse(names.list[i], &name) && name.task == task->state.task) {
            (void)snprintf(task->not_wanted, sizeof task->not_wanted,
                           "task %" PRIu64 " has a result already", name.task);
        }
    }
    model_words_release(&names);
    return code;
}

static enum duet_code check_suite(const struct fleet_task *task,
                                  struct duet_error *reterr)
{
    char hash[65];
    enum duet_code code = fleet_file_hash(task->suite, hash, reterr);
    return code == DUET_OK && strcmp(hash, task->fleet->plan.suite_sha256) != 0
               ? error_set(
                     reterr, DUET_E_USAGE,
                     "'%s' has changed since the fleet was submitted: put the old "
                     "file back, or submit another fleet",
                     task->suite)
               : code;
}

/* The seed of a task follows from the fleet's; a second attempt measures the same. */
static enum duet_code make_args(struct fleet_task *task, struct duet_error *reterr)
{
    const struct model_fleet_plan *plan = &task->fleet->plan;
    struct random_stream stream = random_stream_at(plan->seed, task->state.task);
    char seed[24];
    char runs[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, random_u64(&stream) >> 1U);
    (void)snprintf(runs, sizeof runs, "%" PRIu64, plan->runs);
    enum duet_code code = fleet_words(&task->args, reterr, "suite", "--quiet",
                                      "--store", task->store, (char *)NULL);
    for (size_t i = 0; i < plan->options.count && code == DUET_OK; i++) {
        code = model_words_add(&task->args, plan->options.list[i], reterr);
    }
    return code == DUET_OK ? fleet_words(&task->args, reterr, "--seed", seed, "--runs",
                                         runs, "--", task->suite, (char *)NULL)
                           : code;
}

/* The study's own words; only this part, into a file that is published. */
static enum duet_code make_study_args(struct fleet_task *task,
                                      struct duet_error *reterr)
{
    const struct model_fleet_plan *plan = &task->fleet->plan;
    char part[64];
    (void)snprintf(part, sizeof part, "--part=%" PRIu64 "/%" PRIu64, task->state.task,
                   plan->tasks);
    enum duet_code code =
        fleet_words(&task->args, reterr, plan->options.list[0], "--quiet", part,
                    "--resume", task->store, (char *)NULL);
    for (size_t i = 1; i < plan->options.count && code == DUET_OK; i++) {
        code = model_words_add(&task->args, plan->options.list[i], reterr);
    }
    return code;
}

static enum duet_code begin(struct fleet_task *task, struct duet_error *reterr)
{
    enum duet_code code = scratch_make(&task->scratch, reterr);
    if (code != DUET_OK) {
        return code;
    }
    task->store = alloc_format("%s/measured.db", task->scratch.path);
    if (task->store == NULL) {
        return error_no_memory(reterr);
    }
    code = fleet_go_to_folder(task->fleet, reterr);
    if (code == DUET_OK) {
        code = name_instance(task, reterr);
    }
    if (code == DUET_OK) {
        code = task->fleet->plan.study ? make_study_args(task, reterr)
                                       : make_args(task, reterr);
    }
    task->state.phase = MODEL_FLEET_RUNNING;
    task->state.began_utc_ms = fleet_now_utc_ms();
    return code == DUET_OK ? fleet_state_save(task->fleet, &task->state, reterr) : code;
}

enum duet_code fleet_task_begin(const struct fleet *fleet, uint64_t number,
                                const char *attempt, struct fleet_task *ret_task,
                                struct duet_error *reterr)
{
    char why[32];
    *ret_task = (struct fleet_task){.fleet = fleet, .scratch = {.fd = -1}};
    ret_task->state.task = number;
    if (number < 1 || number > fleet->plan.tasks) {
        return error_set(reterr, DUET_E_USAGE,
                         "the fleet has no task %" PRIu64
                         ": name one from 1 to %" PRIu64,
                         number, fleet->plan.tasks);
    }
    enum duet_code code = name_attempt(attempt, ret_task->state.attempt,
                                       sizeof ret_task->state.attempt, reterr);
    if (code != DUET_OK) {
        return code;
    }
    name_node(ret_task->state.node, sizeof ret_task->state.node);
    code = fleet_ended(fleet, why, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (why[0] != '\0') {
        (void)snprintf(ret_task->not_wanted, sizeof ret_task->not_wanted,
                       "the fleet has ended: %s", why);
        return DUET_OK;
    }
    code = look_for_result(ret_task, reterr);
    if (code != DUET_OK || ret_task->not_wanted[0] != '\0') {
        return code;
    }
    if (!fleet->plan.study) {
        ret_task->suite = fleet_path(fleet, fleet->plan.suite);
        code = ret_task->suite == NULL ? error_no_memory(reterr)
                                       : check_suite(ret_task, reterr);
    }
    return code == DUET_OK ? begin(ret_task, reterr) : code;
}

/* ---- After ---- */

/* As one file without a log beside it, which can be read where nothing can be written.
 */
static enum duet_code publish_store(struct fleet_task *task, struct duet_error *reterr)
{
    struct model_fleet_state *state = &task->state;
    struct store *store = NULL;
    char *single = alloc_format("%s/result.db", task->scratch.path);
    enum duet_code code = single == NULL
                              ? error_no_memory(reterr)
                              : store_open(task->store, false, &store, reterr);
    if (code == DUET_OK) {
        code = store_export(store, NULL, 0, single, reterr);
    }
    store_close(store);
    if (code == DUET_OK) {
        code = fleet_result_publish(task->fleet, state->task, state->attempt, single,
                                    state->result, sizeof state->result, reterr);
    }
    free(single);
    return code;
}

static enum duet_code publish(struct fleet_task *task, struct duet_error *reterr)
{
    struct model_fleet_state *state = &task->state;
    size_t failed = 0;
    if (task->fleet->plan.study) {
        return fleet_result_publish(task->fleet, state->task, state->attempt,
                                    task->store, state->result, sizeof state->result,
                                    reterr);
    }
    enum duet_code code = fleet_result_read(task->store, state, reterr);
    for (size_t i = 0; i < state->ratio_count; i++) {
        failed += isnan(state->ratios[i].log_ratio) ? 1 : 0;
    }
    if (code == DUET_OK && failed == state->ratio_count) {
        code = error_set(reterr, DUET_E_WORKLOAD,
                         "every benchmark failed; the task's log says why");
    }
    if (code != DUET_OK) {
        return code;
    }
    if (failed > 0) {
        (void)snprintf(state->message, sizeof state->message,
                       "%zu of %zu benchmarks failed", failed, state->ratio_count);
    }
    return publish_store(task, reterr);
}

enum duet_code fleet_task_end(struct fleet_task *task, const struct duet_error *wrong,
                              struct duet_error *reterr)
{
    struct duet_error error = {.code = DUET_OK};
    enum duet_code code = wrong != NULL ? wrong->code : publish(task, &error);
    struct model_fleet_state *state = &task->state;
    if (code != DUET_OK) {
        text_copy(state->message, sizeof state->message,
                  wrong != NULL ? wrong->message : error.message);
        *reterr = wrong != NULL ? *wrong : error;
    }
    state->phase = code == DUET_OK ? MODEL_FLEET_DONE : MODEL_FLEET_FAILED;
    state->ended_utc_ms = fleet_now_utc_ms();
    /* A result counts without it: that it cannot be written is told by the first error.
     */
    struct duet_error late;
    enum duet_code saved = fleet_state_save(task->fleet, state, &late);
    if (code == DUET_OK && saved != DUET_OK) {
        *reterr = late;
        code = saved;
    }
    return code;
}

void fleet_task_release(struct fleet_task *task, const struct listener *listener)
{
    model_fleet_state_release(&task->state);
    scratch_remove(&task->scratch, listener);
    model_words_release(&task->args);
    free(task->suite);
    free(task->store);
}

/* ---- Early ---- */

enum duet_code fleet_end(const struct fleet *fleet, const char *why,
                         struct duet_error *reterr)
{
    return fleet_write(fleet, NULL, FLEET_ENDED, why, strlen(why), reterr);
}

enum duet_code fleet_decide(const struct fleet *fleet, bool *ret_decided,
                            struct duet_error *reterr)
{
    struct fleet_survey survey;
    struct fleet_answers answers = {.list = NULL};
    const struct fleet_question question = fleet_question_of(fleet, FLEET_STRATA_NONE);
    *ret_decided = false;
    if (!fleet->plan.until_decided) {
        return DUET_OK;
    }
    enum duet_code code = fleet_survey_make(fleet, &survey, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = fleet_answers_make(&question, survey.tasks, survey.count, &answers, reterr);
    if (code == DUET_OK && answers.decided && survey.ended[0] == '\0') {
        *ret_decided = true;
        code = fleet_end(fleet, "decided", reterr);
        if (code == DUET_OK && fleet->plan.engine == MODEL_FLEET_SLURM) {
            struct duet_error ignored;
            (void)!fleet_slurm_cancel(fleet, -1, &ignored);
        }
    }
    fleet_answers_release(&answers);
    fleet_survey_release(&survey);
    return code;
}
