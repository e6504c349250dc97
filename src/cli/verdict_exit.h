/* From verdicts to the exit status (--fail-on, --max-slowdown). */
#ifndef DUET_CLI_VERDICT_EXIT_H
#define DUET_CLI_VERDICT_EXIT_H

#include "model/comparison.h"

/* fail_on: bits of RUN_FAIL_ON_...; max_slowdown: a fraction, NaN: not asked. 1 wins
 * over 3. */
int verdict_exit(const struct model_comparison *comparison, unsigned fail_on,
                 double max_slowdown);
/* The status of two results together. */
int verdict_exit_worse(int a, int b);

#endif
