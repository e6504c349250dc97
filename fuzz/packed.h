/* Compressed files, which other fuzzers leave to fuzz_packed. */
#ifndef FUZZ_PACKED_H
#define FUZZ_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is compressed takes as much memory as it says, whatever its size. */
static inline int is_packed(const uint8_t *data, size_t size)
{
    static const char *const marks[] = {"\037\213", "\3757zXZ", "\050\265\057\375",
                                        "BZh", "\004\042\115\030"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (size >= strlen(marks[i]) && memcmp(data, marks[i], strlen(marks[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

#endif
