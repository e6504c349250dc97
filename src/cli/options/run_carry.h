/* What `duet run` does once its options are known, for other commands too. */
#ifndef DUET_CLI_RUN_CARRY_H
#define DUET_CLI_RUN_CARRY_H

#include "cli/options/run_options.h"

/* Measures every combination, shows the answers and judges them. cancel_fd:
 * interrupt_open(); -1: it is called here. Returns the exit status; *ret_speed: what
 * the comparisons say, for exit_codes_of(). */
int run_carry_out(const struct run_options *options, int cancel_fd, int *ret_speed);

#endif
