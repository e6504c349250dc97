/* A folder of report pages with an index. */
#ifndef DUET_CLI_PAGE_SITE_WRITE_H
#define DUET_CLI_PAGE_SITE_WRITE_H

#include "session/comparison/analysis_setting.h"
#include "session/comparison/site_plan.h"

struct site_request {
    const char *folder; /* made, if its parent is there */
    const char *title;
    const struct analysis_overrides *overrides;
};

/* Writes the pages of the plan, then index.html. Files of other pages in the folder
 * stay. Errors: DUET_E_IO (says the path), DUET_E_NOMEM, those of answers_recall(). */
BASE_MUST_USE enum duet_code site_write(struct store *store,
                                        const struct site_plan *plan,
                                        const struct site_request *request,
                                        struct duet_error *reterr);

#endif
