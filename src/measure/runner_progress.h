/* How far a measurement is. */
#ifndef DUET_MEASURE_RUNNER_PROGRESS_H
#define DUET_MEASURE_RUNNER_PROGRESS_H

#include "measure/runner.h"

/* For hooks->progress: of the whole plan, also of what was carried out before. */
struct measure_progress runner_progress(const struct runner *runner, bool in_run);

#endif
