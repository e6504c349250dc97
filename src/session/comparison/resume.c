#include "session/comparison/resume.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Which, and whether it can go on here ---- */

static enum duet_code check_machine(const struct session *session,
                                    const struct store_experiment *experiment,
                                    const struct model_plan *plan,
                                    struct duet_error *reterr)
{
    struct model_host host;
    machine_describe(session->machine, plan->cpus, &host);
    const char *then = experiment->host.uuid;
    return then[0] == '\0' || host.uuid[0] == '\0' || strcmp(then, host.uuid) == 0
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_UNSUITABLE,
                     "experiment %lld was measured on another machine ('%s'): resume it there, "
                     "or measure anew here",
                     (long long)experiment->id, experiment->host.host_name);
}

static enum duet_code check_cpus(const struct session *session,
                                 const struct store_experiment *experiment,
                                 const struct model_plan *plan,
                                 struct duet_error *reterr)
{
    for (int position = 0; position < 2; position++) {
        const struct model_cpu_set *set = &plan->cpus[position];
        for (size_t i = 0; i < set->count; i++) {
            if (!machine_may_use(session->machine, set->cpus[i])) {
                return error_set(
                    reterr, DUET_E_UNSUITABLE,
                    "CPU %u, on which experiment %lld was measured, may not be used now: "
                    "give it back to this process, or measure anew",
                    set->cpus[i], (long long)experiment->id);
            }
        }
    }
    return DUET_OK;
}

static bool is_here(const char *folder)
{
    struct stat there;
    struct stat here;
    return stat(folder, &there) == 0 && stat(".", &here) == 0 &&
           there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* In the folder in which it began: in another one the same words may be another
 * program. */
static enum duet_code go_back(struct resume *resume, struct duet_error *reterr)
{
    struct benchmark *benchmark = &resume->benchmark;
    struct model_plan *plan = &benchmark->plan;
    struct model_stream *const streams[3] = {&plan->input, &plan->output,
                                             &plan->error_output};
    const char *folder = plan->folder;
    if (folder == NULL || is_here(folder)) {
        return DUET_OK;
    }
    if (access(folder, X_OK) != 0) {
        return error_set_errno(
            reterr, DUET_E_UNSUITABLE, errno,
            "experiment %lld began in folder '%s': make it accessible, or measure anew",
            (long long)resume->experiment.id, folder);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (plan->sides[side].folder == NULL) {
            plan->sides[side].folder = folder;
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (streams[i]->kind != MODEL_STREAM_FILE || streams[i]->path[0] == '/') {
            continue;
        }
        benchmark->streams[i] = alloc_format("%s/%s", folder, streams[i]->path);
        if (benchmark->streams[i] == NULL) {
            return error_no_memory(reterr);
        }
        streams[i]->path = benchmark->streams[i];
    }
    return DUET_OK;
}

/* The plan can be carried out again, with words of its commands. */
static enum duet_code restore(struct resume *resume, struct duet_error *reterr)
{
    struct benchmark *benchmark = &resume->benchmark;
    benchmark->plan = resume->stored.plan;
    benchmark->analysis = resume->experiment.analysis;
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct model_workload *workload = &benchmark->plan.sides[side];
        code = benchmark_words(workload->command, benchmark->plan.shell,
                               &benchmark->words[side], reterr);
        workload->argv = (const char *const *)benchmark->words[side];
    }
    if (code == DUET_OK) {
        code = go_back(resume, reterr);
    }
    benchmark->resumed = resume->experiment.id;
    return code;
}

enum duet_code resume_open(const struct session *session, const char *which,
                           struct resume *ret_resume, struct duet_error *reterr)
{
    struct resume resume = {0};
    enum duet_code code =
        store_unfinished_find(session->store, which, &resume.experiment, reterr);
    if (code == DUET_OK) {
        code = store_plan_read(session->store, resume.experiment.id, &resume.stored,
                               reterr);
    }
    const struct model_plan *plan = &resume.stored.plan;
    if (code == DUET_OK) {
        code = check_machine(session, &resume.experiment, plan, reterr);
    }
    if (code == DUET_OK) {
        code = check_cpus(session, &resume.experiment, plan, reterr);
    }
    if (code == DUET_OK) {
        code = restore(&resume, reterr);
    }
    if (code != DUET_OK) {
        resume_release(&resume);
        return code;
    }
    *ret_resume = resume;
    return DUET_OK;
}

void resume_release(struct resume *resume)
{
    benchmark_release(&resume->benchmark);
    store_plan_release(&resume->stored);
    store_experiment_release(&resume->experiment);
}

/* ---- Whether it is the one that is meant ---- */

enum duet_code resume_check(const struct session *session, const struct resume *resume,
                            const struct run_request *request,
                            struct benchmark *benchmark, struct duet_error *reterr)
{
    char text[256];
    int64_t id = resume->experiment.id;
    struct model_plan plan = benchmark->plan;
    if (resume->stored.plan.folder == NULL) {
        plan.folder = NULL; /* of an older duet */
    }
    if (!request->seed_given) {
        plan.seed = resume->stored.plan.seed;
    }
    if (request->cpus == NULL) {
        memcpy(plan.cpus, resume->stored.plan.cpus, sizeof plan.cpus);
    }
    struct model_analysis analysis = benchmark_describe(&benchmark->analysis, &plan);
    plan.analysis = &analysis;
    enum duet_code code =
        store_plan_difference(session->store, id, &plan, text, sizeof text, reterr);
    if (code == DUET_OK && text[0] != '\0') {
        code = error_set(
            reterr, DUET_E_USAGE,
            "experiment %lld cannot go on with these commands and options (%s): "
            "give the ones that it began with, or none: duet run --resume=%lld",
            (long long)id, text, (long long)id);
    }
    return code;
}
