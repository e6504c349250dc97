/* Files of several formats into one data set. */
#ifndef DUET_FORMATS_DATASET_READ_H
#define DUET_FORMATS_DATASET_READ_H

#include "formats/dataset_csv.h"
#include "model/dataset.h"

enum formats_dataset_kind {
    FORMATS_DATASET_AUTO, /* JMH by its '[', Go by its lines, else CSV */
    FORMATS_DATASET_CSV,
    FORMATS_DATASET_JMH,
    FORMATS_DATASET_GO,
    FORMATS_DATASET_KINDS
};
/* "auto", "csv", "jmh", "go". */
const char *formats_dataset_kind_name(enum formats_dataset_kind kind);

/* Reads the files one after the other. A word is a path, or ENVIRONMENT=PATH; without
 * one the environment is "-". Where nothing names the instance, each file is one,
 * called by its path. Errors: those of the formats; DUET_E_TOO_FEW (no value at all),
 * DUET_E_USAGE (pairs of another format than CSV), DUET_E_NOT_FOUND, DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_dataset_read(
    const char *const *words, size_t count, enum formats_dataset_kind kind,
    const struct formats_dataset_options *options, struct model_dataset *ret_dataset,
    struct formats_dataset_counts *ret_counts, struct duet_error *reterr);

#endif
