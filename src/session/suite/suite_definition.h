/* What a benchmark is, as a fingerprint: a benchmark that was measured needs not be
 * measured again as long as it stays the same. */
#ifndef DUET_SESSION_SUITE_SUITE_DEFINITION_H
#define DUET_SESSION_SUITE_SUITE_DEFINITION_H

#include "base/sha256.h"
#include "session/comparison/benchmark.h"
#include "session/suite/suite_check.h"
#include "session/suite/suite_variables.h"

/* Of all that changes what is measured: commands, hooks, streams, limits, schedule and
 * check; neither the seed nor the CPUs nor the analysis, nor the scratch folder's name.
 * `check`: NULL: none. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_definition_of(const struct benchmark *benchmark,
                                                 const struct suite_check *check,
                                                 const struct suite_folders *folders,
                                                 char ret_definition[SHA256_TEXT_BYTES],
                                                 struct duet_error *reterr);

#endif
