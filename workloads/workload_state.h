/* What the four kinds share; private to workloads/ and its tests. */
#ifndef DUET_WORKLOADS_WORKLOAD_STATE_H
#define DUET_WORKLOADS_WORKLOAD_STATE_H

#include "workloads/workload.h"

#include <stdint.h>

struct workload {
    const struct workload_kind *kind;
    void *block;       /* from alloc.h; free() takes this one */
    void *data;        /* kind->data_bytes inside `block`, on a page boundary */
    uint64_t position; /* next element of the table, line of the walk */
    uint64_t accumulator;
    double value; /* of the float workload, in place of `accumulator` */
};

/* One cache line (64 bytes on the machines we know; where lines are longer, a walk
 * touches each of them more than once). */
struct workload_line {
    uint64_t word;
    uint64_t padding[7];
};

enum {
    WORKLOAD_TABLE_COUNT = 512, /* 4 KiB of 8-byte values: well inside any L1 */
    WORKLOAD_CACHE_LINES = 4 * 1024 * 1024 / 64,
    WORKLOAD_MEMORY_LINES = 64 * 1024 * 1024 / 64,
};

extern const struct workload_kind workload_integer;
extern const struct workload_kind workload_float;
extern const struct workload_kind workload_cache;
extern const struct workload_kind workload_memory;

static inline uint64_t workload_rotate_left(uint64_t value)
{
    return value << 1U | value >> 63U;
}

#endif
