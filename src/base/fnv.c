#include "base/fnv.h"

#include <string.h>

uint64_t fnv_add(uint64_t hash, const char *bytes, size_t length)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * prime;
    }
    return hash;
}

uint64_t fnv_of(const char *text)
{
    return fnv_add(FNV_BASIS, text, strlen(text));
}
