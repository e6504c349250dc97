/* The options that write answers for CI systems and trackers, and what they write. */
#ifndef DUET_CLI_CI_CI_EXPORT_H
#define DUET_CLI_CI_CI_EXPORT_H

#include "base/error.h"
#include "session/comparison/answers.h"

#include <stdbool.h>
#include <stdint.h>

enum ci_export {
    CI_EXPORT_JUNIT,
    CI_EXPORT_COMMENT,
    CI_EXPORT_OPENMETRICS,
    CI_EXPORT_BENCHER,
    CI_EXPORT_GITHUB_BENCHMARK,
    CI_EXPORTS
};

struct ci_exports {
    const char *paths[CI_EXPORTS]; /* NULL: not wanted; "-": standard output */
    const char *name;              /* of the report; NULL: "duet" */
    bool github;                   /* annotations, step summary, outputs */
};

enum {
    CI_EXPORT_OPTION_FIRST = 1100, /* + enum ci_export */
    CI_EXPORT_OPTION_NAME = CI_EXPORT_OPTION_FIRST + CI_EXPORTS,
    CI_EXPORT_OPTION_GITHUB
};
#define CI_EXPORT_OPTION_ROWS                                                          \
    {"export-junit", 0, "FILE", CI_EXPORT_OPTION_FIRST + CI_EXPORT_JUNIT,              \
     "Write JUnit XML to FILE, a test case a benchmark: for GitLab, Jenkins and "      \
     "others."},                                                                       \
        {"export-pr-comment", 0, "FILE", CI_EXPORT_OPTION_FIRST + CI_EXPORT_COMMENT,   \
         "Write Markdown for a pull request to FILE: an overview, the worst first, "   \
         "details folded."},                                                           \
        {"export-openmetrics", 0, "FILE",                                              \
         CI_EXPORT_OPTION_FIRST + CI_EXPORT_OPENMETRICS,                               \
         "Write ratios and verdicts as OpenMetrics to FILE."},                         \
        {"export-bencher", 0, "FILE", CI_EXPORT_OPTION_FIRST + CI_EXPORT_BENCHER,      \
         "Write Bencher Metric Format to FILE."},                                      \
        {"export-github-benchmark", 0, "FILE",                                         \
         CI_EXPORT_OPTION_FIRST + CI_EXPORT_GITHUB_BENCHMARK,                          \
         "Write JSON for github-action-benchmark (customSmallerIsBetter) to FILE."},   \
        {"report-name", 0, "NAME", CI_EXPORT_OPTION_NAME,                              \
         "Name these reports, so that several of one job stay apart. Default: duet."}, \
    {                                                                                  \
        "github", 0, NULL, CI_EXPORT_OPTION_GITHUB,                                    \
            "Annotate the job of GitHub Actions, add to its step summary and set the " \
            "outputs verdict, slower, unsure and report."                              \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool ci_export_option_take(struct ci_exports *exports, int id, const char *value);

/* Whether there is anything to write: then a benchmark that failed is told, too. */
bool ci_export_wanted(const struct ci_exports *exports);

/* Writes what is wanted. started_utc_s: of the first measurement; 0: unknown. Errors:
 * DUET_E_IO (says the path), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code ci_export_write(const struct ci_exports *exports,
                                             const struct answers_overall *overall,
                                             int64_t started_utc_s,
                                             struct duet_error *reterr);

#endif
