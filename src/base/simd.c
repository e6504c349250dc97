#include "base/simd.h"

enum simd_level simd_usable(enum simd_level wanted)
{
#if SIMD_X86
    if (wanted != SIMD_NONE && __builtin_cpu_supports("avx2")) {
        return SIMD_AVX2;
    }
#else
    (void)wanted;
#endif
    return SIMD_NONE;
}
