/* What commits the sides of an experiment were built from, and all comparisons of
 * commits. */
#ifndef DUET_STORE_STORE_REVISION_H
#define DUET_STORE_STORE_REVISION_H

#include "model/revision.h"
#include "store/store.h"

/* Keeps both sides' revisions, in one transaction. benchmark: the experiment's name
 * without the commits, so that it is the same for all of them; NULL: its name is.
 * Errors: DUET_E_NOT_FOUND (no such experiment), DUET_E_IO. */
BASE_MUST_USE enum duet_code
store_revisions_save(struct store *store, int64_t experiment, const char *benchmark,
                     const struct model_revision revisions[MODEL_SIDES],
                     struct duet_error *reterr);

/* An experiment that compared two commits, with what was kept as its answer. Strings,
 * those of the revisions too, are its own. */
struct store_link {
    int64_t experiment;
    int64_t started_utc_ms;
    char *benchmark;
    bool named;  /* that is a name, and no command line */
    bool region; /* ... of a part of the benchmark's iterations */
    char *suite; /* the file that the benchmark is of; "": none */
    char cpu_model[128];
    struct model_revision sides[MODEL_SIDES];
    enum model_verdict verdict;
    double ratio;
    double low; /* NaN: the interval is open */
    double high;
    double confidence;
};
void store_links_release(struct store_link *links, size_t count);

/* All of them, oldest first, but those without an answer, of which there are
 * *ret_unanswered. Errors: DUET_E_IO, DUET_E_FORMAT, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_links_load(struct store *store,
                                              struct store_link **ret_links,
                                              size_t *ret_count, size_t *ret_unanswered,
                                              struct duet_error *reterr);

#endif
