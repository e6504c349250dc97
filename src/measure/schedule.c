#include "measure/schedule.h"

#include "base/random.h"

enum { STREAM_OF_COINS = 0, STREAM_OF_OFFSETS = 1, STREAM_OF_HASHES = 2 };

unsigned schedule_old_position(uint64_t seed, uint64_t block, bool second)
{
    /* The block's own stream, rather than the n-th number of one stream: any block's
     * assignment is known without walking through those before it. */
    struct random_stream stream =
        random_stream_at(seed, (block << 8U) | STREAM_OF_COINS);
    unsigned first = random_u32(&stream) & 1U;
    return second ? 1U - first : first;
}

uint32_t schedule_environment_offset(const struct model_plan *plan, uint64_t run,
                                     unsigned position)
{
    enum { STEPS = 256, STEP_BYTES = 16, POSITIONS = 2 };
    if (plan->layout == MODEL_LAYOUT_FIXED) {
        return 0;
    }
    struct random_stream stream =
        random_stream_at(plan->seed, (run / 2 << 8U) | STREAM_OF_OFFSETS);
    unsigned of_position = plan->layout == MODEL_LAYOUT_INDEPENDENT ? position : 0;
    uint32_t drawn = 0;
    for (uint64_t i = 0; i <= run % 2 * POSITIONS + of_position; i++) {
        drawn = random_below(&stream, STEPS);
    }
    return drawn * STEP_BYTES;
}

uint32_t schedule_hash_seed(const struct model_plan *plan, uint64_t run,
                            unsigned position)
{
    struct random_stream stream =
        random_stream_at(plan->seed, (run << 8U) | STREAM_OF_HASHES);
    uint32_t shared = random_u32(&stream);
    return plan->layout == MODEL_LAYOUT_INDEPENDENT && position != 0
               ? random_u32(&stream)
               : shared;
}

bool schedule_is_enough(const struct model_plan *plan, uint64_t runs, uint64_t least,
                        uint64_t elapsed_ns, uint64_t budget_ns)
{
    if (plan->runs != 0) {
        return runs >= plan->runs;
    }
    return runs >= least && (runs >= plan->max_runs || elapsed_ns >= budget_ns);
}
