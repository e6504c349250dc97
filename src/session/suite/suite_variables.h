/* What stands in braces in a suite: variables of each side, and parameters. */
#ifndef DUET_SESSION_SUITE_SUITE_VARIABLES_H
#define DUET_SESSION_SUITE_SUITE_VARIABLES_H

#include "model/suite.h"
#include "session/comparison/run_request.h"
#include "session/suite/suite_request.h"

/* Folders that every command can name. */
struct suite_folders {
    char *suite;         /* {suite}: that of the file */
    const char *scratch; /* {scratch}: empty at the beginning, gone at the end */
};

/* Sets options->variables: {suite}, {scratch}, {side}, the suite's, the benchmark's and
 * the command line's, of which later ones win. Errors: DUET_E_USAGE (a name of duet's
 * own; a side without a value), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_variables_set(
    const struct suite_request *request, const struct suite_folders *folders,
    const struct model_suite *suite, const struct model_suite_benchmark *benchmark,
    struct run_request *options, struct duet_error *reterr);

/* Sets options->parameters: the suite's, and the benchmark's, which replace those of
 * the same name. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
suite_parameters_set(const struct model_suite *suite,
                     const struct model_suite_benchmark *benchmark,
                     struct run_request *options, struct duet_error *reterr);

#endif
