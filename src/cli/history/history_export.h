/* A history in files. */
#ifndef DUET_CLI_HISTORY_EXPORT_H
#define DUET_CLI_HISTORY_EXPORT_H

#include "session/history/history_set.h"

/* JSON, docs/schema/duet-history-1.schema.json. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
history_export_json(const char *path, const struct history_set *set,
                    const struct analysis_history_options *options,
                    struct duet_error *reterr);
/* Apache Otava's CSV: one row a measured commit of the set's only benchmark, of the
 * piece with the newest one. Errors: DUET_E_USAGE (several benchmarks), DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code history_export_csv(const char *path,
                                                const struct history_set *set,
                                                struct duet_error *reterr);
/* A picture: two panels a benchmark, by commit and by time. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code history_export_svg(const char *path,
                                                const struct history_set *set,
                                                double confidence,
                                                struct duet_error *reterr);

#endif
