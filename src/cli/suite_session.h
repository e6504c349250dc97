/* Measures a suite, and shows what came of it. */
#ifndef DUET_CLI_SUITE_SESSION_H
#define DUET_CLI_SUITE_SESSION_H

#include "cli/suite_plan.h"

/* Measures what is not in the store yet, one benchmark after the other; a failing one
 * does not keep the others from it. Then one table of all. `path`: of the suite's file,
 * absolute. cancel_fd: interrupt_open(). Returns the exit status. */
int suite_session_run(const struct suite_request *request, struct suite_plan *plan,
                      const char *path, int cancel_fd);

#endif
