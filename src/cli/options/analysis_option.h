/* The options of every command that analyses: what is left out, what is estimated, and
 * which interval (session/comparison/analysis_setting). */
#ifndef DUET_CLI_ANALYSIS_OPTION_H
#define DUET_CLI_ANALYSIS_OPTION_H

#include "cli/options/option.h"

#define ANALYSIS_OPTION_ROWS                                                       \
    {"confidence", 0, "P", CLI_OPTION_SETTING,                                     \
     "Set the confidence of the interval. Default: 0.99."},                        \
        {"replicates", 0, "N", CLI_OPTION_SETTING,                                 \
         "Draw N bootstrap replicates. Default: 10000."},                          \
        {"estimator", 0, "median|trimmed|geomean", CLI_OPTION_SETTING,             \
         "Reduce the ratios of a run to one: median (the default for pairs "       \
         "that duet measured), trimmed (20 %) or geomean (the paper's; the "       \
         "default otherwise)."},                                                   \
        {"statistic", 0, "mean|geomean|median|pN|trimmed|cv", CLI_OPTION_SETTING,  \
         "Compare a statistic of all times of each side instead: mean, "           \
         "geomean, median, pN (a quantile such as p90 or p99.9), trimmed (20 "     \
         "%) or cv (coefficient of variation)."},                                  \
        {"interval", 0,                                                            \
         "t|signflip|anytime|percentile|basic|bca|studentized|block|difference",   \
         CLI_OPTION_SETTING,                                                       \
         "Compute the interval by this method. Pairs: t (the default: "            \
         "Student's t on the logs of blocks), signflip (exact, over blocks) "      \
         "or anytime (valid however often you look). Bootstraps, for "             \
         "everything: percentile (over runs: the paper's), basic, bca, "           \
         "studentized (of means), block (for runs that depend on each other). "    \
         "Sides measured apart: t (the default: Welch's, of the ratio of the "     \
         "means) or difference (of the means, a bootstrap: the standard "          \
         "method's)."},                                                            \
        {"resample", 0, "runs|blocks|assignments", CLI_OPTION_SETTING,             \
         "Draw with the bootstraps of pairs: runs (the default), blocks of "       \
         "two runs with swapped positions, or assignments (runs with the "         \
         "same assignment to positions)."},                                        \
        {"block-scheme", 0, "circular|moving|stationary", CLI_OPTION_SETTING,      \
         "Choose the blocks of --interval block: circular (the default), "         \
         "moving or stationary."},                                                 \
        {"block-length", 0, "N", CLI_OPTION_SETTING,                               \
         "Set the length of the blocks of --interval block. Default: by "          \
         "Politis and White's rule."},                                             \
        {"winsorize", 0, "factor|range|off", CLI_OPTION_SETTING,                   \
         "Replace at most one outlier per side and run: factor (the default: "     \
         "beyond 1.2 times the others' range), range (beyond 20 % of its "         \
         "width) or off. Default for values without runs: off."},                  \
        {"losses", 0, "remove|keep", CLI_OPTION_SETTING,                           \
         "Choose what to do about the CPU time that other programs took from "     \
         "the sides. The default, remove, subtracts it where it is known for "     \
         "both sides, and widens the interval where it is not. With keep the "     \
         "times are compared as they are."},                                       \
        {"drop-warmup", 0, "N|half|steady", CLI_OPTION_SETTING,                    \
         "Leave the first iterations of each run out of the analysis: N of "       \
         "them, half, or steady (all before the steady state, by change "          \
         "points). Default: none."},                                               \
        {"drop-outliers", 0, "RULE", CLI_OPTION_SETTING,                           \
         "Leave out times of ten times the median of their side or more, "         \
         "with their partners: 10x. Default: none."},                              \
        {"test", 0, "ranksum|overlap|none", CLI_OPTION_SETTING,                    \
         "Show a test of two groups beside the interval: ranksum "                 \
         "(Wilcoxon's, with Cliff's delta), overlap (of the means' 95 % "          \
         "intervals) or none (the default)."},                                     \
        {"sample-runs", 0, "N", CLI_OPTION_SETTING,                                \
         "Analyse a random sample of N runs. Default: all."},                      \
    {                                                                              \
        "same-within", 0, "P", CLI_OPTION_SETTING,                                 \
            "Call the sides `same` when the whole interval lies within ±P (such " \
            "as 2%), even when it excludes no change. Default: 1%, for "           \
            "intervals that do not."                                               \
    }

#endif
