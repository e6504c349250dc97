/* Whether a suite's programs do what the suite says, before and after they are
 * measured: a broken one would be fast. */
#ifndef DUET_SESSION_SUITE_SUITE_CHECK_H
#define DUET_SESSION_SUITE_SUITE_CHECK_H

#include "base/error.h"
#include "model/plan.h"
#include "model/suite.h"
#include "store/store.h"

#include <stdbool.h>

struct suite_check {
    const struct model_suite_check *wanted;
    char *commands[MODEL_SIDES]; /* owned, everything put in; NULL: none */
    char *files[MODEL_SIDES];
    /* Set when the benchmark is measured. */
    const struct model_plan *plan;
    struct store *store;
    int64_t experiment;
    int cancel_fd;
};

/* For struct measure_hooks: executes each side once and compares what it yields; after
 * the measurement also the exit status of all that was measured. Errors:
 * DUET_E_WORKLOAD (which side, what was found, what was wanted), and those of
 * measure_trial() and the store. */
enum duet_code suite_check_verify(void *check, bool after, struct duet_error *reterr);
void suite_check_release(struct suite_check *check);

#endif
