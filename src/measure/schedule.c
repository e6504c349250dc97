#include "measure/schedule.h"

#include "base/random.h"

enum { STREAM_OF_COINS = 0 };

uint64_t schedule_block(uint64_t run)
{
    return run / 2;
}

unsigned schedule_old_position(uint64_t seed, uint64_t run)
{
    /* The block's own stream, rather than the n-th number of one stream: any run's
     * assignment is known without walking through those before it. */
    struct random_stream stream =
        random_stream_at(seed, (schedule_block(run) << 8U) | STREAM_OF_COINS);
    unsigned first = random_u32(&stream) & 1U;
    return run % 2 == 0 ? first : 1U - first;
}
