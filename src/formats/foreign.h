/* Files of other programs, whatever their format. */
#ifndef DUET_FORMATS_FOREIGN_H
#define DUET_FORMATS_FOREIGN_H

#include "formats/csv.h"
#include "formats/gather.h"
#include "formats/left_out.h"

enum formats_kind {
    /* tools' files by their content, CSV by its header, else numbers */
    FORMATS_KIND_AUTO,
    FORMATS_KIND_NUMBERS,
    FORMATS_KIND_CSV,
    FORMATS_KIND_HYPERFINE,
    FORMATS_KIND_JSON,
    FORMATS_KIND_GO,
    FORMATS_KIND_TANGO,
    FORMATS_KINDS
};
/* "auto", "numbers", "csv", "hyperfine", "json", "go", "tango". */
const char *formats_kind_name(unsigned kind);

struct formats_files {
    char *const *paths; /* "-" is standard input */
    size_t count;
};

struct formats_request {
    /* Of new none: one file has both sides. Several of a side: each is of processes of
     * its own. */
    struct formats_files sides[MODEL_SIDES];
    enum formats_kind kind;
    enum formats_pairing pairing;
    const char *benchmark;          /* only this one; NULL: all that both sides have */
    struct formats_csv_options csv; /* `unit` and `side_names` serve all formats */
};

/* The last file, after which things are called that have no other name. */
const char *formats_request_last(const struct formats_request *request);

/* One benchmark of both sides. */
struct formats_found {
    struct formats_data data; /* owned */
    char *names[MODEL_SIDES]; /* what the sides call it; "" nothing; owned */
};

struct formats_foreign {
    struct formats_found *found; /* one at least; owned */
    size_t count;
    bool several; /* a side has more than one, and none was asked for */
    struct text only[MODEL_SIDES]; /* of several, those of one side, in quotes; owned */
    char names[MODEL_SIDES][256];  /* of the sides: command, name in the side column, or
                                      file */
    struct formats_csv_counts counts;
    struct formats_left_out left_out; /* owned */
};
void formats_foreign_release(struct formats_foreign *foreign);

/* Reads the files, each once. Errors: those of the formats; DUET_E_USAGE (one file of
 * plain numbers, of one program's results; several files of tango), those of
 * formats_gather_match(). */
BASE_MUST_USE enum duet_code formats_foreign_read(const struct formats_request *request,
                                                  struct formats_foreign *ret_foreign,
                                                  struct duet_error *reterr);

/* Whether the file is CSV with both sides, as it is asked to be read. False where it
 * cannot be read, or read once only, as a pipe. */
bool formats_foreign_has_sides(const struct formats_request *request, const char *path);

#endif
