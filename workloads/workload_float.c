/* `float`: a chain of floating-point operations with its data in L1.
 *
 * The logistic map x' = r x (1 - x), with r in [3.7, 3.9] from a table. It keeps x in
 * [0.09, 0.98], so that there are no subnormals or infinities, whose speed differs; and
 * it is chaotic, so that the effect of a single operation grows instead of rounding
 * away, as it would in a chain that contracts. Without -ffast-math a compiler may
 * neither reorder nor vectorize it. */
#include "base/random.h"
#include "workloads/workload_state.h"

#include <string.h>

static void prepare(struct workload *workload, struct random_stream *random)
{
    double *table = workload->data;
    for (size_t i = 0; i < WORKLOAD_TABLE_COUNT; i++) {
        table[i] = 3.7 + 0.2 * random_uniform(random);
    }
    workload->value = 0.1 + 0.8 * random_uniform(random);
}

static uint64_t execute(struct workload *workload, uint64_t operations)
{
    const double *table = workload->data;
    uint64_t position = workload->position;
    double value = workload->value;
    for (; operations > 0; operations--) {
        value = table[position] * value * (1.0 - value);
        position = (position + 1) % WORKLOAD_TABLE_COUNT;
    }
    workload->position = position;
    workload->value = value;
    uint64_t checksum = 0;
    memcpy(&checksum, &value, sizeof checksum);
    return checksum;
}

const struct workload_kind workload_float = {
    .name = "float",
    .description =
        "a chain of floating-point operations, data in the first-level cache",
    .operation = "two multiplications and a subtraction",
    .data_bytes = WORKLOAD_TABLE_COUNT * sizeof(double),
    .prepare = prepare,
    .execute = execute,
};
