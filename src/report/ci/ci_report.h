/* The answers as CI systems and trackers read them. What is written is UTF-8 wherever
 * it is written, and independent of the terminal. docs/ci-formats.md describes each
 * format. */
#ifndef DUET_REPORT_CI_CI_REPORT_H
#define DUET_REPORT_CI_CI_REPORT_H

#include "base/text.h"
#include "model/comparison.h"
#include "model/geomean.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a job that looks at nothing else is told of a benchmark, the worst first. */
enum ci_outcome {
    CI_OUTCOME_BROKEN,    /* a command failed */
    CI_OUTCOME_FAILED,    /* its gate did not pass; without a gate: it is slower */
    CI_OUTCOME_UNDECIDED, /* unsure, and no gate minds */
    CI_OUTCOME_PASSED,
    CI_OUTCOMES
};

/* All borrowed. */
struct ci_report {
    const char *name; /* of the whole: the suite's in JUnit, the comment's marker */
    const struct model_comparison *comparisons; /* their gates have been judged */
    size_t count;
    double took_s;                       /* all of them */
    const struct model_geomean *geomean; /* NULL: none */
    int64_t started_utc_s;               /* 0: unknown */
};

/* JUnit as GitLab, Jenkins and GitHub's reporters read it: a test case a benchmark, in
 * the order given. broken: `error`, failed: `failure`, undecided: `skipped`. Names
 * occur once (" (2)" behind a second one), since readers drop the others. */
void ci_append_junit(struct text *text, const struct ci_report *report);

/* GitHub's file size limits; what is written stays below. */
enum { CI_COMMENT_BYTES = 65536, CI_SUMMARY_BYTES = 1024 * 1024 };

/* Markdown for a pull request: "<!-- duet:NAME -->" as first line, what came out in a
 * line, a table of what differs (worst first), everything else folded. Below max_bytes
 * (at least 4096): what does not fit is left out, the best first, and a line says so.
 */
void ci_append_comment(struct text *text, const struct ci_report *report,
                       size_t max_bytes);

/* GitHub's workflow commands: one about all, then one for each of the worst 8 that are
 * broken, failed, slower or undecided. Only broken ones and those that a gate fails are
 * errors. A step may have 10; GitHub drops the others without a word. */
void ci_append_annotations(struct text *text, const struct ci_report *report);

/* Lines for the file $GITHUB_OUTPUT: verdict, slower, unsure, report. report_path: of
 * the comment; NULL: none. A path with a line break is left out. */
void ci_append_outputs(struct text *text, const struct ci_report *report,
                       const char *report_path);

/* OpenMetrics text: gauges duet_ratio_NAME, with the digits that its interval supports
 * (GitLab compares them as strings), and duet_verdict_NAME (0 same, 1 faster, 2 slower,
 * 3 unsure, 4 failed). */
void ci_append_openmetrics(struct text *text, const struct ci_report *report);

/* Bencher Metric Format: of each benchmark `latency` (mean time of new, ns; of CPU time
 * `cpu-time`) and `ratio` (new / old, with its interval). Failed ones are left out. A
 * new reference; NULL: no memory. */
json_t *ci_bencher(const struct ci_report *report);

/* github-action-benchmark, tool customSmallerIsBetter: of each benchmark its mean time
 * in ns and its ratio. Failed ones are left out. A new reference; NULL: no memory. */
json_t *ci_github_benchmark(const struct ci_report *report);

#endif
