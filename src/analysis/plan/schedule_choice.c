#include "analysis/plan/schedule_choice.h"

#include <math.h>

enum { DUET, TIMESLICE };

/* So calm that nothing else need be tried: the standard deviation of a block. */
static const double calm = 0.002;
/* CPU time says nothing of waiting: in most iterations a side may wait for this share.
 */
static const double wait_most = 0.03;
/* Four blocks tell a variance badly, and elapsed time is what users speak of. */
static const double in_favour_of_duet = 1.5;

static size_t trial_of(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_TIMESLICE ? TIMESLICE : DUET;
}

static enum model_schedule schedule_of(size_t trial)
{
    return trial == TIMESLICE ? MODEL_SCHEDULE_TIMESLICE : MODEL_SCHEDULE_DUET;
}

static double variance(const struct analysis_trial *trial)
{
    double n = (double)trial->blocks;
    double mean = 0.0;
    double squares = 0.0;
    for (size_t b = 0; b < trial->blocks; b++) {
        mean += trial->halves[b] / n;
    }
    for (size_t b = 0; b < trial->blocks; b++) {
        squares += (trial->halves[b] - mean) * (trial->halves[b] - mean);
    }
    return squares / (n - 1.0);
}

/* Variance that is left after a second; the smaller the better. */
static double cost(const struct analysis_trial *trial)
{
    return variance(trial) * (trial->ended_ns - trial->began_ns);
}

static void settle(struct analysis_schedule_choice *choice,
                   enum model_schedule schedule)
{
    choice->settled = true;
    choice->chosen = schedule;
}

enum model_schedule
analysis_schedule_next(const struct analysis_schedule_choice *choice)
{
    if (choice->settled) {
        return choice->chosen;
    }
    return schedule_of(choice->trials[DUET].blocks < ANALYSIS_TRIAL_BLOCKS ? DUET
                                                                           : TIMESLICE);
}

/* Whether a side of the run spent more than wait_most of its time waiting of its own
 * accord in most iterations, or may have. */
static bool waits(const struct model_run_values *values, int side)
{
    size_t waiting = 0;
    if (values->idle[side] == NULL) {
        return true;
    }
    for (size_t i = 0; i < values->counts[side]; i++) {
        const struct model_idle *idle = &values->idle[side][i];
        double taken = isnan(idle->taken) ? 0.0 : idle->taken;
        double own = idle->waits > 0 ? idle->all - taken : 0.0;
        waiting += !(own <= wait_most);
    }
    return 2 * waiting > values->counts[side];
}

static void end_trial(struct analysis_schedule_choice *choice, size_t trial)
{
    const struct analysis_trial *trials = choice->trials;
    if (trial == DUET && (choice->unsuited || sqrt(variance(&trials[DUET])) <= calm)) {
        settle(choice, MODEL_SCHEDULE_DUET);
    } else if (trial == TIMESLICE) {
        bool turns = cost(&trials[TIMESLICE]) * in_favour_of_duet < cost(&trials[DUET]);
        settle(choice, turns ? MODEL_SCHEDULE_TIMESLICE : MODEL_SCHEDULE_DUET);
    }
}

void analysis_schedule_add(struct analysis_schedule_choice *choice,
                           const struct model_run *run, double log_ratio,
                           const struct model_run_values *values)
{
    size_t trial = trial_of(run->schedule);
    struct analysis_trial *tried = &choice->trials[trial];
    if (choice->settled || tried->blocks == ANALYSIS_TRIAL_BLOCKS) {
        return;
    }
    if (!isfinite(log_ratio)) {
        settle(choice, MODEL_SCHEDULE_DUET);
        return;
    }
    for (int side = 0; side < MODEL_SIDES && trial == DUET; side++) {
        choice->unsuited = choice->unsuited ||
                           run->sides[side].tasks != MODEL_TASKS_ONE ||
                           waits(values, side);
    }
    if (run->index % 2 == 0) {
        choice->first_log = log_ratio;
        if (tried->blocks == 0) {
            tried->began_ns = (double)run->started_ns;
        }
        return;
    }
    double half = (choice->first_log - log_ratio) / 2.0;
    bool old_was_first = run->sides[MODEL_OLD].position != 0;
    tried->halves[tried->blocks++] = old_was_first ? half : -half;
    tried->ended_ns = (double)run->ended_ns;
    if (tried->blocks == ANALYSIS_TRIAL_BLOCKS) {
        end_trial(choice, trial);
    }
}
