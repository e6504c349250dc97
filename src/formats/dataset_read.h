/* Files of several formats into one data set. */
#ifndef DUET_FORMATS_DATASET_READ_H
#define DUET_FORMATS_DATASET_READ_H

#include "formats/dataset_csv.h"

enum formats_dataset_kind {
    FORMATS_DATASET_AUTO, /* tools' files by their content, else CSV */
    FORMATS_DATASET_CSV,
    FORMATS_DATASET_JSON,
    FORMATS_DATASET_GO,
    FORMATS_DATASET_KINDS
};
/* "auto", "csv", "json", "go". */
const char *formats_dataset_kind_name(unsigned kind);

/* Adds a file's points to a data set. environment: of what has no other. Where nothing
 * names the instance, each file is one, called by its path. Counts are added up.
 * Errors: those of the formats; DUET_E_USAGE (the set has pairs, and the file is not
 * CSV), DUET_E_NOT_FOUND, DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_dataset_read(const char *path, const char *environment,
                     enum formats_dataset_kind kind,
                     const struct formats_dataset_options *options,
                     struct model_dataset_builder *builder,
                     struct formats_dataset_counts *counts, struct duet_error *reterr);

/* Whether the file can only be a data set: pa's columns, or a tool's that is alone, but
 * hyperfine's, whose results may be two sides. of_two: two files of a tool are two
 * sides. False where it cannot be read, or read once only, as a pipe. */
bool formats_dataset_is_certain(const char *path, bool of_two);

#endif
