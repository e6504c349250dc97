#include "session/comparison/ongoing.h"

#include "analysis/family.h"
#include "base/alloc.h"
#include "base/version.h"
#include "session/comparison/replay.h"
#include "session/comparison/self_calibrating.h"
#include "session/comparison/warmup_guard.h"
#include "session/sameness/same_output.h"
#include "store/store_companion.h"
#include "store/store_resume.h"
#include "store/store_revision.h"
#include "sync/clock.h"

#include <stdlib.h>

struct ongoing {
    const struct benchmark *benchmark;
    const struct session *session;
    struct model_plan plan;
    struct model_analysis analysis; /* of the plan */
    int64_t experiment;
    struct live *live;
    struct warmup_guard guard;
    struct model_sink kept; /* the store's */
    bool replaying;         /* runs that it has already */
    struct measure_done done;
    uint64_t counted[MODEL_SCHEDULES]; /* runs in its slices */
    struct measure_result result;
    bool sliced; /* a slice has ended */
    const struct ongoing_slice *slice;
    uint64_t slice_began_ns;
    bool paused; /* by the slice's limit, at the last look */
};

/* ---- On the way to the store, while runs do not come from there ---- */

static enum duet_code keep_begin(void *context, const struct model_run *run,
                                 struct duet_error *reterr)
{
    const struct ongoing *ongoing = context;
    const struct model_sink *sink = &ongoing->kept;
    return ongoing->replaying ? DUET_OK : sink->run_begin(sink->context, run, reterr);
}

static enum duet_code keep_iterations(void *context, enum model_side side,
                                      const struct model_iteration *iterations,
                                      size_t count, struct duet_error *reterr)
{
    const struct ongoing *ongoing = context;
    const struct model_sink *sink = &ongoing->kept;
    return ongoing->replaying
               ? DUET_OK
               : sink->iterations(sink->context, side, iterations, count, reterr);
}

/* Slices consist of whole blocks. */
static enum duet_code keep_end(void *context, const struct model_run *run,
                               struct duet_error *reterr)
{
    struct ongoing *ongoing = context;
    if (ongoing->replaying) {
        return DUET_OK;
    }
    ongoing->done.runs = run->index + 1;
    ongoing->done.block = run->block + 1;
    ongoing->done.mode = run->mode;
    measure_done_take_turn(&ongoing->done, run);
    ongoing->counted[run->schedule]++;
    if (ongoing->benchmark->advised && run->index == 0) {
        live_hide(ongoing->live);
        self_calibrating_warn(&ongoing->plan, run->mode, ongoing->session->listener);
    }
    return ongoing->kept.run_end(ongoing->kept.context, run, reterr);
}

static void keep_abort(void *context)
{
    const struct ongoing *ongoing = context;
    if (!ongoing->replaying) {
        ongoing->kept.run_abort(ongoing->kept.context);
    }
}

static bool slice_is_over(const struct ongoing *ongoing)
{
    const struct ongoing_slice *slice = ongoing->slice;
    uint64_t spent_ns = clock_mono_ns() - ongoing->slice_began_ns;
    if (slice == NULL || (slice->settled && !live_is_settled(ongoing->live))) {
        return false;
    }
    return (slice->for_ns != 0 && spent_ns >= slice->for_ns) ||
           (slice->runs != 0 && ongoing_runs(ongoing) >= slice->runs);
}

static bool go_on(void *context, const struct measure_progress *progress)
{
    struct ongoing *ongoing = context;
    bool more = live_progress(ongoing->live, progress);
    if (ongoing->guard.code != DUET_OK && !progress->in_run) {
        return false;
    }
    ongoing->paused = !progress->in_run && slice_is_over(ongoing) &&
                      (more || ongoing->benchmark->follows);
    return (more || ongoing->benchmark->follows) && !ongoing->paused;
}

static uint64_t run_time(void *context)
{
    const struct ongoing *ongoing = context;
    return live_run_time(ongoing->live);
}

static enum model_schedule next_schedule(void *context)
{
    const struct ongoing *ongoing = context;
    return live_next_schedule(ongoing->live);
}

static bool coin_alone(void *context)
{
    const struct ongoing *ongoing = context;
    return live_coin_alone(ongoing->live);
}

static uint64_t least_runs(void *context)
{
    const struct ongoing *ongoing = context;
    return live_least_runs(ongoing->live);
}

/* Programs are checked before the first slice and after each: which is the last one
 * nobody knows before. */
static enum duet_code verify(void *context, bool after, struct duet_error *reterr)
{
    const struct ongoing *ongoing = context;
    const struct benchmark *benchmark = ongoing->benchmark;
    const struct benchmark_suite *suite = benchmark->suite;
    enum duet_code code = DUET_OK;
    if (!after && ongoing->sliced) {
        return DUET_OK;
    }
    if (suite != NULL && suite->check != NULL) {
        code = suite_check_verify(suite->check, after, reterr);
    }
    return code == DUET_OK && !after && benchmark->same_output
               ? same_output_check(&ongoing->plan, ongoing->session->cancel_fd, reterr)
               : code;
}

/* ---- Begin ---- */

static enum duet_code join_suite(const struct ongoing *ongoing,
                                 struct duet_error *reterr)
{
    const struct benchmark_suite *suite = ongoing->benchmark->suite;
    if (suite == NULL) {
        return DUET_OK;
    }
    if (suite->check != NULL) {
        suite->check->plan = &ongoing->benchmark->plan;
        suite->check->store = ongoing->session->store;
        suite->check->experiment = ongoing->experiment;
        suite->check->cancel_fd = ongoing->session->cancel_fd;
    }
    return store_suite_add(ongoing->session->store, suite->run, ongoing->experiment,
                           suite->definition, reterr);
}

/* What belongs to the experiment beside its plan. */
static enum duet_code join(const struct ongoing *ongoing, struct duet_error *reterr)
{
    const struct benchmark *benchmark = ongoing->benchmark;
    struct store *store = ongoing->session->store;
    bool alone =
        benchmark->role == MODEL_ROLE_COMPARISON; /* of commits, in a history */
    enum duet_code code =
        benchmark->revisions != NULL && alone && benchmark->resumed == 0
            ? store_revisions_save(store, ongoing->experiment, benchmark->benchmark,
                                   benchmark->revisions, reterr)
            : DUET_OK;
    if (code == DUET_OK) {
        code = join_suite(ongoing, reterr);
    }
    if (code == DUET_OK && benchmark->acceptance.limit > 0) {
        code = store_acceptance_save(store, ongoing->experiment, &benchmark->acceptance,
                                     reterr);
    }
    return code == DUET_OK && benchmark->role != MODEL_ROLE_COMPARISON
               ? store_companion_save(store, ongoing->experiment, benchmark->of,
                                      benchmark->role, reterr)
               : code;
}

static enum duet_code begin_stored(struct ongoing *ongoing, struct duet_error *reterr)
{
    const struct session *session = ongoing->session;
    struct model_host host;
    struct model_host_load before;
    machine_describe(session->machine, ongoing->plan.cpus, &host);
    machine_read_load(session->machine, &before);
    ongoing->experiment = ongoing->benchmark->resumed;
    return ongoing->experiment != 0
               ? store_experiment_resume(session->store, ongoing->experiment, &before,
                                         reterr)
               : store_experiment_begin(session->store, &ongoing->plan, &host, &before,
                                        BASE_VERSION, &ongoing->experiment, reterr);
}

static enum duet_code begin_live(struct ongoing *ongoing, struct duet_error *reterr)
{
    const struct benchmark *benchmark = ongoing->benchmark;
    const struct session *session = ongoing->session;
    const struct model_plan *plan = &ongoing->plan;
    struct stopping stopping = {.until = plan->until,
                                .precision = plan->precision_ratio,
                                .same_within = plan->analysis->same_within,
                                .max_slowdown = plan->analysis->gate.max_slowdown,
                                .fail_on = plan->analysis->gate.fail_on,
                                .size_known = benchmark->size_known};
    if (benchmark->accepts) {
        stopping.max_slowdown = benchmark->acceptance.limit;
        stopping.fail_on &= ~(unsigned)MODEL_FAIL_ON_SLOWER;
    }
    struct model_analysis analysis = analysis_family_member(plan->analysis);
    const struct model_sink sink = {.context = ongoing,
                                    .run_begin = keep_begin,
                                    .iterations = keep_iterations,
                                    .run_end = keep_end,
                                    .run_abort = keep_abort};
    enum duet_code code =
        live_new(plan, &analysis, &stopping, &sink, session->listener,
                 benchmark->suite == NULL ? NULL : &benchmark->suite->ordinal,
                 &ongoing->live, reterr);
    if (code == DUET_OK && benchmark->resumed != 0) {
        ongoing->replaying = true;
        code = replay_runs(session->store, benchmark->resumed, &analysis, ongoing->live,
                           &ongoing->done, reterr);
    }
    ongoing->replaying = false;
    return code;
}

enum duet_code ongoing_begin(const struct benchmark *benchmark,
                             const struct session *session,
                             struct ongoing **ret_ongoing, int64_t *ret_experiment,
                             struct duet_error *reterr)
{
    struct ongoing *ongoing = alloc_array(1, sizeof *ongoing);
    *ret_experiment = benchmark->resumed;
    if (ongoing == NULL) {
        return error_no_memory(reterr);
    }
    ongoing->benchmark = benchmark;
    ongoing->session = session;
    ongoing->plan = benchmark->plan;
    ongoing->analysis = benchmark_describe(&benchmark->analysis, &benchmark->plan);
    ongoing->plan.analysis = &ongoing->analysis;
    ongoing->guard = warmup_guard_of(&ongoing->plan, &ongoing->analysis.cleaning);
    enum duet_code code = begin_stored(ongoing, reterr);
    *ret_experiment = ongoing->experiment;
    if (code == DUET_OK) {
        code = join(ongoing, reterr);
        code = code == DUET_OK ? begin_live(ongoing, reterr) : code;
        if (code != DUET_OK) {
            struct duet_error ignored;
            (void)!ongoing_end(ongoing, code, reterr->message, &ignored);
        }
    }
    if (code != DUET_OK) {
        ongoing_free(ongoing);
        return code;
    }
    *ret_ongoing = ongoing;
    return DUET_OK;
}

/* ---- Slices ---- */

static void add_result(struct ongoing *ongoing, const struct measure_result *result)
{
    struct measure_result *all = &ongoing->result;
    all->mode = result->mode;
    all->runs += result->runs;
    all->wall_ns += result->wall_ns;
    all->longer_ns += result->longer_ns;
    all->wakeups += result->wakeups;
    all->ticks += result->ticks;
    all->leftovers += result->leftovers;
    all->spared += result->spared;
    all->spared_pid = result->spared > 0 ? result->spared_pid : all->spared_pid;
    all->stuck += result->stuck;
    all->stuck_pid = result->stuck > 0 ? result->stuck_pid : all->stuck_pid;
    all->slice_ns = result->slice_ns;
    ongoing->done.elapsed_ns += result->wall_ns;
}

static enum duet_code execute_slice(struct ongoing *ongoing, struct duet_error *reterr)
{
    const struct session *session = ongoing->session;
    const struct measure_done done = ongoing->done;
    struct model_plan plan = ongoing->plan;
    struct model_cpu_set spare;
    struct measure_result result = {0};
    bool has_spare = machine_pick_spare(session->machine, plan.cpus, &spare);
    bool asked = session->listener->progress != NULL ||
                 plan.until != MODEL_UNTIL_FIXED || ongoing->slice != NULL ||
                 ongoing->analysis.cleaning.warmup != MODEL_WARMUP_NONE;
    struct model_sink live = live_sink(ongoing->live);
    struct measure_hooks hooks = {
        .sink = warmup_guard_sink(&ongoing->guard, &live),
        .progress = asked ? go_on : NULL,
        .run_time = plan.adapt_run_time ? run_time : NULL,
        .schedule = plan.choose_schedule ? next_schedule : NULL,
        .coin_alone = ongoing->analysis.coin == MODEL_COIN_RUN ? coin_alone : NULL,
        .least_runs = plan.min_runs_held ? least_runs : NULL,
        .context = ongoing,
        .verify = verify,
        .verify_context = ongoing,
        .done = &done,
        .cancel_fd = session->cancel_fd,
        .spare = has_spare ? &spare : NULL};
    plan.schedule = live_schedule(ongoing->live); /* its supervisors at once */
    /* The sink of the store belongs to whoever measures. */
    ongoing->kept = store_sink(session->store, ongoing->experiment);
    enum duet_code code = measure_experiment(&plan, &hooks, &result, reterr);
    add_result(ongoing, &result);
    return code == DUET_OK && ongoing->guard.code != DUET_OK
               ? error_set(reterr, ongoing->guard.code, "%s",
                           ongoing->guard.error.message)
               : code;
}

enum duet_code ongoing_continue(struct ongoing *ongoing,
                                const struct ongoing_slice *slice, bool *ret_ended,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (ongoing->sliced) {
        live_pause(ongoing->live);
        code = store_experiment_resume(ongoing->session->store, ongoing->experiment,
                                       NULL, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    ongoing->slice = slice;
    ongoing->slice_began_ns = clock_mono_ns();
    ongoing->paused = false;
    code = execute_slice(ongoing, reterr);
    ongoing->sliced = true;
    live_hide(ongoing->live);
    *ret_ended = !ongoing->paused;
    return code;
}

uint64_t ongoing_runs(const struct ongoing *ongoing)
{
    return ongoing->counted[live_schedule(ongoing->live)];
}

double ongoing_suspicion(const struct ongoing *ongoing)
{
    return live_suspicion(ongoing->live);
}

enum model_schedule ongoing_schedule(const struct ongoing *ongoing)
{
    return live_schedule(ongoing->live);
}

const struct measure_result *ongoing_result(const struct ongoing *ongoing)
{
    return &ongoing->result;
}

void ongoing_set_ordinal(struct ongoing *ongoing, const struct live_ordinal *ordinal)
{
    live_set_ordinal(ongoing->live, ordinal);
}

/* ---- End ---- */

enum duet_code ongoing_end(struct ongoing *ongoing, enum duet_code code,
                           const char *message, struct duet_error *reterr)
{
    struct model_host_load after;
    struct store *store = ongoing->session->store;
    enum model_schedule schedule =
        ongoing->live != NULL ? live_schedule(ongoing->live) : ongoing->plan.schedule;
    machine_read_load(ongoing->session->machine, &after);
    struct duet_error error = {0};
    struct duet_error ignored;
    enum duet_code kept =
        store_experiment_schedule(store, ongoing->experiment, schedule, &error);
    enum duet_code ended = store_experiment_end(
        store, ongoing->experiment, benchmark_state(code), &after,
        code == DUET_OK ? NULL : message, kept == DUET_OK ? &error : &ignored);
    kept = kept == DUET_OK ? ended : kept;
    return kept == DUET_OK ? DUET_OK : error_set(reterr, kept, "%s", error.message);
}

void ongoing_free(struct ongoing *ongoing)
{
    if (ongoing != NULL) {
        live_free(ongoing->live);
        free(ongoing);
    }
}
