/* What is said of processes that measured programs left behind. */
#ifndef DUET_SESSION_LEFTOVERS_H
#define DUET_SESSION_LEFTOVERS_H

#include "measure/measure.h"
#include "session/listener.h"

/* Warns of the processes that were killed, and of those that could not be. `name`: of
 * the benchmark, put before it; NULL: there is one only. */
void leftovers_warn(const struct listener *listener, const char *name,
                    const struct measure_result *result);

#endif
