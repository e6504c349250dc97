/* Which side has which position in which run: the coin. Pure; from the seed alone. */
#ifndef DUET_MEASURE_SCHEDULE_H
#define DUET_MEASURE_SCHEDULE_H

#include "model/plan.h"

#include <stdint.h>

/* Everything but the program belongs to a position: CPU, launch order, slot of the
 * shared page, supervisor, length of the environment. A fair coin a block of two runs
 * decides which position the old side has first; the second run of the block swaps. In
 * schedules that execute one side at a time, position 0 executes first. Random numbers:
 * stream 0 of `seed`, one number a block. */
unsigned schedule_old_position(uint64_t seed, uint64_t run);

/* The block of a run. */
uint64_t schedule_block(uint64_t run);

#endif
