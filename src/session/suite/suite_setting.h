/* From the keys of a suite's file to the options of `duet run`. */
#ifndef DUET_SESSION_SUITE_SUITE_SETTING_H
#define DUET_SESSION_SUITE_SUITE_SETTING_H

#include "model/suite.h"
#include "session/comparison/run_request.h"
#include "session/suite/suite_request.h"

/* The suite's defaults, what the benchmark says, then the command line; later ones win,
 * and with `runs` or `until` the earlier ones of runs, until, min-runs and max-runs are
 * put aside. Errors: DUET_E_USAGE ("FILE:LINE:COLUMN: benchmarks[2].runs: ..."),
 * DUET_E_NOMEM. `index`: of the benchmark. */
BASE_MUST_USE enum duet_code suite_settings_apply(const struct suite_request *request,
                                                  const struct model_suite *suite,
                                                  size_t index,
                                                  struct run_request *options,
                                                  struct duet_error *reterr);

#endif
