#include "machine/host_uuid.h"

#include "machine/rootfs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 64, DIGEST_BYTES = 20, UUID_BYTES = 16 };

/* Drawn once at random; changing it would make every stored host a new one. */
static const unsigned char duet_name_space[UUID_BYTES] = {
    0xc9, 0xd3, 0x4d, 0x2f, 0x23, 0x32, 0x10, 0x1c,
    0x0b, 0x64, 0x3b, 0xe8, 0x74, 0x87, 0xaf, 0xdb};

static uint32_t rotate_left(uint32_t word, unsigned bits)
{
    return (word << bits) | (word >> (32U - bits));
}

/* One block of SHA-1 (FIPS 180-4, section 6.1.2). */
static void digest_block(uint32_t state[5], const unsigned char block[BLOCK_BYTES])
{
    uint32_t w[80];
    for (size_t t = 0; t < 16; t++) {
        const unsigned char *at = block + 4 * t;
        w[t] = (uint32_t)at[0] << 24U | (uint32_t)at[1] << 16U | (uint32_t)at[2] << 8U |
               (uint32_t)at[3];
    }
    for (size_t t = 16; t < 80; t++) {
        w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    for (size_t t = 0; t < 80; t++) {
        uint32_t f;
        uint32_t k;
        if (t < 20) {
            f = (b & c) ^ (~b & d);
            k = 0x5a827999U;
        } else if (t < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1U;
        } else if (t < 60) {
            f = (b & c) ^ (b & d) ^ (c & d);
            k = 0x8f1bbcdcU;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6U;
        }
        uint32_t next = rotate_left(a, 5) + f + e + k + w[t];
        e = d;
        d = c;
        c = rotate_left(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

struct digest {
    uint32_t state[5];
    unsigned char block[BLOCK_BYTES];
    size_t used;
    uint64_t bytes;
};

static void digest_add(struct digest *digest, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        digest->block[digest->used++] = bytes[i];
        if (digest->used == BLOCK_BYTES) {
            digest_block(digest->state, digest->block);
            digest->used = 0;
        }
    }
    digest->bytes += count;
}

static void digest_end(struct digest *digest, unsigned char result[DIGEST_BYTES])
{
    uint64_t bits = digest->bytes * 8;
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++) {
        length[i] = (unsigned char)(bits >> (56U - 8U * i));
    }
    digest_add(digest, (const unsigned char[]){0x80}, 1);
    while (digest->used != BLOCK_BYTES - sizeof length) {
        digest_add(digest, (const unsigned char[]){0}, 1);
    }
    digest_add(digest, length, sizeof length);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        result[i] = (unsigned char)(digest->state[i / 4] >> (24U - 8U * (i % 4)));
    }
}

void host_uuid_of_name(const unsigned char name_space[16], const char *name,
                       char ret_uuid[37])
{
    struct digest digest = {
        .state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U}};
    digest_add(&digest, name_space, UUID_BYTES);
    digest_add(&digest, (const unsigned char *)name, strlen(name));
    unsigned char id[DIGEST_BYTES];
    digest_end(&digest, id);
    id[6] = (unsigned char)((id[6] & 0x0fU) | 0x50U); /* version 5 */
    id[8] = (unsigned char)((id[8] & 0x3fU) | 0x80U); /* RFC 9562's variant */
    char *to = ret_uuid;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *to++ = '-';
        }
        (void)snprintf(to, 3, "%02x", (unsigned)id[i]);
        to += 2;
    }
}

void host_uuid_of_machine(const char *root, const char *host_name, const char *instance,
                          char ret_uuid[37])
{
    enum { MACHINE_ID_DIGITS = 32 };
    char id[64];
    char name[640];
    ret_uuid[0] = '\0';
    /* Before its first boot a machine's file is empty or says "uninitialized". */
    if (rootfs_read(root, "/etc/machine-id", id, sizeof id) &&
        strlen(id) == MACHINE_ID_DIGITS &&
        strspn(id, "0123456789abcdefABCDEF") == MACHINE_ID_DIGITS) {
        (void)snprintf(name, sizeof name, "machine-id:%s", id);
    } else if (host_name[0] != '\0') {
        (void)snprintf(name, sizeof name, "host-name:%s", host_name);
    } else {
        return;
    }
    if (instance != NULL && instance[0] != '\0') {
        size_t length = strlen(name);
        (void)snprintf(name + length, sizeof name - length, "/instance:%s", instance);
    }
    host_uuid_of_name(duet_name_space, name, ret_uuid);
}
