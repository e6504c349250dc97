#include "base/simd.h"

enum simd_level simd_usable(enum simd_level wanted)
{
#if SIMD_X86
    if ((wanted == SIMD_BEST || wanted >= SIMD_AVX512) &&
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return SIMD_AVX512;
    }
    if ((wanted == SIMD_BEST || wanted >= SIMD_AVX2) &&
        __builtin_cpu_supports("avx2")) {
        return SIMD_AVX2;
    }
#else
    (void)wanted;
#endif
    return SIMD_NONE;
}
