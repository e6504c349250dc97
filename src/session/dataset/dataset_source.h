/* Where a study's data comes from: files, data sets in the store, and experiments that
 * were measured here. */
#ifndef DUET_SESSION_DATASET_DATASET_SOURCE_H
#define DUET_SESSION_DATASET_DATASET_SOURCE_H

#include "formats/dataset_read.h"
#include "store/store.h"

/* One word of a command line, or one experiment of the suite that it names. */
struct dataset_source {
    char environment[256]; /* of what has no other */
    const char *path;      /* of a file; NULL: `experiment` */
    size_t store;          /* index of the store that has the experiment */
    struct store_experiment experiment;
};

/* A store that is open. */
struct dataset_store {
    char *path; /* NULL: that of --store, or the default */
    struct store *store;
};

/* Zeroed storage is none. */
struct dataset_sources {
    struct dataset_store *stores;
    size_t store_count;
    struct dataset_source *list;
    size_t count;
};

/* words: [ENVIRONMENT=]WHAT; WHAT is a file, or else a stored experiment ("12", "last",
 * the beginning of a uuid, a name), or suite:NAME, which is all that the newest run of
 * that suite has measured, or suites:NAME, all of its runs. STORE:WHAT, where a file is
 * called STORE, is what that store has. option: of --store, or NULL; a store is opened
 * only when a word asks for it. Errors: DUET_E_NOT_FOUND,
 * those of the store. */
BASE_MUST_USE enum duet_code dataset_sources_find(const char *option,
                                                  char *const *words, size_t count,
                                                  struct dataset_sources *ret_sources,
                                                  struct duet_error *reterr);
/* What follows an ENVIRONMENT= of the word; the word itself without one. */
const char *dataset_word_path(const char *word);
void dataset_sources_release(struct dataset_sources *sources);

/* Reads them into one set. A measured experiment is a benchmark called as it: its
 * machine is the instance, its runs are trials. Of a paired schedule each iteration is
 * a pair, when all data has pairs; else each side is a benchmark, NAME:old and
 * NAME:new. Warm-up is left out. Errors: those of the formats and the store;
 * DUET_E_USAGE (some data has pairs, and other has not), DUET_E_TOO_FEW (nothing). */
BASE_MUST_USE enum duet_code dataset_sources_read(
    struct dataset_sources *sources, enum formats_dataset_kind kind,
    const struct formats_dataset_options *options, struct model_dataset *ret_dataset,
    struct formats_dataset_counts *ret_counts, struct duet_error *reterr);

#endif
