#include "analysis/plan/schedule_choice.h"

#include <math.h>

enum { DUET, TIMESLICE };

enum { FIRST_LOOK = 2 }; /* blocks that say anything of a spread */

/* By blocks of duet so far. So calm that nothing else need be tried: the standard
 * deviation of a block. */
static const double calm[] = {
    [2] = 0.0005, [3] = 0.001, [ANALYSIS_TRIAL_BLOCKS] = 0.002};
/* By blocks of each so far: so many times cheaper than the other settles it. Few blocks
 * tell a variance badly. Elapsed time is what users speak of, so that after the last
 * block a tie is duet's. */
static const double clear[] = {[2] = 30.0, [3] = 8.0, [ANALYSIS_TRIAL_BLOCKS] = 1.5};
/* CPU time says nothing of waiting: in most iterations a side may wait for this share.
 */
static const double wait_most = 0.03;

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

/* Variance that is left after so much wall time; the smaller the better. */
static double cost(const struct analysis_trial *trial)
{
    return variance(trial) * trial->spent_ns / (double)trial->blocks;
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
    size_t duet = choice->trials[DUET].blocks;
    return schedule_of(duet >= FIRST_LOOK && choice->trials[TIMESLICE].blocks < duet
                           ? TIMESLICE
                           : DUET);
}

static bool waited(const struct model_idle *idle)
{
    double taken = isnan(idle->taken) ? 0.0 : idle->taken;
    double own = idle->waits > 0 ? idle->all - taken : 0.0;
    return !(own <= wait_most);
}

/* In so many iterations; all of them where that cannot be read. */
static size_t count_spooled(const struct model_run_values *values, int side)
{
    size_t waiting = 0;
    size_t some = 0;
    for (size_t at = 0; at < values->counts[side]; at += some) {
        const void *items = NULL;
        struct duet_error ignored;
        if (spool_read(&values->spools[side], values->first[side] + at, &items, &some,
                       &ignored) != DUET_OK) {
            return values->counts[side];
        }
        const struct model_observed *observed = items;
        for (size_t i = 0; i < some; i++) {
            waiting += waited(&observed[i].idle);
        }
    }
    return waiting;
}

/* Whether a side of the run spent more than wait_most of its time waiting by
 * itself in most iterations. */
static bool waits(const struct model_run_values *values, int side)
{
    size_t waiting = 0;
    if (values->spools != NULL && values->spooled_idle) {
        return 2 * count_spooled(values, side) > values->counts[side];
    }
    if (values->idle[side] == NULL) {
        return true;
    }
    for (size_t i = 0; i < values->counts[side]; i++) {
        waiting += waited(&values->idle[side][i]);
    }
    return 2 * waiting > values->counts[side];
}

void analysis_schedule_waits(const struct model_run_values *values,
                             bool ret_waits[MODEL_SIDES])
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        ret_waits[side] = waits(values, side);
    }
}

/* Whether a side waits in most of its runs: time that the hypervisor gives to others
 * looks like waiting, now and then. */
static bool mostly_waits(const struct analysis_schedule_choice *choice)
{
    return 2 * choice->waiting_runs[MODEL_OLD] > choice->duet_runs ||
           2 * choice->waiting_runs[MODEL_NEW] > choice->duet_runs;
}

/* After a block of duet: whether nothing else need be tried. */
static void look_at_duet(struct analysis_schedule_choice *choice)
{
    const struct analysis_trial *duet = &choice->trials[DUET];
    bool calm_enough =
        duet->blocks >= FIRST_LOOK && sqrt(variance(duet)) <= calm[duet->blocks];
    if (choice->unsuited || mostly_waits(choice) || calm_enough) {
        settle(choice, MODEL_SCHEDULE_DUET);
    }
}

/* After as many blocks of each. */
static void look_at_both(struct analysis_schedule_choice *choice)
{
    size_t blocks = choice->trials[DUET].blocks;
    double duet = cost(&choice->trials[DUET]);
    double turns = cost(&choice->trials[TIMESLICE]);
    if (turns * clear[blocks] < duet) {
        settle(choice, MODEL_SCHEDULE_TIMESLICE);
    } else if (duet * clear[blocks] < turns || blocks == ANALYSIS_TRIAL_BLOCKS) {
        settle(choice, MODEL_SCHEDULE_DUET);
    }
}

void analysis_schedule_add(struct analysis_schedule_choice *choice,
                           const struct model_run *run, double log_ratio,
                           const bool waiting[MODEL_SIDES])
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
    choice->duet_runs += trial == DUET;
    for (int side = 0; side < MODEL_SIDES && trial == DUET; side++) {
        choice->unsuited |= run->sides[side].tasks != MODEL_TASKS_ONE;
        choice->waiting_runs[side] += waiting[side];
    }
    if (run->index % 2 == 0) {
        choice->first_log = log_ratio;
        choice->began_ns = (double)run->started_ns;
        return;
    }
    double half = (choice->first_log - log_ratio) / 2.0;
    bool old_was_first = run->sides[MODEL_OLD].position != 0;
    tried->halves[tried->blocks++] = old_was_first ? half : -half;
    tried->spent_ns += (double)run->ended_ns - choice->began_ns;
    if (trial == DUET) {
        look_at_duet(choice);
    } else if (tried->blocks == choice->trials[DUET].blocks) {
        look_at_both(choice);
    }
}
