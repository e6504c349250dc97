/* CSV with named columns into a data set; the 12 columns of the tool pa are known. */
#ifndef DUET_FORMATS_DATASET_CSV_H
#define DUET_FORMATS_DATASET_CSV_H

#include "formats/csv_header.h"
#include "formats/source.h"
#include "model/dataset_builder.h"

#include <stdbool.h>
#include <stdint.h>

/* What a column can be. */
enum formats_dataset_role {
    FORMATS_DATASET_BENCHMARK,
    FORMATS_DATASET_ENVIRONMENT,
    FORMATS_DATASET_INSTANCE,
    FORMATS_DATASET_TRIAL,
    FORMATS_DATASET_VALUE,
    FORMATS_DATASET_OLD, /* a pair a row */
    FORMATS_DATASET_NEW,
    FORMATS_DATASET_COUNT, /* how often the value was seen */
    FORMATS_DATASET_ROLES
};
/* "benchmark" ... */
const char *formats_dataset_role_name(unsigned role);

struct formats_dataset_options {
    char separator; /* 0: the commonest of , ; tab in the header */
    /* Names, several with '+' between them; NULL: by the usual names. Several columns
     * of a name are put together with ':', empty ones left out. Several of the value,
     * or "*" for all that no role has, are a benchmark each, called as the column. */
    const char *columns[FORMATS_DATASET_ROLES];
    struct formats_where where; /* its columns are not looked at */
    bool throughput;            /* values are per time, and their inverse is taken */
};

/* What was not taken. */
struct formats_dataset_counts {
    uint64_t rows;     /* all, without the header */
    uint64_t filtered; /* rows left out by `where` */
    uint64_t missing;  /* values that are empty or "NA" and the like; with several value
                          columns also those  that are no positive number; pairs of which
                          one is missing;  of tools' files what is left out */
};

/* Whether the options ask for pairs, one row each. */
bool formats_dataset_is_paired(const struct formats_dataset_options *options);

/* Adds the file's points. environment, instance: what they are called where no column
 * says it. Without a column of trials all values of an instance are one trial, without
 * one of benchmarks all are one benchmark, "-". Counts are added up.
 * Errors: DUET_E_FORMAT (with file, line, column: a row with more or fewer fields than
 * the first; no positive number; two commits in pa's columns), DUET_E_NOT_FOUND (a
 * column), DUET_E_TOO_FEW (empty file), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_dataset_csv_read(
    struct formats_source *source, const struct formats_dataset_options *options,
    const char *environment, const char *instance,
    struct model_dataset_builder *builder, struct formats_dataset_counts *counts,
    struct duet_error *reterr);

#endif
