/* The JSON document of answers, raw data read from the store. */
#ifndef DUET_CLI_DOCUMENT_H
#define DUET_CLI_DOCUMENT_H

#include "session/comparison/answer.h"

#include <jansson.h>

/* The comparisons alone, as the report wants them; free(). NULL: no memory. */
struct model_comparison *answers_comparisons(const struct answer *answers,
                                             size_t count);

/* *ret_document: a new reference. Errors: DUET_E_NOMEM and the store's. */
BASE_MUST_USE enum duet_code document_make(struct store *store,
                                           const struct answer *answers, size_t count,
                                           json_t **ret_document,
                                           struct duet_error *reterr);

/* What is known of where and when it was measured; a new reference, NULL: no memory. */
json_t *document_context(const struct answer *answer);

#endif
