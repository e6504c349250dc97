/* Data sets of instances, trials and iterations in the store. */
#ifndef DUET_SESSION_DATASET_DATASET_IMPORT_H
#define DUET_SESSION_DATASET_DATASET_IMPORT_H

#include "session/dataset/dataset_load.h"
#include "store/store.h"

struct dataset_import {
    const struct dataset_options *options;
    const char *name;  /* of the experiment; NULL: that of the last file */
    const char *store; /* of --store; or NULL */
    uint64_t seed;
};

struct dataset_imported {
    struct model_dataset dataset; /* owned */
    const char *name;             /* of the experiment; borrowed */
    int64_t id;
};

/* Reads the files and puts them into the store as one experiment, values as they are.
 * Errors: those of dataset_read() and the store. */
BASE_MUST_USE enum duet_code dataset_import(const struct dataset_import *import,
                                            char *const *words, int count,
                                            struct dataset_imported *ret_imported,
                                            struct duet_error *reterr);

/* Whether one of the words, [ENVIRONMENT=]FILE, can only be a data set. */
bool dataset_is_certain(char *const *words, int count);

#endif
