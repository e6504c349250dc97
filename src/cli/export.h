/* Answers to standard output and to files. */
#ifndef DUET_CLI_EXPORT_H
#define DUET_CLI_EXPORT_H

#include "report/report.h"
#include "session/comparison/answers.h"

/* All: errors DUET_E_IO (says the path, and that the results are in the store where it
 * keeps them), DUET_E_NOMEM; "-" is standard output. store: NULL is none. */
BASE_MUST_USE enum duet_code export_terminal(const struct answers_overall *overall,
                                             const struct report_style *style,
                                             struct duet_error *reterr);
BASE_MUST_USE enum duet_code export_csv(const char *path, const struct store *store,
                                        const struct answers_overall *overall,
                                        struct duet_error *reterr);
BASE_MUST_USE enum duet_code export_markdown(const char *path,
                                             const struct store *store,
                                             const struct answers_overall *overall,
                                             const struct report_style *style,
                                             struct duet_error *reterr);
/* overall: of just these answers. Also the store's errors: raw data is read from there.
 */
BASE_MUST_USE enum duet_code export_json(const char *path, struct store *store,
                                         const struct answer *answers,
                                         const struct answers_overall *overall,
                                         struct duet_error *reterr);
/* The experiments of the answers in the store `path`: store_export(). */
BASE_MUST_USE enum duet_code export_store(const char *path, struct store *store,
                                          const struct answer *answers, size_t count,
                                          struct duet_error *reterr);
/* A picture: of one answer its course, of several their changes. store, errors: as
 * above; NULL only where no answer has an experiment. */
BASE_MUST_USE enum duet_code export_svg(const char *path, struct store *store,
                                        const struct answer *answers,
                                        const struct answers_overall *overall,
                                        struct duet_error *reterr);

#endif
