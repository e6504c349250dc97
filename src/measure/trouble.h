/* What went wrong in a run, in words for the user. */
#ifndef DUET_MEASURE_TROUBLE_H
#define DUET_MEASURE_TROUBLE_H

#include "measure/runner.h"

/* The error of a side whose supervisor reported trouble. `tail`: what it said last. */
enum duet_code trouble_error(const struct model_plan *plan,
                             const struct runner_task *task, enum model_side side,
                             const struct supervisor_report *report,
                             struct stream_tail *tail, struct duet_error *reterr);

/* Adds to such an error what the command prints on standard output; nothing when that
 * is nothing. */
void trouble_add_output(struct stream_tail *output, struct duet_error *error);

/* The error of a page whose `part` was written over: nobody knows by which side. */
enum duet_code trouble_overwritten(const struct model_plan *plan,
                                   const struct runner_task *task, const char *part,
                                   struct duet_error *reterr);

/* The error of a side whose process `pid` took part, ended after so many iterations
 * without having closed, and left the program that is measured behind. */
enum duet_code trouble_lost(const struct model_plan *plan,
                            const struct runner_task *task, enum model_side side,
                            uint64_t pid, uint64_t iterations, struct stream_tail *tail,
                            struct duet_error *reterr);

/* The error of a side that did all of its iterations and ended without having closed.
 */
enum duet_code trouble_unclosed(const struct model_plan *plan,
                                const struct runner_task *task, enum model_side side,
                                uint64_t iterations, struct stream_tail *tail,
                                struct duet_error *reterr);

/* The error of two harness sides that do not go together. `ended`: the side that ended
 * first; `iterations`: how many it did; `attached`: whether it had attached at all. */
enum duet_code trouble_unpaired(const struct model_plan *plan,
                                const struct runner_task *task, enum model_side ended,
                                bool attached, uint64_t iterations,
                                struct stream_tail *tail, struct duet_error *reterr);

#endif
