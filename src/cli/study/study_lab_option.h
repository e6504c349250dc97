/* The options of the studies that measure. */
#ifndef DUET_CLI_STUDY_LAB_OPTION_H
#define DUET_CLI_STUDY_LAB_OPTION_H

#include "cli/study/study_run.h"
#include "study/lab/study_lab.h"

#include <stdbool.h>

struct study_lab_request {
    struct study_lab_options options;
    struct study_common common;
    bool quick;
};

enum { LAB_OPTION_ONLY = 1700, LAB_OPTION_WARMUP };

#define STUDY_LAB_ROWS                                                                   \
    {"workload", 0, "LIST", CLI_OPTION_SETTING,                                          \
     "Measure artificial workloads: integer, float, cache, memory, separated by "        \
     "commas, or 'all'."},                                                               \
        {"duration", 0, "T", CLI_OPTION_SETTING,                                         \
         "Make an iteration of an artificial workload take about T. Default: "           \
         "100ms; with --quick 20ms."},                                                   \
        {"budget", 0, "T", CLI_OPTION_SETTING,                                           \
         "Measure for this long, all workloads together, which decides the "             \
         "iterations of a run. Default: 60min."},                                        \
        {"quick", 0, NULL, CLI_OPTION_SETTING, "Try it, with a budget of 30s."},         \
        {"runs", 'r', "N", CLI_OPTION_SETTING,                                           \
         "Do N runs of each kind. Default: 10."},                                        \
        {"iterations", 'I', "N", CLI_OPTION_SETTING,                                     \
         "Do N iterations per run. Default: as the budget allows, at most 100."},        \
        {"sample-runs", 0, "N", CLI_OPTION_SETTING,                                      \
         "Take a random sample of N runs where there are more; 0: all. Default: "        \
         "10."},                                                                         \
        {"replicates", 0, "N", CLI_OPTION_SETTING,                                       \
         "Draw N bootstrap replicates. Default: 10000."},                                \
        {"drop-warmup", 0, "N|none|half|steady", LAB_OPTION_WARMUP,                      \
         "Leave out iterations at the start of every run: N, the first half "            \
         "(for just-in-time compilers), or until they are steady. Default: "             \
         "the suite's, else none."},                                                     \
        {"platform", 0, "NAME", CLI_OPTION_SETTING,                                      \
         "Name this machine. Default: its host name."},                                  \
        {"suite", 0, "FILE", CLI_OPTION_SETTING,                                         \
         "Measure the benchmarks of a suite's file (docs/suite.md), each against "       \
         "itself."},                                                                     \
        {"only", 0, "PATTERN", LAB_OPTION_ONLY,                                          \
         "With --suite: measure only benchmarks whose name matches. May be "             \
         "repeated."},                                                                   \
        {"suite-name", 0, "NAME", CLI_OPTION_SETTING,                                    \
         "Name these workloads together. Default: the suite's name, "                    \
         "'artificial' or 'commands'."},                                                 \
        {"cpus", 0, "A,B", CLI_OPTION_SETTING, "Use these two CPUs."},                   \
        {"export-svg", 0, "DIR", CLI_OPTION_SETTING,                                     \
         "Draw the paper's figures of this study into DIR."},                            \
    {                                                                                    \
        "store", 0, "PATH", CLI_OPTION_SETTING,                                          \
            "Store the measurements in this file, at a postgresql:// URL, or in 'none'." \
    }

/* The defaults. */
struct study_lab_request study_lab_request_default(void);

/* The fields of a request of type `type` for STUDY_LAB_ROWS, STUDY_ANSWER_ROWS and the
 * confidence. lab: where its struct study_lab_request begins: `lab.` or nothing. */
#define STUDY_LAB_FIELDS(type, lab)                                             \
    FIELD_TEXT("--store", type, lab options.store),                             \
        FIELD_TEXT("--platform", type, lab options.platform),                   \
        FIELD_TEXT("--suite", type, lab options.suite_file),                    \
        FIELD_TEXT("--suite-name", type, lab options.suite_name),               \
        FIELD_TEXT("--cpus", type, lab options.cpus),                           \
        FIELD_TEXT("--export-svg", type, lab options.pictures),                 \
        FIELD_TEXT("--workload", type, lab options.set),                        \
        FIELD_FLAG("--quick", type, lab quick),                                 \
        FIELD_DURATION("--budget", type, lab options.budget_ns),                \
        FIELD_DURATION("--duration", type, lab options.duration_ns),            \
        FIELD_WHOLE("--runs", type, lab options.runs, 2, 100000),               \
        FIELD_WHOLE("--iterations", type, lab options.iterations, 1, 1000000),  \
        FIELD_WHOLE("--sample-runs", type, lab options.analysis.sample_runs, 0, \
                    INT64_MAX),                                                 \
        FIELD_WHOLE("--replicates", type, lab options.analysis.replicates, 100, \
                    10000000),                                                  \
        FIELD_WHOLE("--seed", type, lab options.analysis.seed, 0, INT64_MAX),   \
        FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, type,                      \
                     lab options.analysis.confidence),                          \
        FIELD_TEXT("--export-csv", type, lab common.csv),                       \
        FIELD_FLAG("--quiet", type, lab common.quiet)

/* Of the command that study_lab_main() is for. */
extern const struct field study_lab_fields[];

/* Takes option `id`, LAB_OPTION_ONLY or LAB_OPTION_WARMUP. Errors: DUET_E_USAGE. */
enum duet_code study_lab_option_take(struct study_lab_request *request, int id,
                                     const char *value, struct duet_error *reterr);

/* After all options: what --quick and others mean for those not given. */
void study_lab_request_settle(struct study_lab_request *request, char *const *operands,
                              int count);

/* Before the options are read: what these studies measure cannot be shared, and whoever
 * asks for it is told so. Returns -1, or an exit status. */
int study_lab_refuse_shares(const struct cli_command *command, int argc, char **argv);

/* The whole of a study that has no other options: parses, and runs it as
 * study_run() does with a struct study_lab_options as context. `set`: which
 * artificial workloads to take when nothing is named; NULL: none. */
int study_lab_main(const struct cli_command *command, int argc, char **argv,
                   const char *label, const char *set,
                   enum duet_code (*study)(void *context, struct study_session *session,
                                           struct duet_error *reterr));

#endif
