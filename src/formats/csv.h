/* CSV with named columns. */
#ifndef DUET_FORMATS_CSV_H
#define DUET_FORMATS_CSV_H

#include "formats/csv_header.h"
#include "formats/gather.h"
#include "formats/scan.h"
#include "formats/source.h"

#include <stdbool.h>
#include <stdint.h>

/* What a column can be. */
enum formats_role {
    FORMATS_ROLE_VALUE,
    FORMATS_ROLE_OLD, /* two values a row, one of each side */
    FORMATS_ROLE_NEW,
    FORMATS_ROLE_SIDE,
    FORMATS_ROLE_RUN,
    FORMATS_ROLE_ITERATION,
    FORMATS_ROLE_BLOCK,
    FORMATS_ROLE_INSTANCE,
    FORMATS_ROLE_BENCHMARK,
    FORMATS_ROLE_SCHEDULE, /* "interleaved" and "sequential" are no pairs */
    FORMATS_ROLES
};
/* "value" ... */
const char *formats_role_name(unsigned role);

struct formats_csv_options {
    char separator;                      /* 0: the commonest of , ; tab in the header */
    const char *columns[FORMATS_ROLES];  /* names; NULL: by the usual names */
    const char *side_names[MODEL_SIDES]; /* in the side column; NULL: usual pairs */
    struct formats_unit unit;            /* without one: by the column's name, else s */
    bool one_side;                       /* the whole file is `side` */
    enum model_side side;
    struct formats_where where; /* its columns are not looked at */
    const char *process; /* which the file is of, for its runs; NULL: not known */
};

/* What was not taken. */
struct formats_csv_counts {
    uint64_t skipped;  /* rows of neither side, when side_names are given */
    uint64_t filtered; /* rows that are not of `where` */
    uint64_t missing;  /* values that are not there; of a row with both sides, both */
};

/* The first row names the columns (lines before it that begin with '#' are left out).
 * Names are compared without case and without a unit at their end; usual ones are
 * value, time, duration, elapsed, ns, ms, s ...; old and new; side, variant, version;
 * run, trial, fork; iteration, iter; block; instance, host, machine, vm; benchmark. The
 * only column of a file is the value. *ret_counts is added to. Errors: DUET_E_FORMAT
 * (with file, line, column: as formats_csv_row_read(); a row with more or fewer fields
 * than the first; no number, no positive time; a side that is not known),
 * DUET_E_NOT_FOUND (a column), DUET_E_TOO_FEW (no row), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_csv_read(struct formats_source *source,
                                              const struct formats_csv_options *options,
                                              struct formats_gather *gather,
                                              struct formats_csv_counts *ret_counts,
                                              struct duet_error *reterr);

/* Whether its header has columns for both sides, and `where` chooses neither of them.
 * Takes the first row. */
bool formats_csv_has_sides(struct formats_source *source,
                           const struct formats_csv_options *options);

#endif
