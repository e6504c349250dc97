/* From verdicts to the exit status (--fail-on, --max-slowdown). */
#ifndef DUET_CLI_VERDICT_EXIT_H
#define DUET_CLI_VERDICT_EXIT_H

#include "model/comparison.h"

/* The status of one comparison, by the limits of its analysis. 1 wins over 3. */
int verdict_exit(const struct model_comparison *comparison);
/* The status of two results together. */
int verdict_exit_worse(int a, int b);

#endif
