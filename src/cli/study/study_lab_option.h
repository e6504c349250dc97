/* The options of the studies that measure. */
#ifndef DUET_CLI_STUDY_LAB_OPTION_H
#define DUET_CLI_STUDY_LAB_OPTION_H

#include "cli/study/study_run.h"
#include "study/lab/study_lab.h"

#include <stdbool.h>

struct study_lab_request {
    struct study_lab_options options;
    struct study_common common;
    bool budget_given;
    bool duration_given;
    bool quick;
};

enum {
    LAB_OPTION_STORE = 1700,
    LAB_OPTION_PLATFORM,
    LAB_OPTION_SUITE,
    LAB_OPTION_ONLY,
    LAB_OPTION_SUITE_NAME,
    LAB_OPTION_CPUS,
    LAB_OPTION_PICTURES,
    LAB_OPTION_SET,
    LAB_OPTION_BUDGET,
    LAB_OPTION_RUNS,
    LAB_OPTION_ITERATIONS,
    LAB_OPTION_DURATION,
    LAB_OPTION_QUICK,
    LAB_OPTION_SAMPLE,
    LAB_OPTION_REPLICATES,
    LAB_OPTION_WARMUP
};

#define STUDY_LAB_ROWS                                                               \
    {"workload", 0, "LIST", LAB_OPTION_SET,                                          \
     "Measure artificial workloads: integer, float, cache, memory, separated by "    \
     "commas, or 'all'."},                                                           \
        {"duration", 0, "T", LAB_OPTION_DURATION,                                    \
         "An iteration of an artificial workload takes about T. Default: 100ms; "    \
         "with --quick 20ms."},                                                      \
        {"budget", 0, "T", LAB_OPTION_BUDGET,                                        \
         "How long to measure, all workloads together; decides the iterations of a " \
         "run. Default: 60min."},                                                    \
        {"quick", 0, NULL, LAB_OPTION_QUICK, "For trying it: a budget of 30s."},     \
        {"runs", 'r', "N", LAB_OPTION_RUNS, "Runs of each kind. Default: 10."},      \
        {"iterations", 'I', "N", LAB_OPTION_ITERATIONS,                              \
         "Iterations of a run. Default: as the budget allows, 100 at most."},        \
        {"sample-runs", 0, "N", LAB_OPTION_SAMPLE,                                   \
         "Take a random sample of N runs where there are more; 0: all. Default: "    \
         "10."},                                                                     \
        {"replicates", 0, "N", LAB_OPTION_REPLICATES,                                \
         "Bootstrap replicates. Default: 10000."},                                   \
        {"drop-warmup", 0, "N|none|half|steady", LAB_OPTION_WARMUP,                  \
         "Leave out iterations at the head of every run: so many, the first half "   \
         "(for just-in-time compilers), or until they are steady. Default: the "     \
         "suite's, else none."},                                                     \
        {"platform", 0, "NAME", LAB_OPTION_PLATFORM,                                 \
         "What to call this machine. Default: its host name."},                      \
        {"suite", 0, "FILE", LAB_OPTION_SUITE,                                       \
         "Measure the benchmarks of a suite's file (docs/suite.md), each against "   \
         "itself."},                                                                 \
        {"only", 0, "PATTERN", LAB_OPTION_ONLY,                                      \
         "With --suite: only benchmarks whose name matches; several add up."},       \
        {"suite-name", 0, "NAME", LAB_OPTION_SUITE_NAME,                             \
         "What to call these workloads together. Default: the suite's name, "        \
         "'artificial' or 'commands'."},                                             \
        {"cpus", 0, "A,B", LAB_OPTION_CPUS, "The CPUs of the two positions."},       \
        {"export-svg", 0, "DIR", LAB_OPTION_PICTURES,                                \
         "Draw the paper's figures of this study into DIR."},                        \
    {                                                                                \
        "store", 0, "PATH", LAB_OPTION_STORE,                                        \
            "The database that keeps what was measured, or 'none'."                  \
    }

/* The defaults. */
struct study_lab_request study_lab_request_default(void);

/* Takes option `id`, those of STUDY_OPTION_ROWS too. Returns false when it is not one
 * of them. */
bool study_lab_option_take(struct study_lab_request *request, int id, const char *value,
                           enum duet_code *ret_code, struct duet_error *reterr);

/* After all options: what --quick and others mean for those not given. */
void study_lab_request_settle(struct study_lab_request *request, char *const *operands,
                              int count);

/* The whole of a study that has no other options: parses, and runs it as
 * study_run() does with a struct study_lab_options as context. `set`: which
 * artificial workloads to take when nothing is named; NULL: none. */
int study_lab_main(const struct cli_command *command, int argc, char **argv,
                   const char *label, const char *set,
                   enum duet_code (*study)(void *context, struct study_session *session,
                                           struct duet_error *reterr));

#endif
