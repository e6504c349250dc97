/* The JSON of `duet list`: docs/schema/duet-list-1.schema.json. */
#ifndef DUET_CLI_LIST_LIST_DOCUMENT_H
#define DUET_CLI_LIST_LIST_DOCUMENT_H

#include "session/comparison/analysis_setting.h"
#include "store/store.h"

#include <jansson.h>

/* One of "experiments"; a new reference, NULL: no memory. */
json_t *list_document_experiment(const struct store_experiment *experiment,
                                 const struct store_verdict *verdict);

/* The document; steals `experiments`, an array. store: the file. overrides: of the
 * analysis, by which the verdicts are. A new reference; NULL: no memory, or
 * `experiments` is NULL. */
json_t *list_document(const char *store, const struct analysis_overrides *overrides,
                      json_t *experiments);

#endif
