/* Raw observations, as other programs read them: docs/output.md has the columns. */
#ifndef DUET_CLI_EXPORT_RAW_H
#define DUET_CLI_EXPORT_RAW_H

#include "session/comparison/answers.h"

enum export_raw_kind {
    EXPORT_RAW_CSV,    /* a row an iteration of a side, all that was measured */
    EXPORT_RAW_GBENCH, /* Google Benchmark's JSON: "NAME/old", "NAME/new" */
    EXPORT_RAW_GO,     /* go test -bench: "BenchmarkNAME/side=old" */
    EXPORT_RAW_KINDS
};

/* Reads the iterations from the store and writes them one by one. CSV has all of them,
 * the others those that are analysed. A benchmark that failed has none. path: "-" is
 * standard output. Errors: DUET_E_IO (says the path), DUET_E_NOMEM, the store's. */
BASE_MUST_USE enum duet_code export_raw(enum export_raw_kind kind, const char *path,
                                        struct store *store,
                                        const struct answer *answers,
                                        const struct answers_overall *overall,
                                        struct duet_error *reterr);

#endif
