/* Which of the two schedules that compare fairly goes on: at the same time on two CPUs
 * by elapsed time (duet), or in turns on one CPU by CPU time (timeslice). Both are
 * tried in the first blocks; the one that gives more information a second goes on, as
 * soon as two blocks of each say so clearly.
 *
 * What is looked at does not know which side is new. Of a block whose two runs have the
 * log ratios a and b (old at position 0 in the first, at position 1 in the second run),
 * g = (a + b) / 2 is what the block says of the change, and d = (a - b) / 2 what it
 * says of the positions. Swapping the labels of both runs turns a into -b and b into
 * -a: it changes the sign of g and leaves d. A constant difference of the positions
 * moves all d alike, and a constant change moves none, so the variance of d over blocks
 * is that of g where the runs of a block err independently. Given all d, all g are as
 * symmetric as before, and so a choice by them leaves the error of a verdict what it
 * was. docs/decisions/0024-schedule.md */
#ifndef DUET_ANALYSIS_SCHEDULE_CHOICE_H
#define DUET_ANALYSIS_SCHEDULE_CHOICE_H

#include "model/experiment.h"

#include <stdbool.h>
#include <stddef.h>

enum { ANALYSIS_TRIAL_BLOCKS = 4 }; /* of each schedule, at most */

/* One schedule's trial. */
struct analysis_trial {
    double halves[ANALYSIS_TRIAL_BLOCKS]; /* d of each block */
    size_t blocks;
    double spent_ns; /* wall time of these blocks */
};

/* Zeroed storage has tried nothing. */
struct analysis_schedule_choice {
    struct analysis_trial trials[2]; /* duet, timeslice */
    double first_log;                /* of the block that has one run so far */
    double began_ns;                 /* that block's first run */
    size_t duet_runs;
    size_t waiting_runs[MODEL_SIDES]; /* of these */
    double taken;                     /* sum over these, of CPU time lost to others */
    bool unsuited;                    /* a side has several tasks: duet */
    bool settled;
    enum model_schedule chosen; /* once settled */
};

/* The schedule of the next run; it changes between blocks only. */
enum model_schedule
analysis_schedule_next(const struct analysis_schedule_choice *choice);

/* What the time without execution of a run's iterations says. */
struct analysis_schedule_idle {
    bool waits[MODEL_SIDES]; /* mostly by itself, or may have */
    double taken; /* mean of struct model_idle's x that others took, of both sides */
};

/* Of the sides' values->idle; NULL where it is not known. Before the analysis takes the
 * run, which uses that up. */
struct analysis_schedule_idle
analysis_schedule_idle(const struct model_run_values *values);

/* Takes the next run of the schedule that is being tried: its log ratio (NaN: none) and
 * what its sides did not execute. After that runs are ignored. */
void analysis_schedule_add(struct analysis_schedule_choice *choice,
                           const struct model_run *run, double log_ratio,
                           const struct analysis_schedule_idle *idle);

#endif
