/* SHA-256 (FIPS 180-4): fingerprints of outputs and definitions. */
#ifndef DUET_BASE_SHA256_H
#define DUET_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK_BYTES = 64, SHA256_TEXT_BYTES = 65 };

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[SHA256_BLOCK_BYTES];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* Ends it: 64 lower-case hexadecimal digits and a NUL. */
void sha256_finish(struct sha256 *hash, char ret_text[SHA256_TEXT_BYTES]);

#endif
