/* Loops that several threads share. A thread that cannot be started is done without:
 * whatever limits processes or memory, the calling thread does what is left. */
#ifndef DUET_BASE_THREADS_H
#define DUET_BASE_THREADS_H

#include "base/error.h"

#include <stddef.h>

enum { THREADS_MAX = 256 };

/* How many threads a loop should have: $OMP_NUM_THREADS, as other programs know it,
 * else the CPUs that the calling thread may use; from 1 to THREADS_MAX. */
int threads_usual(void);

/* `asked` where that is more than 0, else threads_usual(). */
static inline int threads_wanted(int asked)
{
    return asked > 0 ? asked : threads_usual();
}

/* Does indexes first..end - 1. thread: below the loop's `threads`, and of no other call
 * at the same time; so the caller can have room for each. Fills reterr on failure. */
typedef enum duet_code threads_body(void *context, size_t first, size_t end,
                                    size_t thread, struct duet_error *reterr);

struct threads_loop {
    size_t count;
    size_t chunk; /* indexes a call; 0: a few calls a thread */
    int threads;  /* at most; 1 or less: the calling one */
    threads_body *body;
    void *context;
};

/* Calls the body for chunks of 0..count - 1, which are handed out in order. Within a
 * body a loop has one thread. After a failure no chunk is begun, and the error is that
 * of the first chunk that failed, whatever the number of threads. */
BASE_MUST_USE enum duet_code threads_for(const struct threads_loop *loop,
                                         struct duet_error *reterr);

/* The same for a body that cannot fail. */
void threads_do(const struct threads_loop *loop);

#endif
