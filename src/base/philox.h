/* Inside the generator: its constants and its vector form. Others include random.h. */
#ifndef DUET_BASE_PHILOX_H
#define DUET_BASE_PHILOX_H

#include "base/simd.h"

#include <stddef.h>
#include <stdint.h>

/* Salmon et al. 2011, section 3.3 and table 2: multipliers and Weyl constants. */
#define PHILOX_M0 0xD2511F53U
#define PHILOX_M1 0xCD9E8D57U
#define PHILOX_W0 0x9E3779B9U
#define PHILOX_W1 0xBB67AE85U
enum { PHILOX_ROUNDS = 10 };

#if SIMD_X86
/* As random_philox_fill(); only on a CPU that has the instructions. */
void philox_fill_avx2(const uint32_t key[2], const uint32_t counter[4], size_t blocks,
                      uint32_t *ret_words);
#endif

#endif
