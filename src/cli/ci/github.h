/* What a step of GitHub Actions is told: annotations on standard error, where the
 * runner reads them too, and the files that $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT
 * name. */
#ifndef DUET_CLI_CI_GITHUB_H
#define DUET_CLI_CI_GITHUB_H

#include "base/error.h"
#include "report/ci/ci_report.h"

/* comment_path: of the pull request's comment; NULL: none. A variable that is not set
 * is left out. Errors: DUET_E_IO (says the path and the variable), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code github_write(const struct ci_report *report,
                                          const char *comment_path,
                                          struct duet_error *reterr);

#endif
