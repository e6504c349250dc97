/* `memory`: a random walk over 64 MiB, each load giving the address of the next.
 *
 * The lines form one cycle through all of them (Sattolo 1986: "An algorithm to generate
 * a random cyclic permutation"; a plain random permutation has short cycles, and a walk
 * in one of those would stay in a cache). */
#include "base/random.h"
#include "workloads/workload_state.h"

/* Every run pays for this. So the cycle is drawn in a dense array, which caches hold,
 * and then spread over the lines from the first to the last. The array is the end of
 * the data itself: the word of line i ends before the i-th element, so that what is
 * overwritten has been read. */
static void prepare(struct workload *workload, struct random_stream *random)
{
    struct workload_line *lines = workload->data;
    uint32_t *next =
        (uint32_t *)(void *)(lines + WORKLOAD_MEMORY_LINES) - WORKLOAD_MEMORY_LINES;
    for (uint32_t i = 0; i < WORKLOAD_MEMORY_LINES; i++) {
        next[i] = i;
    }
    for (uint32_t i = WORKLOAD_MEMORY_LINES - 1; i > 0; i--) {
        uint32_t j = random_below(random, i); /* below i: never i itself */
        uint32_t word = next[i];
        next[i] = next[j];
        next[j] = word;
    }
    for (size_t i = 0; i < WORKLOAD_MEMORY_LINES; i++) {
        uint32_t word = next[i];
        lines[i].word = word;
    }
}

static uint64_t execute(struct workload *workload, uint64_t operations)
{
    const struct workload_line *lines = workload->data;
    uint64_t position = workload->position;
    uint64_t accumulator = workload->accumulator;
    for (; operations > 0; operations--) {
        position = lines[position].word;
        accumulator = workload_rotate_left(accumulator) + position;
    }
    workload->position = position;
    workload->accumulator = accumulator;
    return accumulator;
}

const struct workload_kind workload_memory = {
    .name = "memory",
    .description = "a random walk over 64 MiB, mostly missing the last-level cache",
    .operation = "a load whose address is the result of the one before",
    .data_bytes = WORKLOAD_MEMORY_LINES * sizeof(struct workload_line),
    .prepare = prepare,
    .execute = execute,
};
