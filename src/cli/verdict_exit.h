/* From verdicts to the exit status (--fail-on, --max-slowdown). */
#ifndef DUET_CLI_VERDICT_EXIT_H
#define DUET_CLI_VERDICT_EXIT_H

#include "model/comparison.h"

enum { GATE_FAIL_ON_SLOWER = 1, GATE_FAIL_ON_FASTER = 2, GATE_FAIL_ON_UNSURE = 4 };

/* What the exit status depends on. */
struct gate_options {
    unsigned fail_on;    /* of GATE_FAIL_ON_... */
    double max_slowdown; /* fraction; NaN: not asked */
};
struct gate_options gate_options_default(void);

/* The status of one comparison. 1 wins over 3. */
int verdict_exit(const struct model_comparison *comparison,
                 const struct gate_options *gate);
/* The status of two results together. */
int verdict_exit_worse(int a, int b);

#endif
