/* What a suite comes to: its benchmarks times their parameters, each with options of
 * its own, and the order in which they are measured. */
#ifndef DUET_SESSION_SUITE_SUITE_PLAN_H
#define DUET_SESSION_SUITE_SUITE_PLAN_H

#include "base/sha256.h"
#include "model/suite.h"
#include "session/comparison/benchmark.h"
#include "session/suite/suite_check.h"
#include "session/suite/suite_request.h"
#include "session/suite/suite_variables.h"

/* One comparison. */
struct suite_entry {
    const struct model_suite_benchmark *source;
    const struct run_request *options; /* of the benchmark */
    size_t index;                      /* of the combination */
    char *name;
    struct suite_check check;
    bool checked;
    char definition[SHA256_TEXT_BYTES]; /* equal for equal ones */
    uint64_t seed;
    bool differs; /* the sides' commands do; else it is compared with itself */
};

struct suite_plan {
    struct model_suite suite;
    struct run_request *options; /* one for each of suite.benchmarks */
    struct suite_entry *entries; /* in the file's order */
    size_t count;
    size_t *order; /* of measuring: indexes of entries */
    uint64_t seed;
};

/* Puts everything in. take_suite: what formats_suite_read() made of request->path; it
 * is moved into the plan, and empty afterwards, in any case. The seed is the command
 * line's, else the file's, else drawn. The request and the folders must outlive it.
 * Errors: DUET_E_USAGE with the place in the file; DUET_E_NOT_FOUND (no benchmark of
 * --only). */
BASE_MUST_USE enum duet_code suite_plan_make(const struct suite_request *request,
                                             struct model_suite *take_suite,
                                             const struct suite_folders *folders,
                                             struct suite_plan *ret_plan,
                                             struct duet_error *reterr);
/* Draws the order and each benchmark's seed from the suite's. */
BASE_MUST_USE enum duet_code suite_plan_seed(struct suite_plan *plan, uint64_t seed,
                                             struct duet_error *reterr);
void suite_plan_release(struct suite_plan *plan);

/* The benchmark of an entry, as benchmark_make() makes it, with the entry's seed.
 * Errors: DUET_E_USAGE with the place in the file, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_entry_make(const struct suite_plan *plan,
                                              const struct suite_entry *entry,
                                              struct benchmark *ret_benchmark,
                                              struct duet_error *reterr);

#endif
