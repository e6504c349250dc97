/* Why a gate (--fail-on, --max-slowdown) failed or passed, on standard error. */
#ifndef DUET_CLI_GATE_WORDS_H
#define DUET_CLI_GATE_WORDS_H

#include "cli/verdict_exit.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed at the beginning. */
struct gate_tally {
    bool several; /* the caller's: comparisons go by their names */
    bool quiet;   /* the caller's: no word of what passed */
    size_t asked; /* comparisons that have a gate */
    size_t passed;
};

/* verdict_exit() of a comparison; says why it is not 0, or that it is of a comparison
 * alone. Nothing is said without a gate, or of a comparison that failed. */
int gate_judge(struct gate_tally *tally, const struct model_comparison *comparison);
/* Says that all of several have passed, if they have. */
void gate_close(const struct gate_tally *tally);

#endif
