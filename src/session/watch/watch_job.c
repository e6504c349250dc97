#include "session/watch/watch_job.h"

#include "measure/hook.h"
#include "measure/measure.h"
#include "session/comparison/leftovers.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>

/* ---- The renter's commands ---- */

/* False: interrupted. */
static bool wait_for(uint64_t duration_ns, int cancel_fd)
{
    struct pollfd waiting = {.fd = cancel_fd, .events = POLLIN};
    uint64_t duration_ms = duration_ns / 1000000U;
    return poll(&waiting, 1, duration_ms < INT_MAX ? (int)duration_ms : INT_MAX) <= 0;
}

static enum duet_code call_hook(const struct watch_job *job, const char *command,
                                const char *option, int cancel_fd,
                                struct duet_error *reterr)
{
    const struct model_watch *settings = &job->watch->watch;
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    for (uint64_t attempt = 1; attempt <= settings->attempts; attempt++) {
        code = hook_shell(command, option, NULL, cancel_fd, &error);
        if (code != DUET_E_WORKLOAD) {
            break;
        }
        if (attempt < settings->attempts) {
            listener_warn(job->listener,
                          "%s (attempt %" PRIu64 " of %" PRIu64 "; again in %.3g s)",
                          error.message, attempt, settings->attempts,
                          (double)settings->retry_ns / 1e9);
            if (!wait_for(settings->retry_ns, cancel_fd)) {
                return error_set(reterr, DUET_E_INTERRUPTED,
                                 "interrupted before another attempt at the %s command",
                                 option);
            }
        }
    }
    if (code == DUET_E_WORKLOAD) {
        return settings->attempts == 1
                   ? error_set(reterr, code, "%s", error.message)
                   : error_set(reterr, code, "%s, in each of %" PRIu64 " attempts",
                               error.message, settings->attempts);
    }
    return code == DUET_OK ? DUET_OK : error_set(reterr, code, "%s", error.message);
}

static enum duet_code release(const struct watch_job *job, struct duet_error *reterr)
{
    struct duet_error error = {0};
    enum duet_code code =
        call_hook(job, job->watch->watch.release, "--release", -1, &error);
    if (code != DUET_OK) {
        return error_set(
            reterr, code,
            "%s; what --provision has made may still be there and cost money: "
            "release it by hand, or let --resume try again",
            error.message);
    }
    code = store_watch_move(job->store, job->watch->id, job->watch->next_batch, -1,
                            reterr);
    if (code == DUET_OK) {
        job->watch->open_batch = -1;
    }
    return code;
}

/* ---- Observations on their way to the store ---- */

static enum duet_code see_run_begin(void *context, const struct model_run *run,
                                    struct duet_error *reterr)
{
    struct watch_job *job = context;
    job->sum = (struct stats_sum){0};
    job->count = 0;
    enum duet_code code = watch_metric_clear(job->metric, reterr);
    return code == DUET_OK ? job->next.run_begin(job->next.context, run, reterr) : code;
}

static enum duet_code see_iterations(void *context, enum model_side side,
                                     const struct model_iteration *iterations,
                                     size_t count, struct duet_error *reterr)
{
    struct watch_job *job = context;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (iterations[i].region == 0) { /* its regions are not watched */
            stats_sum_add(&job->sum,
                          (double)(iterations[i].end_ns - iterations[i].start_ns) /
                              model_iteration_operations(&iterations[i]));
            job->count++;
            code = job->next.iterations(job->next.context, side, &iterations[i], 1,
                                        reterr);
        }
    }
    return code;
}

static enum duet_code see_run_end(void *context, const struct model_run *run,
                                  struct duet_error *reterr)
{
    struct watch_job *job = context;
    const char *metric = job->watch->watch.metric;
    /* stats_mean() of them, as watch_series_load() has it. */
    double value =
        job->count > 0 ? stats_sum_value(&job->sum) / (double)job->count : 0.0;
    enum duet_code code = DUET_OK;
    if (job->metric->pattern != NULL) {
        code = watch_metric_read(job->metric, job->cancel_fd, &value, reterr);
        if (code == DUET_OK) {
            code =
                store_sink_observe(job->store, MODEL_WATCH_SIDE, metric, value, reterr);
        }
    } else if (job->count == 0) {
        code = error_set(reterr, DUET_E_WORKLOAD,
                         "the benchmark program has measured no iteration");
    }
    if (code == DUET_OK) {
        code = job->next.run_end(job->next.context, run, reterr);
    }
    if (code == DUET_OK) {
        code = watch_series_append(job->series, run->index, value, reterr);
    }
    if (code == DUET_OK && job->verbose) {
        listener_tell(job->listener, "execution %" PRIu64 ": %.6g%s", run->index + 1,
                      job->metric->pattern == NULL ? value / 1e9 : value,
                      job->metric->pattern == NULL ? " s" : "");
    }
    return code;
}

static void see_run_abort(void *context)
{
    struct watch_job *job = context;
    job->next.run_abort(job->next.context);
}

/* ---- The batch ---- */

static enum duet_code execute(struct watch_job *job, uint64_t batch,
                              struct duet_error *reterr)
{
    uint64_t size = job->watch->watch.batch_size;
    struct measure_part part = {.side = MODEL_WATCH_SIDE,
                                .first = batch * size,
                                .runs = size,
                                .output_fd = job->metric->output_fd};
    struct measure_hooks hooks = {.sink = {.context = job,
                                           .run_begin = see_run_begin,
                                           .iterations = see_iterations,
                                           .run_end = see_run_end,
                                           .run_abort = see_run_abort},
                                  .cancel_fd = job->cancel_fd};
    struct measure_result result = {0};
    job->next = store_sink(job->store, job->watch->experiment);
    enum duet_code code = measure_alone(job->plan, &part, &hooks, &result, reterr);
    leftovers_warn(job->listener, NULL, &result);
    return code;
}

enum duet_code watch_job_run(struct watch_job *job, uint64_t batch,
                             struct duet_error *reterr)
{
    const struct model_watch *settings = &job->watch->watch;
    struct duet_error error = {0};
    enum duet_code code =
        store_watch_move(job->store, job->watch->id, batch + 1, (int64_t)batch, reterr);
    if (code != DUET_OK) {
        return code;
    }
    job->watch->open_batch = (int64_t)batch;
    job->watch->next_batch = batch + 1;
    code = call_hook(job, settings->provision, "--provision", job->cancel_fd, &error);
    if (code == DUET_OK) {
        code = execute(job, batch, &error);
    }
    struct duet_error unreleased = {0};
    enum duet_code released = release(job, &unreleased);
    if (code != DUET_OK && released != DUET_OK) {
        listener_warn(job->listener, "%s", unreleased.message);
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    return released == DUET_OK ? DUET_OK
                               : error_set(reterr, released, "%s", unreleased.message);
}

enum duet_code watch_job_recover(struct watch_job *job, struct duet_error *reterr)
{
    if (job->watch->open_batch < 0) {
        return DUET_OK;
    }
    if (job->watch->watch.release != NULL) {
        listener_warn(job->listener,
                      "batch %" PRId64 " was not released: the --release command "
                      "runs now",
                      job->watch->open_batch + 1);
    }
    return release(job, reterr);
}
