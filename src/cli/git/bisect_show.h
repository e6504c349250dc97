/* What a search among commits found: lines while it goes on, the answer, and JSON. */
#ifndef DUET_CLI_GIT_BISECT_SHOW_H
#define DUET_CLI_GIT_BISECT_SHOW_H

#include "cli/output.h"
#include "session/git/bisect_search.h"

/* A line on standard error, when there is a next commit: what is measured next, how
 * many are left, the weights as a strip of characters, and about how much is still to
 * come. */
void bisect_show_step(const struct bisect_step *step);

/* The answer on standard output, unless the export goes there, and the export. Errors:
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code bisect_show_result(const struct output_options *output,
                                                const struct bisect_request *request,
                                                const struct bisect_result *result,
                                                struct duet_error *reterr);

#endif
