#include "session/git/bisect_measure.h"

#include "base/alloc.h"
#include "base/version.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/git/git_stamp.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK_RUNS = 2 };

/* Commands, folders and {dir} of both sides. */
static enum duet_code take_sides(struct bisect_measure *measure,
                                 const size_t commits[2], struct run_request *run,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        size_t at = commits[side];
        const struct git_revision *revision = &measure->history->commits[at].revision;
        const char *folder = NULL;
        code = commit_folders_get(&measure->folders, revision, &folder, reterr);
        if (code == DUET_OK) {
            run->commands[side] = measure->request->bench;
            run->folders[side] = folder;
            run->names[side] = revision->label;
            code =
                parameter_add_values(&run->variables[side], "dir", &folder, 1, reterr);
        }
    }
    return code;
}

/* Once: of a benchmark that leaves some, most measurements do. */
static void warn_of_leftovers(struct bisect_measure *measure, const char *name,
                              const struct measure_result *result)
{
    if (!measure->leaves) {
        leftovers_warn(measure->session->listener, name, result);
        measure->leaves =
            result->leftovers > 0 || result->spared > 0 || result->stuck > 0;
    }
}

/* ret_answer: NULL: none is wanted. */
static enum duet_code measure_into(struct bisect_measure *measure, struct store *store,
                                   struct run_request *run, struct answer *ret_answer,
                                   struct duet_error *reterr)
{
    struct session session = *measure->session;
    struct benchmark benchmark;
    struct experiments made = {0};
    enum duet_code code = run_request_settle(run, reterr);
    if (code == DUET_OK) {
        code = benchmark_prepare(run, session.machine, 0, &benchmark, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    session.store = store;
    benchmark.advised = measure->count == 1; /* once is enough */
    code = controlled_carry_out(&benchmark, &session, false, &made, reterr);
    warn_of_leftovers(measure, run->name, &made.result);
    if (code == DUET_OK && ret_answer != NULL) {
        code = answer_make(store, made.experiment, NULL, ret_answer, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

/* The request with this pair, and a seed of its own. */
static enum duet_code measure_pair(struct bisect_measure *measure,
                                   const size_t commits[2], struct store *store,
                                   struct run_request *run, struct answer *ret_answer,
                                   struct duet_error *reterr)
{
    const struct git_commit *all = measure->history->commits;
    char *name =
        alloc_format("%s %s..%s", measure->request->bench,
                     all[commits[0]].revision.label, all[commits[1]].revision.label);
    run->name = run->name != NULL ? run->name : name;
    run->plan.seed = (run->plan.seed + measure->count++) & INT64_MAX;
    for (int side = 0; side < MODEL_SIDES; side++) {
        run->variables[side] = (struct parameter_list){0};
    }
    enum duet_code code = name == NULL ? error_no_memory(reterr)
                                       : take_sides(measure, commits, run, reterr);
    if (code == DUET_OK) {
        code = measure_into(measure, store, run, ret_answer, reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        parameter_list_release(&run->variables[side]);
    }
    free(name);
    return code;
}

/* Kept with the pair's commits and its answer, for the history. */
static enum duet_code keep_pair(struct bisect_measure *measure, const size_t commits[2],
                                struct run_request *run, struct answer *ret_answer,
                                struct duet_error *reterr)
{
    struct model_revision stamps[MODEL_SIDES] = {{0}, {0}};
    struct store *store = measure->session->store;
    const struct git_commit *all = measure->history->commits;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < MODEL_SIDES && code == DUET_OK; i++) {
        code = git_stamp_read(measure->folders.cache->repo, &all[commits[i]].revision,
                              &stamps[i], reterr);
    }
    run->revisions = stamps;
    run->benchmark = run->name != NULL ? run->name : measure->request->bench;
    if (code == DUET_OK) {
        code = measure_pair(measure, commits, store, run, ret_answer, reterr);
    }
    if (code == DUET_OK) {
        code = store_comparison_save(store, ret_answer->experiment.id,
                                     &ret_answer->comparison, BASE_VERSION, reterr);
        if (code != DUET_OK) {
            answer_release(ret_answer);
        }
    }
    run->revisions = NULL;
    git_stamp_release(&stamps[MODEL_OLD]);
    git_stamp_release(&stamps[MODEL_NEW]);
    return code;
}

enum duet_code bisect_measure_decide(struct bisect_measure *measure,
                                     const size_t commits[2], double confidence,
                                     uint64_t budget_ns, struct answer *ret_answer,
                                     struct duet_error *reterr)
{
    struct run_request run = *measure->request->run;
    run.plan.until = MODEL_UNTIL_DECIDED;
    run.size_known = true;
    run.plan.budget_ns = budget_ns;
    run.plan.budget_given = true;
    run.plan.min_runs = RUN_REQUEST_DECIDED_RUNS;
    run.min_runs_given = true;
    run.analysis.confidence = confidence;
    if (measure->schedule_known) {
        run.plan.choose_schedule = false;
        run.plan.schedule = measure->schedule;
    }
    return keep_pair(measure, commits, &run, ret_answer, reterr);
}

enum duet_code bisect_measure_block(struct bisect_measure *measure, size_t at,
                                    double *ret_log_ratio, struct duet_error *reterr)
{
    const size_t commits[2] = {0, at};
    struct run_request run = *measure->request->run;
    struct answer answer = {0};
    run.plan.runs = BLOCK_RUNS;
    run.plan.choose_schedule = false;
    run.plan.schedule = at == 0 ? MODEL_SCHEDULE_SEQUENTIAL : measure->schedule;
    if (!run.run_time_given && run.plan.iterations == 0) {
        run.plan.run_time_ns = RUN_REQUEST_DECIDED_RUN_NS; /* as `decided` begins */
        run.run_time_given = true;
    }
    enum duet_code code = measure_pair(measure, commits, measure->scratch, &run,
                                       at == 0 ? NULL : &answer, reterr);
    if (code == DUET_OK) {
        *ret_log_ratio = at == 0 ? 0 : log(answer.comparison.ratio);
        answer_release(&answer);
    }
    return code;
}
