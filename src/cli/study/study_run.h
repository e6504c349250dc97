/* What the studies share: their common options, the progress line, interruption, and
 * their answers as a table and as CSV. */
#ifndef DUET_CLI_STUDY_RUN_H
#define DUET_CLI_STUDY_RUN_H

#include "base/field.h"
#include "cli/options/option.h"
#include "study/lab/study_session.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the answer goes, beside its table on standard output. */
struct study_common {
    const char *csv;      /* a file; NULL: none */
    const char *json;     /* likewise */
    const char *svg;      /* likewise */
    const char *pictures; /* a folder for them; NULL: none */
    const char *store;    /* where data is that is in no file; NULL: the default */
    bool quiet;
    struct study_share share; /* of studies that can be shared (study_sharing.h) */
};

#define STUDY_OPTION_CONFIDENCE_ROW                               \
    {                                                             \
        "confidence", 0, "P", CLI_OPTION_SETTING,                 \
            "Set the confidence of the intervals. Default: 0.99." \
    }

#define STUDY_OPTION_JSON_ROW                                                     \
    {                                                                             \
        "export-json", 0, "FILE", CLI_OPTION_SETTING,                             \
            "Write the answer as JSON to FILE ('-': standard output, instead of " \
            "the table)."                                                         \
    }

/* Of studies that measure: what takes their time are the workloads. */
#define STUDY_ANSWER_ROWS                                                         \
    {"seed", 0, "N", CLI_OPTION_SETTING, "Seed all random choices. Default: 1."}, \
        {"export-csv", 0, "FILE", CLI_OPTION_SETTING,                             \
         "Write the answer as CSV to FILE ('-': standard output, instead of the " \
         "table)."},                                                              \
    {                                                                             \
        "quiet", 'q', NULL, CLI_OPTION_SETTING, "Print no progress."              \
    }

#define STUDY_OPTION_ROWS                                           \
    {"threads", 0, "N", CLI_OPTION_SETTING,                         \
     "Use N threads; the result is the same. Default: one a CPU."}, \
        STUDY_ANSWER_ROWS

/* The fields of a request of type `type` for STUDY_OPTION_ROWS, the confidence and
 * JSON. plan, level, common: where the plan with the seed and the threads, the
 * confidence and a struct study_common are in it. */
#define STUDY_FIELDS(type, plan, level, common)                \
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, type, level), \
        FIELD_WHOLE("--seed", type, plan.seed, 0, INT64_MAX),  \
        FIELD_INT("--threads", type, plan.threads, 1, 1024),   \
        FIELD_TEXT("--export-csv", type, common.csv),          \
        FIELD_TEXT("--export-json", type, common.json),        \
        FIELD_FLAG("--quiet", type, common.quiet)

/* Whether the answer can go where it is to; a part of it goes nowhere. Errors: those of
 * output_check_files(). */
BASE_MUST_USE enum duet_code study_common_check(const struct study_common *common,
                                                struct duet_error *reterr);

/* Begins, runs the study (which appends its answer to session->table, session->csv
 * and session->json, also when it was interrupted or a workload failed) and shows the
 * answer, also when a picture of it could not be written, or says which part of the
 * study was kept. Returns an exit status; a message was printed when it is not 0. */
int study_run(const struct study_common *common, const char *label,
              enum duet_code (*study)(void *context, struct study_session *session,
                                      struct duet_error *reterr),
              void *context);

#endif
