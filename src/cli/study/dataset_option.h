/* The options of every study of a data set: what its files are, and how it is cleaned.
 */
#ifndef DUET_CLI_DATASET_OPTION_H
#define DUET_CLI_DATASET_OPTION_H

#include "base/text.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/study/study_run.h"
#include "session/dataset/dataset_load.h"

#include <stdbool.h>

enum {
    DATASET_OPTION_FORMAT = 1800,
    DATASET_OPTION_MAP,
    DATASET_OPTION_WHERE,
    DATASET_OPTION_SEPARATOR,
    DATASET_OPTION_THROUGHPUT,
    DATASET_OPTION_OUTLIERS,
    DATASET_OPTION_FIRST,
    DATASET_OPTION_RANK
};

#define DATASET_OPTION_ROWS                                                                     \
    {"store", 0, "PATH", SHARED_OPTION_STORE,                                                   \
     "Use this store, a file or a postgresql:// URL, for data that is not in a file. Default: " \
     ".duet/results.db in the nearest parent folder that has one."},                            \
        {"format", 0, "csv|json|go", DATASET_OPTION_FORMAT,                                     \
         "Read this format: csv, json (tools) or go (output of go test "                        \
         "-bench). Default: by the file's beginning."},                                         \
        {"map", 0, "KEY=NAME", DATASET_OPTION_MAP,                                              \
         "CSV: assign columns; KEY is benchmark, environment, instance, "                       \
         "trial, value, old and new (pairs), or count. A NAME of several "                      \
         "columns: A+B; value=A+B and value=* make each column a benchmark. "                   \
         "Several: again, or with commas. Default: columns of these names, "                    \
         "and pa's."},                                                                          \
        {"where", 0, "NAME=VALUE", DATASET_OPTION_WHERE,                                        \
         "CSV: read only rows with this value in this column. May be repeated."},               \
        {"separator", 0, "C", DATASET_OPTION_SEPARATOR,                                         \
         "CSV: split rows at ',', ';' or 'tab'. Default: the commonest in the "                 \
         "first row."},                                                                         \
        {"throughput", 0, NULL, DATASET_OPTION_THROUGHPUT,                                      \
         "CSV: read the values as operations per unit of time, and use their "                  \
         "inverse."},                                                                           \
        {"outliers", 0, "X", DATASET_OPTION_OUTLIERS,                                           \
         "Drop values of X times the median of their benchmark and environment, or "            \
         "more; 'none' keeps all. Default: 10."},                                               \
        {"rank", 0, "NAMES", DATASET_OPTION_RANK,                                               \
         "Analyse only the benchmarks at these places in the order of their "                   \
         "variation: stable, q1, median, q3, least; or all five. Default: all "                 \
         "benchmarks."},                                                                        \
        STUDY_OPTION_JSON_ROW,                                                                  \
    {                                                                                           \
        "first", 0, "LEVEL=N", DATASET_OPTION_FIRST,                                            \
            "Read only the first N; LEVEL is instances (of a benchmark and "                    \
            "environment), trials (of an instance) or iterations (of a trial)."                 \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool dataset_option_take(struct dataset_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr);

/* What there is and what was dropped, a row an environment (Laaber 2019, table 4). */
void dataset_describe(struct text *text, const struct dataset_loaded *loaded,
                      const struct dataset_options *options);

#endif
