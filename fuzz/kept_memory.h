/* SQLite's memory for fuzzers of stores: blocks of powers of two, which it gets again
 * when it has freed them. SQLite is not under test, and the sanitizer's allocator would
 * take half of the time. */
#ifndef FUZZ_KEPT_MEMORY_H
#define FUZZ_KEPT_MEMORY_H

#include <limits.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_SIZES = 28, KEPT_LEAST = 5, KEPT_HEAD_BYTES = 16 };

/* Before what SQLite has of it. */
struct kept_block {
    union {
        size_t size; /* 2^size bytes with this, while it is in use */
        struct kept_block *next;
    };
};

static struct kept_block *kept_unused[KEPT_SIZES];

/* KEPT_SIZES for more than there may be. */
static inline size_t kept_size_of(int bytes)
{
    size_t last = (size_t)bytes + KEPT_HEAD_BYTES - 1;
    size_t size = sizeof last * CHAR_BIT - (size_t)__builtin_clzl(last);
    size = size < KEPT_LEAST ? KEPT_LEAST : size;
    return size < KEPT_SIZES ? size : KEPT_SIZES;
}

static inline int kept_rounded(int bytes)
{
    size_t size = kept_size_of(bytes);
    return size < KEPT_SIZES ? (1 << size) - KEPT_HEAD_BYTES : bytes;
}

static inline struct kept_block *kept_block_of(void *memory)
{
    return (struct kept_block *)(void *)((char *)memory - KEPT_HEAD_BYTES);
}

static inline void *kept_get(int bytes)
{
    size_t size = kept_size_of(bytes);
    if (size == KEPT_SIZES) {
        return NULL;
    }
    struct kept_block *block = kept_unused[size];
    if (block == NULL) {
        block = malloc((size_t)1 << size);
    } else {
        kept_unused[size] = block->next;
    }
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    return (char *)block + KEPT_HEAD_BYTES;
}

static inline void kept_put(void *memory)
{
    struct kept_block *block = kept_block_of(memory);
    size_t size = block->size;
    block->next = kept_unused[size];
    kept_unused[size] = block;
}

static inline int kept_bytes_of(void *memory)
{
    return memory == NULL ? 0 : (1 << kept_block_of(memory)->size) - KEPT_HEAD_BYTES;
}

static inline void *kept_resize(void *memory, int bytes)
{
    int before = kept_bytes_of(memory);
    if (bytes <= before) {
        return memory;
    }
    void *grown = kept_get(bytes);
    if (grown != NULL) {
        memcpy(grown, memory, (size_t)before);
        kept_put(memory);
    }
    return grown;
}

static inline int kept_begin(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static inline void kept_end(void *context)
{
    (void)context;
}

/* Before SQLite's first call. One thread has it, and nobody asks what it allocated. */
static inline int kept_memory_use(void)
{
    static const sqlite3_mem_methods methods = {
        .xMalloc = kept_get,
        .xFree = kept_put,
        .xRealloc = kept_resize,
        .xSize = kept_bytes_of,
        .xRoundup = kept_rounded,
        .xInit = kept_begin,
        .xShutdown = kept_end,
    };
    return sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

#endif
