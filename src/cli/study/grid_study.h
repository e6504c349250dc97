/* The studies that draw groups from a data set: false positives, samples, detectable
 * slowdowns. They share their options, their data and the drawing; each has its own
 * cells and its own answer. */
#ifndef DUET_CLI_GRID_STUDY_H
#define DUET_CLI_GRID_STUDY_H

#include "cli/study/dataset_option.h"
#include "cli/study/study_sharing.h"
#include "figures/grid_table.h"
#include "study/lab/grid_cells.h"

struct grid_request {
    struct grid_question question; /* its plan's cells: when the data is known */
    struct grid_wish wish;
    bool bonferroni;
    struct study_sharing sharing;
    struct dataset_options data;
    char **words;
    int count;
};

enum {
    GRID_OPTION_PAPER = 1850,
    GRID_OPTION_INSTANCES,
    GRID_OPTION_TRIALS,
    GRID_OPTION_SAMPLING,
    GRID_OPTION_TESTS,
    GRID_OPTION_DELTA,
    GRID_OPTION_UNCORRECTED,
    GRID_OPTION_SLOWDOWNS
};

#define GRID_OPTION_ROWS                                                          \
    {"draws", 0, "N", CLI_OPTION_SETTING,                                         \
     "Draw N test and control groups for each cell. Default: 100."},              \
        {"replicates", 0, "N", CLI_OPTION_SETTING,                                \
         "Draw N bootstrap replicates. Default: 1000 (the paper: 100)."},         \
        {"paper", 0, NULL, GRID_OPTION_PAPER,                                     \
         "Take all settings of the paper: 100 draws, 100 replicates, its two "    \
         "tests and samplings."},                                                 \
        {"instances", 0, "N,...", GRID_OPTION_INSTANCES,                          \
         "Try groups of these numbers of instances. Default: 1,2,3,5,10,15,20."}, \
        {"trials", 0, "N,...", GRID_OPTION_TRIALS,                                \
         "Try these numbers of trials of each instance. Default: 1,2,3,5; for "   \
         "detectable 1 with ibs, 5 with tbs and pairs."},                         \
        {"sampling", 0, "NAMES", GRID_OPTION_SAMPLING,                            \
         "Sample by: ibs (groups of different instances), tbs (different "        \
         "trials of the same instances), pairs (the two sides of the same "       \
         "trials). Default: all that the data allows."},                          \
        {"tests", 0, "NAMES", GRID_OPTION_TESTS,                                  \
         "Compare by: wrs (rank-sum test with Cliff's delta), ci (intervals "     \
         "of the means that do not overlap), ratio (interval of the pairs' "      \
         "ratio without 1). Default: all."},                                      \
        {"confidence", 0, "P", CLI_OPTION_SETTING,                                \
         "Set the confidence of all tests. "                                      \
         "Default: 0.95."},                                                       \
        {"delta", 0, "D", GRID_OPTION_DELTA,                                      \
         "Require at least this |Cliff's delta| of a change, for wrs. "           \
         "Default: 0.33 (medium)."},                                              \
        {"uncorrected", 0, NULL, GRID_OPTION_UNCORRECTED,                         \
         "Use the p values of wrs uncorrected. Default: times the draws "         \
         "(Bonferroni), as the paper does."},                                     \
        {"false-most", 0, "P", CLI_OPTION_SETTING,                                \
         "Accept this share of false positives. Default: 5%."},                   \
        {"details", 0, NULL, CLI_OPTION_SETTING,                                  \
         "Show a table of each benchmark, with a column for each environment."},  \
    {                                                                             \
        "export-svg", 0, "FILE", CLI_OPTION_SETTING,                              \
            "Write a picture of the answer to FILE, as SVG."                      \
    }

/* The fields of a struct grid_request, and the options that are none. */
extern const struct field grid_fields[];
enum duet_code grid_option_take(void *request, struct cli_options *parsed, int id,
                                struct duet_error *reterr);

/* The whole command; returns an exit status. */
int grid_study_main(const struct cli_command *command, int argc, char **argv,
                    enum grid_kind kind, const char *label);

#endif
