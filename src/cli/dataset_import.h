/* Data sets of instances, trials and iterations in the store. */
#ifndef DUET_CLI_DATASET_IMPORT_H
#define DUET_CLI_DATASET_IMPORT_H

#include "cli/dataset_option.h"
#include "store/store.h"

struct dataset_import {
    const struct dataset_options *options;
    const char *name;  /* of the experiment; NULL: that of the last file */
    const char *store; /* of --store; or NULL */
    uint64_t seed;
    bool quiet; /* print only the experiment's number */
};

/* Reads the files and puts them into the store as one experiment, values as they are.
 * Returns an exit status; a message was printed when it is not 0. */
int dataset_import(const struct dataset_import *import, char *const *words, int count);

/* Whether a word, [ENVIRONMENT=]FILE, can only be a data set. */
bool dataset_is_certain(char *const *words, int count);

/* What a stored data set holds, a row an environment. Errors: those of the store. */
BASE_MUST_USE enum duet_code
dataset_append_parts(struct text *text, struct store *store,
                     const struct store_experiment *experiment,
                     struct duet_error *reterr);

#endif
