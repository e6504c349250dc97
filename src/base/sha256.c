#include "base/sha256.h"

#include <string.h>

/* FIPS 180-4 s.4.2.2: the first 32 bits of the fractions of the cube roots of the first
 * 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

void sha256_init(struct sha256 *hash)
{
    *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static uint32_t rotated(uint32_t word, unsigned by)
{
    return word >> by | word << (32U - by);
}

/* s.6.2.2, step 1. */
static void schedule_words(const unsigned char block[SHA256_BLOCK_BYTES],
                           uint32_t words[64])
{
    for (size_t i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24U | (uint32_t)block[4 * i + 1] << 16U |
                   (uint32_t)block[4 * i + 2] << 8U | (uint32_t)block[4 * i + 3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];
        uint32_t small_0 = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3U;
        uint32_t small_1 = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10U;
        words[i] = words[i - 16] + small_0 + words[i - 7] + small_1;
    }
}

/* s.6.2.2, steps 2 to 4. */
static void take_block(struct sha256 *hash)
{
    uint32_t words[64];
    uint32_t v[8]; /* a to h */
    schedule_words(hash->block, words);
    memcpy(v, hash->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t big_1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + big_1 + choice + constants[i] + words[i];
        uint32_t big_0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + big_0 + majority;
    }
    for (size_t i = 0; i < 8; i++) {
        hash->state[i] += v[i];
    }
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    while (length > 0) {
        size_t at = (size_t)(hash->length % SHA256_BLOCK_BYTES);
        size_t room = SHA256_BLOCK_BYTES - at;
        size_t count = length < room ? length : room;
        memcpy(hash->block + at, from, count);
        hash->length += count;
        from += count;
        length -= count;
        if (at + count == SHA256_BLOCK_BYTES) {
            take_block(hash);
        }
    }
}

void sha256_finish(struct sha256 *hash, char ret_text[SHA256_TEXT_BYTES])
{
    static const unsigned char padding[SHA256_BLOCK_BYTES] = {0x80};
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = 8 * hash->length;
    size_t at = (size_t)(hash->length % SHA256_BLOCK_BYTES);
    /* A 1 bit and zeros up to the last 8 bytes of a block (s.5.1.1). */
    sha256_add(hash, padding, at < 56 ? 56 - at : 120 - at);
    unsigned char length[8];
    for (unsigned i = 0; i < 8; i++) {
        length[i] = (unsigned char)(bits >> (56U - 8U * i));
    }
    sha256_add(hash, length, sizeof length);
    for (size_t i = 0; i < 64; i++) {
        ret_text[i] =
            digits[hash->state[i / 8] >> (28U - 4U * (unsigned)(i % 8)) & 15U];
    }
    ret_text[64] = '\0';
}
