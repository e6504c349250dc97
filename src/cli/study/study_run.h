/* What the studies share: their common options, the progress line, interruption, and
 * their answers as a table and as CSV. */
#ifndef DUET_CLI_STUDY_RUN_H
#define DUET_CLI_STUDY_RUN_H

#include "cli/option.h"
#include "study/lab/study_session.h"

#include <stdbool.h>
#include <stdint.h>

struct study_common {
    double confidence;
    uint64_t seed;
    int threads;      /* 0: one a CPU */
    const char *csv;  /* NULL: none */
    const char *json; /* NULL: none */
    bool quiet;
};

enum {
    STUDY_OPTION_CONFIDENCE = 1600,
    STUDY_OPTION_SEED,
    STUDY_OPTION_THREADS,
    STUDY_OPTION_CSV,
    STUDY_OPTION_JSON,
    STUDY_OPTION_QUIET
};

#define STUDY_OPTION_CONFIDENCE_ROW                       \
    {                                                     \
        "confidence", 0, "P", STUDY_OPTION_CONFIDENCE,    \
            "Confidence of the intervals. Default: 0.99." \
    }

#define STUDY_OPTION_JSON_ROW                                                     \
    {                                                                             \
        "export-json", 0, "FILE", STUDY_OPTION_JSON,                              \
            "Write the answer as JSON to FILE ('-': standard output, instead of " \
            "the table)."                                                         \
    }

#define STUDY_OPTION_ROWS                                                              \
    {"seed", 0, "N", STUDY_OPTION_SEED, "For everything that is random. Default: 1."}, \
        {"threads", 0, "N", STUDY_OPTION_THREADS,                                      \
         "Threads; the result does not depend on it. Default: one a CPU."},            \
        {"export-csv", 0, "FILE", STUDY_OPTION_CSV,                                    \
         "Write the answer as CSV to FILE ('-': standard output, instead of the "      \
         "table)."},                                                                   \
    {                                                                                  \
        "quiet", 'q', NULL, STUDY_OPTION_QUIET, "No progress."                         \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool study_option_take(struct study_common *common, int id, const char *value,
                       enum duet_code *ret_code, struct duet_error *reterr);

/* Begins, runs the study (which appends its answer to session->table, session->csv
 * and session->json, also when it was interrupted or a workload failed) and shows the
 * answer. Returns an exit status; a message was printed when it is not 0. */
int study_run(const struct study_common *common, const char *label,
              enum duet_code (*study)(void *context, struct study_session *session,
                                      struct duet_error *reterr),
              void *context);

#endif
