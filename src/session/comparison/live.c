#include "session/comparison/live.h"

#include "analysis/anytime.h"
#include "analysis/plan/run_length.h"
#include "analysis/plan/schedule_choice.h"
#include "base/alloc.h"
#include "sync/clock.h"

#include <math.h>
#include <stdlib.h>

/* A look takes time that grows with the runs, and nothing is measured meanwhile: from
 * so many runs on, the measurement between two looks takes so many times as long. */
enum { LOOK_ALWAYS = 512, LOOK_PAUSE = 9 };

struct live {
    struct model_sink next;
    const struct model_plan *plan;
    struct stopping stopping;
    struct live_ordinal ordinal; /* count 0: measured alone */
    struct analysis *analysis;   /* NULL: nothing is shown and nothing decided */
    /* With plan->choose_schedule: of the runs that take turns on one CPU. */
    struct analysis *turns;
    struct analysis_schedule_choice choice;
    const struct listener *listener;   /* its progress NULL: nothing is shown */
    bool stale;                        /* blocks have come since the last estimate */
    uint64_t look_ns;                  /* from when on the next one may be made */
    bool alone;                        /* the current block has one run */
    bool second;                       /* the first run of the current block is done */
    uint64_t counted[MODEL_SCHEDULES]; /* runs so far */
    struct model_run run;
    struct model_run_gather gather; /* its values */
    double operations[MODEL_SIDES]; /* of the run so far */
    struct analysis_run_length run_length;
    uint64_t last_end_ns;    /* of the run before; 0: none */
    uint64_t satisfied_runs; /* with which the rule was satisfied first; 0: not yet */
    uint64_t runs_more;      /* then, until whether the mean doubts it is asked */
    double ratio;
    struct model_interval interval;
    bool drawn;
};

enum duet_code live_new(const struct model_plan *plan,
                        const struct model_analysis *options,
                        const struct stopping *stopping, const struct model_sink *next,
                        const struct listener *listener,
                        const struct live_ordinal *ordinal, struct live **ret_live,
                        struct duet_error *reterr)
{
    struct live *live = alloc_array(1, sizeof *live);
    if (live == NULL) {
        return error_no_memory(reterr);
    }
    live->next = *next;
    live->plan = plan;
    live->run_length.start_ns = (double)plan->run_time_ns;
    live->ratio = live->interval.low = live->interval.high = (double)NAN;
    live->stopping = *stopping;
    live->listener = listener;
    if (ordinal != NULL) {
        live->ordinal = *ordinal;
    }
    enum duet_code code = DUET_OK;
    if (listener->progress != NULL || stopping->until != MODEL_UNTIL_FIXED) {
        code = analysis_new(options, model_schedule_is_paired(plan->schedule),
                            &live->analysis, reterr);
    }
    if (code == DUET_OK && plan->choose_schedule) {
        code = analysis_new(options, true, &live->turns, reterr);
    }
    if (code != DUET_OK) {
        live_free(live);
        return code;
    }
    bool spools = live->analysis != NULL && analysis_takes_long_runs(live->analysis);
    live->gather.most = spools ? MODEL_RUN_LONG : 0;
    *ret_live = live;
    return DUET_OK;
}

static enum duet_code live_run_begin(void *context, const struct model_run *run,
                                     struct duet_error *reterr)
{
    struct live *live = context;
    live->run = *run;
    model_run_gather_clear(&live->gather);
    live->operations[MODEL_OLD] = live->operations[MODEL_NEW] = 0.0;
    return live->next.run_begin(live->next.context, run, reterr);
}

static double value_of(const struct live *live, const struct model_iteration *iteration)
{
    uint64_t took_ns = live->run.schedule == MODEL_SCHEDULE_TIMESLICE
                           ? iteration->cpu_ns
                           : iteration->end_ns - iteration->start_ns;
    return (double)took_ns / model_iteration_operations(iteration);
}

static enum duet_code live_iterations(void *context, enum model_side side,
                                      const struct model_iteration *iterations,
                                      size_t count, struct duet_error *reterr)
{
    struct live *live = context;
    for (size_t i = 0; i < count; i++) {
        if (model_iteration_counts(&iterations[i], 0) &&
            iterations[i].region == 0) { /* regions stop nothing */
            const struct model_idle idle = model_iteration_idle(&iterations[i]);
            enum duet_code code = model_run_gather_add(
                &live->gather, side, value_of(live, &iterations[i]), &idle, reterr);
            if (code != DUET_OK) {
                return code;
            }
            live->operations[side] += model_iteration_operations(&iterations[i]);
        }
    }
    return live->next.iterations(live->next.context, side, iterations, count, reterr);
}

/* A run that the analysis cannot use (a time of 0, say) is left to the final one to
 * complain about. */
static void take_run(struct live *live, const struct model_run *run)
{
    struct model_run_values *values = &live->gather.values;
    values->run = run->index;
    values->block = run->block;
    values->old_position = run->sides[MODEL_OLD].position;
    size_t drop = model_mode_dropped(run->mode, live->plan->warmup);
    struct model_run_values used = *values;
    /* CPU time does not contain what was lost. */
    bool time = run->schedule != MODEL_SCHEDULE_TIMESLICE;
    used.spooled_idle = time && used.spooled_idle;
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t skip = drop < used.counts[side] ? drop : used.counts[side];
        used.operations[side] = used.counts[side] > 0
                                    ? live->operations[side] / (double)used.counts[side]
                                    : 0.0;
        used.values[side] += used.values[side] != NULL ? skip : 0;
        used.first[side] += skip;
        used.idle[side] =
            time && used.idle[side] != NULL ? used.idle[side] + skip : NULL;
        used.single[side] = run->sides[side].tasks == MODEL_TASKS_ONE;
        used.others_ns[side] = run->sides[side].others_ns;
        used.window_ns[side] = run->sides[side].window_ns;
        used.counts[side] -= skip;
    }
    struct duet_error ignored;
    if (live->plan->adapt_run_time && run->mode == MODEL_MODE_HARNESS) {
        uint64_t since = live->last_end_ns > 0 ? live->last_end_ns : run->started_ns;
        (void)!analysis_run_length_add(&live->run_length, &used,
                                       (double)(run->ended_ns - since), &ignored);
        live->last_end_ns = run->ended_ns;
    }
    bool turns = live->turns != NULL && run->schedule == MODEL_SCHEDULE_TIMESLICE;
    struct analysis *analysis = turns ? live->turns : live->analysis;
    struct analysis_schedule_idle idle = {.taken = 0.0};
    if (live->turns != NULL) {
        idle = analysis_schedule_idle(&used);
    }
    bool added = analysis_add_run(analysis, &used, &ignored) == DUET_OK;
    bool ended = live->alone || live->second;
    live->second = !ended;
    live->stale = ended && (added || live->stale);
    live->counted[run->schedule]++;
    if (live->turns != NULL) {
        double log_ratio = added ? analysis_last_log_ratio(analysis) : (double)NAN;
        analysis_schedule_add(&live->choice, run, log_ratio, &idle);
    }
}

/* Of the runs that count, as far as that is settled. */
static const struct analysis *analysis_of(const struct live *live)
{
    return live_schedule(live) == MODEL_SCHEDULE_TIMESLICE && live->turns != NULL
               ? live->turns
               : live->analysis;
}

enum model_schedule live_next_schedule(const struct live *live)
{
    return analysis_schedule_next(&live->choice);
}

bool live_coin_alone(struct live *live)
{
    live->alone = live_is_settled(live) &&
                  analysis_coin_alone((size_t)live->counted[live_schedule(live)]);
    return live->alone;
}

uint64_t live_least_runs(const struct live *live)
{
    uint64_t others = 0;
    for (int schedule = 0; schedule < MODEL_SCHEDULES; schedule++) {
        bool counts = schedule == (int)live_schedule(live);
        others += counts ? 0 : live->counted[schedule];
    }
    return live->plan->min_runs + others;
}

enum model_schedule live_schedule(const struct live *live)
{
    return live->choice.settled ? live->choice.chosen : live->plan->schedule;
}

bool live_is_settled(const struct live *live)
{
    return live->turns == NULL || live->choice.settled;
}

double live_suspicion(const struct live *live)
{
    double p_value = 1.0;
    struct duet_error ignored;
    bool known = live->analysis != NULL && live->plan->until != MODEL_UNTIL_FIXED &&
                 analysis_suspicion(analysis_of(live), &p_value, &ignored) == DUET_OK;
    return known && p_value < 1.0 ? p_value : 1.0;
}

void live_set_ordinal(struct live *live, const struct live_ordinal *ordinal)
{
    live->ordinal = *ordinal;
}

static enum duet_code live_run_end(void *context, const struct model_run *run,
                                   struct duet_error *reterr)
{
    struct live *live = context;
    enum duet_code code = live->next.run_end(live->next.context, run, reterr);
    if (code == DUET_OK) {
        take_run(live, run);
    }
    return code;
}

static void live_run_abort(void *context)
{
    struct live *live = context;
    live->next.run_abort(live->next.context);
}

struct model_sink live_sink(struct live *live)
{
    if (live->analysis == NULL) {
        return live->next;
    }
    return (struct model_sink){.context = live,
                               .run_begin = live_run_begin,
                               .iterations = live_iterations,
                               .run_end = live_run_end,
                               .run_abort = live_run_abort};
}

/* By runs where their number is planned, else by time or by the most runs; and by the
 * least runs, whichever is less. */
static double done_ratio(const struct live *live,
                         const struct measure_progress *progress)
{
    if (progress->runs_planned != 0) {
        return (double)progress->runs_done / (double)progress->runs_planned;
    }
    double by_time = progress->budget_ns == 0
                         ? 1
                         : (double)progress->elapsed_ns / (double)progress->budget_ns;
    double done = (double)progress->runs_done /
                  (double)model_schedule_passes(live->plan->schedule);
    double by_most = done / (double)live->plan->max_runs;
    double by_least = done / (double)live->plan->min_runs;
    double by_rule = by_time > by_most ? by_time : by_most;
    double ratio = by_rule < by_least ? by_rule : by_least;
    return ratio < 1 ? ratio : 1;
}

/* Of the whole suite, when the benchmark is one of it. */
static void put_ordinal(const struct live_ordinal *ordinal,
                        struct session_progress *shown)
{
    if (ordinal->count == 0) {
        return;
    }
    double mine_ns = (double)shown->elapsed_ns + shown->left_ns; /* NaN: not known */
    double left_ns =
        shown->left_ns + ordinal->after_ns + (double)ordinal->unknown * mine_ns;
    double spent_ns = ordinal->before_ns + (double)shown->elapsed_ns;
    shown->index = ordinal->index;
    shown->count = ordinal->count;
    shown->found = ordinal->found;
    shown->elapsed_ns = (uint64_t)spent_ns;
    shown->left_ns = left_ns;
    shown->done_ratio = spent_ns + left_ns > 0 ? spent_ns / (spent_ns + left_ns) : 0;
}

static void show(struct live *live, const struct measure_progress *progress)
{
    double done = done_ratio(live, progress);
    struct session_progress shown = {
        .name = live->plan->name,
        .done_ratio = done,
        .runs = progress->runs_done,
        .runs_goal = progress->runs_planned,
        .elapsed_ns = progress->elapsed_ns,
        .left_ns =
            done > 0 ? (double)progress->elapsed_ns * (1 - done) / done : (double)NAN,
        .ratio = live->ratio,
        .low = live->interval.low,
        .high = live->interval.high,
    };
    put_ordinal(&live->ordinal, &shown);
    live->listener->progress(live->listener->context, &shown);
    live->drawn = true;
}

/* Whether more runs could take the verdict back. */
static bool mean_is_open(const struct live *live)
{
    bool certain = true;
    struct duet_error ignored;
    if (live->stopping.until == MODEL_UNTIL_DECIDED) {
        (void)!analysis_mean_is_certain(analysis_of(live), live->ratio, &live->interval,
                                        &certain, &ignored);
    }
    return !certain;
}

/* Whether `same` would be taken back now for the mean or the slow iterations, which
 * more runs may settle. What a change is taken back for differs from it surely: looking
 * again would only bring the chance that it does not seem so for once. */
static bool same_is_doubted(const struct live *live)
{
    bool doubted = false;
    struct duet_error ignored;
    bool changed = live->interval.low > 1.0 || live->interval.high < 1.0;
    if (live->stopping.until == MODEL_UNTIL_DECIDED && !changed) {
        (void)!analysis_is_doubted(analysis_of(live), &doubted, &ignored);
    }
    return doubted;
}

/* A few runs more than the verdict takes, where they are needed to bound the change on
 * both sides, or for the mean, which may take it back; and as many more as there is
 * time for while that makes `unsure` of `same`. */
static bool may_stop(struct live *live, uint64_t runs)
{
    enum { RUNS_MORE = 12 };
    if (!stopping_satisfied(&live->stopping, &live->interval) ||
        (live->plan->min_runs_held && runs < live_least_runs(live))) {
        return false;
    }
    if (live->satisfied_runs == 0) {
        live->satisfied_runs = runs;
        live->runs_more = RUNS_MORE;
    }
    bool bounded = isfinite(live->interval.low) && isfinite(live->interval.high);
    if (bounded && !mean_is_open(live)) {
        return true;
    }
    if (runs < live->satisfied_runs + live->runs_more) {
        return false;
    }
    live->runs_more += live->runs_more / 2;
    return !same_is_doubted(live);
}

/* Once the rule was satisfied there are few runs to come, and each counts. */
static bool look_is_due(const struct live *live, uint64_t runs)
{
    return live->stale && (runs < LOOK_ALWAYS || live->satisfied_runs > 0 ||
                           clock_mono_ns() >= live->look_ns);
}

/* CPU time: a look that others interrupt costs no more. */
static void look(struct live *live)
{
    struct duet_error ignored;
    uint64_t began_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    (void)!analysis_estimate(analysis_of(live), &live->ratio, &live->interval,
                             &ignored);
    uint64_t took_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    live->look_ns = clock_mono_ns() + LOOK_PAUSE * took_ns;
    live->stale = false;
}

bool live_progress(struct live *live, const struct measure_progress *progress)
{
    if (live->analysis == NULL) {
        return true;
    }
    if (!progress->in_run && look_is_due(live, progress->runs_done)) {
        look(live);
    }
    if (live->listener->progress != NULL) {
        show(live, progress);
    }
    return progress->in_run || !may_stop(live, progress->runs_done);
}

uint64_t live_run_time(const struct live *live)
{
    return live->satisfied_runs > 0 /* a few blocks more: short ones do */
               ? live->plan->run_time_ns
               : (uint64_t)analysis_run_length_ns(&live->run_length);
}

void live_pause(struct live *live)
{
    live->last_end_ns = 0;
}

void live_hide(struct live *live)
{
    if (live->drawn) {
        live->listener->progress(live->listener->context, NULL);
        live->drawn = false;
    }
}

void live_free(struct live *live)
{
    if (live == NULL) {
        return;
    }
    live_hide(live);
    model_run_values_release(&live->gather.values);
    analysis_run_length_release(&live->run_length);
    analysis_free(live->analysis);
    analysis_free(live->turns);
    free(live);
}
