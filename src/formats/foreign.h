/* Files of other programs, whatever their format. */
#ifndef DUET_FORMATS_FOREIGN_H
#define DUET_FORMATS_FOREIGN_H

#include "formats/csv.h"
#include "formats/gather.h"
#include "formats/left_out.h"

enum formats_kind {
    /* hyperfine's and other JSON by their content, Go by its lines, CSV by its
     * header, else numbers */
    FORMATS_KIND_AUTO,
    FORMATS_KIND_NUMBERS,
    FORMATS_KIND_CSV,
    FORMATS_KIND_HYPERFINE,
    FORMATS_KIND_JSON,
    FORMATS_KIND_GO,
    FORMATS_KINDS
};
/* "auto", "numbers", "csv", "hyperfine", "json", "go". */
const char *formats_kind_name(enum formats_kind kind);

struct formats_request {
    const char *paths[MODEL_SIDES]; /* the second NULL: one file has both sides */
    enum formats_kind kind;
    enum formats_pairing pairing;
    /* Not NULL: where the sides hold several benchmarks and none is asked for, those of
     * both are put here, and no data is returned. */
    struct formats_several *several;
    const char *benchmark;          /* only this one; NULL: the file's only one */
    struct formats_csv_options csv; /* `unit` and `side_names` serve all formats */
};

struct formats_foreign {
    struct formats_data data;     /* owned */
    char names[MODEL_SIDES][256]; /* of the sides: command, name in the side column, or
                                     file */
    char benchmarks[MODEL_SIDES][256]; /* what the sides' files say; "" nothing */
    uint64_t skipped;                  /* rows of neither side */
    struct formats_left_out left_out;  /* owned */
};

/* Reads the one or two files. Errors: those of the formats; DUET_E_USAGE (one file of
 * plain numbers, of one program's results), those of formats_benchmarks_check().
 * formats_data_release() the
 * data, formats_left_out_release() what was left out. */
BASE_MUST_USE enum duet_code formats_foreign_read(const struct formats_request *request,
                                                  struct formats_foreign *ret_foreign,
                                                  struct duet_error *reterr);

#endif
