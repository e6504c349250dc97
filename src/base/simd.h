/* Which vector instructions a computation may use. Every computation that has a vector
 * form gives the same bits without it; the choice is one of speed alone. */
#ifndef DUET_BASE_SIMD_H
#define DUET_BASE_SIMD_H

enum simd_level {
    SIMD_BEST, /* what this CPU has */
    SIMD_NONE, /* portable C */
    SIMD_AVX2
};

/* The highest level, at most `wanted`, that this CPU has and that was compiled in;
 * never SIMD_BEST. */
enum simd_level simd_usable(enum simd_level wanted);

#if defined(__x86_64__)
#define SIMD_X86 1
#define SIMD_TARGET_AVX2 __attribute__((target("avx2")))
#else
#define SIMD_X86 0
#endif

#endif
