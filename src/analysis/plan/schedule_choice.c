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
/* Where others take the CPUs, what is rare and far off is not among a few blocks of
 * duet: it must be so many times clearer, and not before the last block, since two or
 * three are close together by chance. A tie is that of turns. */
static const double clearer = 10.0;
/* Others take the CPUs: x of struct model_idle, on average. */
static const double busy_least = 0.05;
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

/* Or may have, where no usage was recorded. */
static bool waited(const struct model_idle *idle)
{
    if (isnan(idle->all)) {
        return true;
    }
    double taken = isnan(idle->taken) ? 0.0 : idle->taken;
    double own = idle->waits > 0 ? idle->all - taken : 0.0;
    return !(own <= wait_most);
}

static double taken_of(const struct model_idle *idle)
{
    double taken = idle->waits > 0 ? idle->taken : idle->all;
    return isnan(taken) ? 0.0 : taken;
}

/* Of one side's iterations. */
struct idle_sum {
    size_t count;
    size_t waiting;
    double taken;
};

static void sum_add(struct idle_sum *sum, const struct model_idle *idle)
{
    sum->count++;
    sum->waiting += waited(idle);
    sum->taken += taken_of(idle);
}

/* As far as they can be read; *sum is what was read. */
static bool sum_spooled(const struct model_run_values *values, int side,
                        struct idle_sum *sum)
{
    size_t some = 0;
    for (size_t at = 0; at < values->counts[side]; at += some) {
        const void *items = NULL;
        struct duet_error ignored;
        if (spool_read(&values->spools[side], values->first[side] + at, &items, &some,
                       &ignored) != DUET_OK) {
            return false;
        }
        const struct model_observed *observed = items;
        for (size_t i = 0; i < some; i++) {
            sum_add(sum, &observed[i].idle);
        }
    }
    return true;
}

/* false: it is not known of all. */
static bool sum_side(const struct model_run_values *values, int side,
                     struct idle_sum *sum)
{
    if (values->spools != NULL && values->spooled_idle) {
        return sum_spooled(values, side, sum);
    }
    for (size_t i = 0; values->idle[side] != NULL && i < values->counts[side]; i++) {
        sum_add(sum, &values->idle[side][i]);
    }
    return values->idle[side] != NULL;
}

struct analysis_schedule_idle
analysis_schedule_idle(const struct model_run_values *values)
{
    struct analysis_schedule_idle idle = {.taken = 0.0};
    struct idle_sum both = {.count = 0};
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct idle_sum sum = {.count = 0};
        bool known = sum_side(values, side, &sum);
        idle.waits[side] = !known || 2 * sum.waiting > sum.count;
        both.count += sum.count;
        both.taken += sum.taken;
    }
    idle.taken = both.count > 0 ? both.taken / (double)both.count : 0.0;
    return idle;
}

/* Whether a side waits in most of its runs: time that the hypervisor gives to others
 * looks like waiting, now and then. */
static bool mostly_waits(const struct analysis_schedule_choice *choice)
{
    return 2 * choice->waiting_runs[MODEL_OLD] > choice->duet_runs ||
           2 * choice->waiting_runs[MODEL_NEW] > choice->duet_runs;
}

static bool beside_others(const struct analysis_schedule_choice *choice)
{
    return choice->taken > busy_least * (double)choice->duet_runs;
}

/* Whether the blocks of duet so far may speak for it. */
static bool duet_may_settle(const struct analysis_schedule_choice *choice)
{
    size_t least = beside_others(choice) ? ANALYSIS_TRIAL_BLOCKS : FIRST_LOOK;
    return choice->trials[DUET].blocks >= least;
}

/* After a block of duet: whether nothing else need be tried. */
static void look_at_duet(struct analysis_schedule_choice *choice)
{
    const struct analysis_trial *duet = &choice->trials[DUET];
    bool calm_enough =
        duet_may_settle(choice) && sqrt(variance(duet)) <= calm[duet->blocks];
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
    bool last = blocks == ANALYSIS_TRIAL_BLOCKS;
    bool busy = beside_others(choice);
    if (turns * clear[blocks] < duet) {
        settle(choice, MODEL_SCHEDULE_TIMESLICE);
    } else if (duet_may_settle(choice) &&
               duet * clear[blocks] * (busy ? clearer : 1.0) < turns) {
        settle(choice, MODEL_SCHEDULE_DUET);
    } else if (last) {
        settle(choice, busy ? MODEL_SCHEDULE_TIMESLICE : MODEL_SCHEDULE_DUET);
    }
}

void analysis_schedule_add(struct analysis_schedule_choice *choice,
                           const struct model_run *run, double log_ratio,
                           const struct analysis_schedule_idle *idle)
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
    choice->taken += trial == DUET ? idle->taken : 0.0;
    for (int side = 0; side < MODEL_SIDES && trial == DUET; side++) {
        choice->unsuited |= run->sides[side].tasks != MODEL_TASKS_ONE;
        choice->waiting_runs[side] += idle->waits[side];
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
