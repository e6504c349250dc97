/* Measures a suite, and shows what came of it. */
#ifndef DUET_CLI_SUITE_SHOW_H
#define DUET_CLI_SUITE_SHOW_H

#include "cli/options/baseline_option.h"
#include "cli/output.h"
#include "session/suite/suite_plan.h"

/* Measures, then prints one table of all. `path`: of the suite's file, absolute.
 * cancel_fd: interrupt_open(). Returns the exit status. */
int suite_show_run(const struct suite_request *request, struct suite_plan *plan,
                   const struct output_options *output,
                   const struct baseline_options *baseline, const char *path,
                   int cancel_fd);

#endif
