/* Going on with an experiment that was interrupted, as if it had not been: the plan,
 * the coins and the analysis are those that are stored, the rule that ends it has seen
 * all runs, and a block of which one run is there gets the other one.
 *
 * The verdict stays what it was promised to be. What is undecided at a pause is decided
 * by coins that are drawn for the runs to come (measure/schedule), so that they do not
 * depend on the runs before it; the confidence sequence holds at any number of runs,
 * whoever chose it and why (Ville's inequality), and a pause is one of them. */
#ifndef DUET_SESSION_COMPARISON_RESUME_H
#define DUET_SESSION_COMPARISON_RESUME_H

#include "session/comparison/benchmark.h"
#include "store/store_resume.h"

/* Zeroed storage is none. */
struct resume {
    struct store_experiment experiment;
    struct store_plan stored;
    struct benchmark benchmark; /* its strings but for `words` are those of `stored` */
};

/* The experiment `which` (NULL: the newest that was interrupted), checked against this
 * machine. Errors: those of store_unfinished_find() and store_plan_read();
 * DUET_E_UNSUITABLE (another machine, a CPU that may not be used any more). */
BASE_MUST_USE enum duet_code resume_open(const struct session *session,
                                         const char *which, struct resume *ret_resume,
                                         struct duet_error *reterr);

/* That a benchmark is the one to go on with; where its seed and its CPUs were not
 * given, those that are stored are meant. Errors: DUET_E_USAGE (what differs). */
BASE_MUST_USE enum duet_code resume_check(const struct session *session,
                                          const struct resume *resume,
                                          const struct run_request *request,
                                          struct benchmark *benchmark,
                                          struct duet_error *reterr);

void resume_release(struct resume *resume);

#endif
