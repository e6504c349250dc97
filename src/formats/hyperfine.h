/* The JSON that hyperfine and other programs after its model write. */
#ifndef DUET_FORMATS_HYPERFINE_H
#define DUET_FORMATS_HYPERFINE_H

#include "formats/gather.h"
#include "formats/source.h"

#include <stddef.h>

/* Which of the file's results[] are which side. */
struct formats_hyperfine_choice {
    /* By command; NULL: by place. */
    const char *commands[MODEL_SIDES];
    /* The file is only this side: its one result (or the chosen command's) is read; of
     * several, each is a benchmark, called as its command and parameters.
     * Otherwise two results are read, the first as old. */
    bool one_side;
    enum model_side side;
};

/* results[].times, in seconds. ret_names: the commands of the sides that were read, cut
 * at 256 bytes; others stay. Errors: DUET_E_FORMAT (not JSON: with line and column; not
 * of this shape: says where; a time that is not positive; more or fewer results than
 * can be meant), DUET_E_NOT_FOUND (no such command), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_hyperfine_read(struct formats_source *source,
                       const struct formats_hyperfine_choice *choice,
                       struct formats_gather *gather, char ret_names[MODEL_SIDES][256],
                       struct duet_error *reterr);

#endif
