/* A suite's file (docs/suite.md) as the workloads of a study: each benchmark against
 * itself, under schedules and numbers of runs and iterations that the study decides. */
#ifndef DUET_STUDY_LAB_STUDY_SUITE_H
#define DUET_STUDY_LAB_STUDY_SUITE_H

#include "session/comparison/benchmark.h"

struct study_suite;

/* Reads the file. listener: borrowed, told of a
 * clean-up that fails. only: patterns of names, `only_count` of them; 0: everything.
 * Errors: those of suite_plan_make(); DUET_E_USAGE (a benchmark compares two programs).
 * Free with study_suite_free(), which takes NULL, removes the scratch folder and
 * executes the suite's clean-up when it was set up. */
BASE_MUST_USE enum duet_code study_suite_open(const char *path, const char **only,
                                              size_t only_count, uint64_t seed,
                                              const struct listener *listener,
                                              struct study_suite **ret_suite,
                                              struct duet_error *reterr);
void study_suite_free(struct study_suite *suite);

const char *study_suite_name(const struct study_suite *suite);
size_t study_suite_count(const struct study_suite *suite);
const char *study_suite_entry_name(const struct study_suite *suite, size_t entry);

/* What its options leave out of its runs; the suite's. */
const struct model_cleaning *study_suite_cleaning(const struct study_suite *suite,
                                                  size_t entry);

/* Executes the suite's set-up and records its run in the store. Errors: those of
 * hook_shell() and the store. */
BASE_MUST_USE enum duet_code study_suite_begin(struct study_suite *suite,
                                               struct store *store, int cancel_fd,
                                               struct duet_error *reterr);

/* What is to be measured, and the options that go with it, which stay the suite's.
 * `checked`: outputs are checked as the suite says, and the experiment belongs to the
 * suite's run in the store; the benchmark must not outlive the suite. Errors: those of
 * suite_entry_make(). */
BASE_MUST_USE enum duet_code study_suite_make(struct study_suite *suite, size_t entry,
                                              bool checked,
                                              struct benchmark *ret_benchmark,
                                              struct run_request *ret_options,
                                              struct duet_error *reterr);

#endif
