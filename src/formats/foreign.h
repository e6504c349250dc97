/* Files of other programs, whatever their format. */
#ifndef DUET_FORMATS_FOREIGN_H
#define DUET_FORMATS_FOREIGN_H

#include "formats/csv.h"
#include "formats/gather.h"

enum formats_kind {
    /* hyperfine's JSON by its '{', JMH's by its '[', Go by its lines, CSV by its
     * header, else numbers */
    FORMATS_KIND_AUTO,
    FORMATS_KIND_NUMBERS,
    FORMATS_KIND_CSV,
    FORMATS_KIND_HYPERFINE,
    FORMATS_KIND_JMH,
    FORMATS_KIND_GO,
    FORMATS_KINDS
};
/* "auto", "numbers", "csv", "hyperfine", "jmh", "go". */
const char *formats_kind_name(enum formats_kind kind);

struct formats_request {
    const char *paths[MODEL_SIDES]; /* the second NULL: one file has both sides */
    enum formats_kind kind;
    enum formats_pairing pairing;
    const char *benchmark;          /* only this one; NULL: the file's only one */
    struct formats_csv_options csv; /* `unit` and `side_names` serve all formats */
};

struct formats_foreign {
    struct formats_data data;     /* owned */
    char names[MODEL_SIDES][256]; /* of the sides: command, name in the side column, or
                                     file */
    char benchmarks[MODEL_SIDES][256]; /* what the sides' files say; "" nothing */
    uint64_t skipped;                  /* rows of neither side */
};

/* Reads the one or two files. Errors: those of the formats; DUET_E_USAGE (one file of
 * plain numbers, of JMH or Go), those of formats_benchmarks_check().
 * formats_data_release() the data. */
BASE_MUST_USE enum duet_code formats_foreign_read(const struct formats_request *request,
                                                  struct formats_foreign *ret_foreign,
                                                  struct duet_error *reterr);

#endif
