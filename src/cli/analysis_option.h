/* The options of every command that analyses: confidence, estimator, interval. */
#ifndef DUET_CLI_ANALYSIS_OPTION_H
#define DUET_CLI_ANALYSIS_OPTION_H

#include "analysis/compare.h"
#include "cli/option.h"

#include <stdbool.h>

enum {
    ANALYSIS_OPTION_CONFIDENCE = 1100,
    ANALYSIS_OPTION_REPLICATES,
    ANALYSIS_OPTION_ESTIMATOR,
    ANALYSIS_OPTION_INTERVAL,
    ANALYSIS_OPTION_WINSORIZE,
    ANALYSIS_OPTION_SAMPLE_RUNS,
    ANALYSIS_OPTION_SAME_WITHIN
};

#define ANALYSIS_OPTION_ROWS                                                          \
    {"confidence", 0, "P", ANALYSIS_OPTION_CONFIDENCE,                                \
     "Confidence of the interval. Default: 0.99."},                                   \
        {"replicates", 0, "N", ANALYSIS_OPTION_REPLICATES,                            \
         "Bootstrap replicates. Default: 10000."},                                    \
        {"estimator", 0, "NAME", ANALYSIS_OPTION_ESTIMATOR,                           \
         "Of the ratios inside a run: geomean (the default, the paper's), trimmed "   \
         "(20 %) or median."},                                                        \
        {"interval", 0, "NAME", ANALYSIS_OPTION_INTERVAL,                             \
         "t (the default: Student's t on the logs of blocks), percentile (the "       \
         "paper's "                                                                   \
         "bootstrap over runs) or signflip (exact, over blocks)."},                   \
        {"winsorize", 0, "READING", ANALYSIS_OPTION_WINSORIZE,                        \
         "Replace at most one outlier a side and run: factor (the default: beyond "   \
         "1.2 "                                                                       \
         "times the others' range), range (beyond 20 % of its width), off."},         \
        {"sample-runs", 0, "N", ANALYSIS_OPTION_SAMPLE_RUNS,                          \
         "Analyse a random sample of N runs. Default: all."},                         \
    {                                                                                 \
        "same-within", 0, "P", ANALYSIS_OPTION_SAME_WITHIN,                           \
            "Call the sides `same` when the whole interval lies within ±P (such as " \
            "1%)."                                                                    \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool analysis_option_take(struct analysis_options *options, int id, const char *value,
                          enum duet_code *ret_code, struct duet_error *reterr);

#endif
