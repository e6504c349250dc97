/* What the fuzzers of foreign formats share: bytes as a file, and what must hold of the
 * data that comes out. */
#ifndef FUZZ_FOREIGN_INPUT_H
#define FUZZ_FOREIGN_INPUT_H

#include "formats/gather.h"
#include "formats/source.h"
#include "packed.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void require(int holds)
{
    if (!holds) {
        abort();
    }
}

/* NULL for no bytes, which fmemopen() cannot open, and for compressed ones. */
static inline struct formats_source *foreign_open(const uint8_t *data, size_t size,
                                                  FILE **ret_file)
{
    struct formats_source *source = NULL;
    static uint8_t copy[1 << 20];
    if (size == 0 || size > sizeof copy || is_packed(data, size)) {
        return NULL;
    }
    memcpy(copy, data, size);
    *ret_file = fmemopen(copy, size, "r");
    require(*ret_file != NULL);
    require(formats_source_of(*ret_file, "input", &source, NULL) == DUET_OK);
    return source;
}

/* A failure has a message; values are positive, finite and, in pairs, even. */
static inline void foreign_finish(struct formats_source *source,
                                  struct formats_gather *gather, enum duet_code code,
                                  const struct duet_error *error)
{
    struct formats_data result = {0};
    require(code == DUET_OK || error->message[0] != '\0');
    if (code == DUET_OK &&
        formats_gather_finish(gather, FORMATS_PAIRING_AUTO, &result, NULL) == DUET_OK) {
        for (size_t r = 0; r < result.values.run_count; r++) {
            const struct model_run_values *run = &result.values.runs[r];
            require(!result.values.paired ||
                    run->counts[MODEL_OLD] == run->counts[MODEL_NEW]);
            for (int side = 0; side < MODEL_SIDES; side++) {
                for (size_t i = 0; i < run->counts[side]; i++) {
                    require(isfinite(run->values[side][i]) && run->values[side][i] > 0);
                }
            }
        }
        formats_data_release(&result);
    }
    formats_gather_free(gather);
    formats_source_close(source);
}

#endif
