/* Which side has which position in which run: the coin. Pure; from the seed alone. */
#ifndef DUET_MEASURE_SCHEDULE_H
#define DUET_MEASURE_SCHEDULE_H

#include "model/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Everything but the program belongs to a position: CPU, launch order, slot of the
 * shared page, supervisor, length of the environment. A fair coin a block decides which
 * position the old side has in its first run; a second run of the block swaps. In
 * schedules that execute one side at a time, position 0 executes first. Random numbers:
 * stream 0 of `seed`, one number a block. */
unsigned schedule_old_position(uint64_t seed, uint64_t block, bool second);

/* By how many bytes the environment of this position's programs is longer in a run: a
 * multiple of 16 below 4096, which moves the stack, so that each run has a memory
 * layout of its own; plan->layout says whether both positions have the same. Stream 1
 * of the seed. Source: Mytkowicz et al. 2009; Bulej 2020 s.5 (runs differ by layout).
 */
uint32_t schedule_environment_offset(const struct model_plan *plan, uint64_t run,
                                     unsigned position);

/* The seed of hash functions of this position's programs in a run; positions share it
 * as they share the offset. Stream 2 of the seed. Source: common random numbers,
 * Glasserman and Yao 1992 (Management Science 38), "Some guidelines and guarantees". */
uint32_t schedule_hash_seed(const struct model_plan *plan, uint64_t run,
                            unsigned position);

/* Whether a plan's runs are enough, of `sequential` those of one side: all that it
 * names; else `least` of them and all of `budget_ns`, or the most that it allows. */
bool schedule_is_enough(const struct model_plan *plan, uint64_t runs, uint64_t least,
                        uint64_t elapsed_ns, uint64_t budget_ns);

#endif
