/* `cache`: a linear walk over 4 MiB, one word of each cache line, around and around.
 *
 * Most of it hits in the last-level cache. The rotation makes the checksum depend on
 * the order, so that the sum cannot be split over vector lanes. */
#include "base/random.h"
#include "workloads/workload_state.h"

static void prepare(struct workload *workload, struct random_stream *random)
{
    struct workload_line *lines = workload->data;
    for (size_t i = 0; i < WORKLOAD_CACHE_LINES; i++) {
        lines[i].word = random_u64(random);
    }
}

static uint64_t execute(struct workload *workload, uint64_t operations)
{
    const struct workload_line *lines = workload->data;
    uint64_t position = workload->position;
    uint64_t accumulator = workload->accumulator;
    for (; operations > 0; operations--) {
        accumulator = workload_rotate_left(accumulator) + lines[position].word;
        position = (position + 1) % WORKLOAD_CACHE_LINES;
    }
    workload->position = position;
    workload->accumulator = accumulator;
    return accumulator;
}

const struct workload_kind workload_cache = {
    .name = "cache",
    .description = "a linear walk over 4 MiB, mostly in the last-level cache",
    .operation = "a load from the next cache line",
    .data_bytes = WORKLOAD_CACHE_LINES * sizeof(struct workload_line),
    .prepare = prepare,
    .execute = execute,
};
