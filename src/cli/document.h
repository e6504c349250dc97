/* The JSON document of answers, raw data read from the store. */
#ifndef DUET_CLI_DOCUMENT_H
#define DUET_CLI_DOCUMENT_H

#include "session/comparison/answers.h"

#include <jansson.h>

/* overall: of just these answers. *ret_document: a new reference. Errors: DUET_E_NOMEM
 * and the store's. */
BASE_MUST_USE enum duet_code document_make(struct store *store,
                                           const struct answer *answers,
                                           const struct answers_overall *overall,
                                           json_t **ret_document,
                                           struct duet_error *reterr);

/* What is known of where and when it was measured; a new reference, NULL: no memory. */
json_t *document_context(const struct answer *answer);

#endif
