/* Values that a file states once, with how often they were seen. */
#ifndef DUET_FORMATS_COUNTED_H
#define DUET_FORMATS_COUNTED_H

#include "formats/source.h"

#include <inttypes.h>

/* What a file of any size may stand for, and what each of its bytes adds: JMH's
 * histograms hold about one value a byte. 2^22 values take 100 MB. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* thirty times slower: less */
#define FORMATS_COUNTED_VALUES_MAX (UINT64_C(1) << 16)
#else
#define FORMATS_COUNTED_VALUES_MAX (UINT64_C(1) << 22)
#endif
#define FORMATS_COUNTED_VALUES_A_BYTE UINT64_C(10)

/* Adds `count` to what the counts of this file stand for, *counted. Errors:
 * DUET_E_FORMAT when that is more than a file of its size may. */
BASE_MUST_USE static inline enum duet_code
formats_counted_add(const struct formats_source *source, uint64_t count,
                    uint64_t *counted, struct duet_error *reterr)
{
    uint64_t limit =
        FORMATS_COUNTED_VALUES_MAX + FORMATS_COUNTED_VALUES_A_BYTE * source->bytes;
    if (count > limit || *counted > limit - count) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s': its counts stand for more than %" PRIu64
            " values, which is too much for a file of its size; divide the counts, or split the file",
            source->name, limit);
    }
    *counted += count;
    return DUET_OK;
}

#endif
