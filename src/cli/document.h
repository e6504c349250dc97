/* The JSON document of answers, raw data read from the store. */
#ifndef DUET_CLI_DOCUMENT_H
#define DUET_CLI_DOCUMENT_H

#include "report/json/json_writer.h"
#include "session/comparison/answers.h"

#include <jansson.h>

/* overall: of just these answers. Of the times of one side of one experiment there is
 * one list in memory at a time, of all else no more than a piece. Errors, for
 * json_writer_finish(): DUET_E_NOMEM and the store's. */
void document_write(struct json_writer *writer, struct store *store,
                    const struct answer *answers,
                    const struct answers_overall *overall);

/* The first of them that has an experiment, which says when and where they were
 * measured: a benchmark that failed may have none. count: 1 at least. */
const struct answer *document_first(const struct answer *answers, size_t count);

/* What is known of where and when it was measured; a new reference, NULL: no memory. */
json_t *document_context(const struct answer *answer);

#endif
