/* The options of every command that analyses: what is left out, what is estimated, and
 * which interval (session/comparison/analysis_setting). */
#ifndef DUET_CLI_ANALYSIS_OPTION_H
#define DUET_CLI_ANALYSIS_OPTION_H

#include "cli/option.h"

#define ANALYSIS_OPTION_ROWS                                                          \
    {"confidence", 0, "P", CLI_OPTION_SETTING,                                        \
     "Confidence of the interval. Default: 0.99."},                                   \
        {"replicates", 0, "N", CLI_OPTION_SETTING,                                    \
         "Bootstrap replicates. Default: 10000."},                                    \
        {"estimator", 0, "median|trimmed|geomean", CLI_OPTION_SETTING,                \
         "Of the ratios inside a run: median (the default of pairs that duet has "    \
         "measured), trimmed (20 %) or geomean (the paper's; the default "            \
         "otherwise)."},                                                              \
        {"statistic", 0, "mean|geomean|median|pN|trimmed|cv", CLI_OPTION_SETTING,     \
         "Compare a statistic of all times of each side instead: mean, geomean, "     \
         "median, pN (a quantile, such as p90 or p99.9), trimmed (20 %) or cv "       \
         "(coefficient of variation: above 1 is then more variable)."},               \
        {"interval", 0,                                                               \
         "t|signflip|anytime|percentile|basic|bca|studentized|block|difference",      \
         CLI_OPTION_SETTING,                                                          \
         "Pairs: t (the default: Student's t on the logs of blocks), signflip "       \
         "(exact, over blocks) or anytime (may be looked at again and again). "       \
         "Bootstraps, for everything: percentile (over runs: "                        \
         "the paper's), basic, bca, studentized (of means), block (for runs that "    \
         "depend on each other). Sides measured apart: t (the default: Welch's, of "  \
         "the ratio of the means) or difference (of the means, a bootstrap: the "     \
         "standard method's)."},                                                      \
        {"resample", 0, "runs|blocks|assignments", CLI_OPTION_SETTING,                \
         "What the bootstraps of pairs draw: runs (the default), blocks of two runs " \
         "with swapped positions, or assignments (runs, within those of the same "    \
         "assignment to positions)."},                                                \
        {"block-scheme", 0, "circular|moving|stationary", CLI_OPTION_SETTING,         \
         "Of --interval block: circular (the default), moving or stationary."},       \
        {"block-length", 0, "N", CLI_OPTION_SETTING,                                  \
         "Of --interval block. Default: by Politis and White's rule."},               \
        {"winsorize", 0, "factor|range|off", CLI_OPTION_SETTING,                      \
         "Replace at most one outlier a side and run: factor (the default: beyond "   \
         "1.2 "                                                                       \
         "times the others' range), range (beyond 20 % of its width), off. Values "   \
         "without runs: off unless asked for."},                                      \
        {"losses", 0, "remove|keep", CLI_OPTION_SETTING,                              \
         "CPU time that others took from the sides: remove (the default: take it "    \
         "off where it is known of both sides, and be careful where it is not) or "   \
         "keep (compare the times as they are)."},                                    \
        {"drop-warmup", 0, "N|half|steady", CLI_OPTION_SETTING,                       \
         "Leave the first iterations of each run out of the analysis: N of them, "    \
         "half, or all before the steady state (by change points: steady). Default: " \
         "none."},                                                                    \
        {"drop-outliers", 0, "RULE", CLI_OPTION_SETTING,                              \
         "10x: leave out times of ten times the median of their side or more (of "    \
         "pairs both). Default: none."},                                              \
        {"test", 0, "ranksum|overlap|none", CLI_OPTION_SETTING,                       \
         "A test of two groups beside the interval: ranksum (Wilcoxon's, with "       \
         "Cliff's delta), overlap (of the means' 95 % intervals) or none (the "       \
         "default)."},                                                                \
        {"sample-runs", 0, "N", CLI_OPTION_SETTING,                                   \
         "Analyse a random sample of N runs. Default: all."},                         \
    {                                                                                 \
        "same-within", 0, "P", CLI_OPTION_SETTING,                                    \
            "Call the sides `same` when the whole interval lies within ±P (such as " \
            "2%), even when it excludes no change. Default: 1%, where it does not."   \
    }

#endif
