/* `integer`: a chain of integer operations with its data in L1.
 *
 * Each operation is a bijection of the accumulator (xor with its own upper half, odd
 * multiplier, addition), so that the effect of a single one is never lost from the
 * checksum, and the shift keeps the chain from having a closed form that a compiler
 * could jump to. Multiplier: finalizer of MurmurHash3. */
#include "base/random.h"
#include "workloads/workload_state.h"

static void prepare(struct workload *workload, struct random_stream *random)
{
    uint64_t *table = workload->data;
    for (size_t i = 0; i < WORKLOAD_TABLE_COUNT; i++) {
        table[i] = random_u64(random);
    }
    workload->accumulator = random_u64(random);
}

static uint64_t execute(struct workload *workload, uint64_t operations)
{
    const uint64_t *table = workload->data;
    uint64_t position = workload->position;
    uint64_t accumulator = workload->accumulator;
    for (; operations > 0; operations--) {
        accumulator ^= accumulator >> 32U;
        accumulator *= UINT64_C(0xff51afd7ed558ccd);
        accumulator += table[position];
        position = (position + 1) % WORKLOAD_TABLE_COUNT;
    }
    workload->position = position;
    workload->accumulator = accumulator;
    return accumulator;
}

const struct workload_kind workload_integer = {
    .name = "integer",
    .description = "a chain of integer operations, data in the first-level cache",
    .operation = "one xor-shift, multiply and add",
    .data_bytes = WORKLOAD_TABLE_COUNT * sizeof(uint64_t),
    .prepare = prepare,
    .execute = execute,
};
