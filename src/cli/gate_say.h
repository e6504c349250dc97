/* Why a gate (--fail-on, --max-slowdown) failed or passed, on standard error, and the
 * exit status that follows. */
#ifndef DUET_CLI_GATE_SAY_H
#define DUET_CLI_GATE_SAY_H

#include "session/comparison/answer.h"

#include <stdbool.h>
#include <stddef.h>

/* The answers' gates have been judged. several: comparisons go by their names, of those
 * that passed only a limit that was left open is told, and one line sums them up.
 * What was interrupted is not judged then. quiet: no word of what passed. Returns the
 * exit status of the gates alone: a command that failed has one of its own. */
int gate_say(const struct answer *answers, size_t count, bool several, bool quiet);

/* Its parts, for comparisons that are no answers: one line, and the status. */
void gate_say_one(const struct model_comparison *comparison, bool several, bool quiet);
int gate_say_exit(enum model_gate_state state);

#endif
