/* A sink that counts what it is handed, and answers as it is told. Include it last. */
#ifndef TESTS_SUPPORT_COUNTING_SINK_H
#define TESTS_SUPPORT_COUNTING_SINK_H

#include "model/sink.h"

#include <stddef.h>

struct counting_sink {
    size_t runs; /* that have ended */
    size_t iterations;
    size_t aborted;
    enum duet_code answer;
};

static inline enum duet_code counting_sink_begin(void *context,
                                                 const struct model_run *run,
                                                 struct duet_error *reterr)
{
    const struct counting_sink *sink = context;
    (void)run;
    (void)reterr;
    return sink->answer;
}

static inline enum duet_code
counting_sink_iterations(void *context, enum model_side side,
                         const struct model_iteration *iterations, size_t count,
                         struct duet_error *reterr)
{
    struct counting_sink *sink = context;
    (void)side;
    (void)iterations;
    (void)reterr;
    sink->iterations += count;
    return sink->answer;
}

static inline enum duet_code
counting_sink_end(void *context, const struct model_run *run, struct duet_error *reterr)
{
    struct counting_sink *sink = context;
    (void)run;
    (void)reterr;
    sink->runs++;
    return sink->answer;
}

static inline void counting_sink_abort(void *context)
{
    struct counting_sink *sink = context;
    sink->aborted++;
}

/* Initialises a struct model_sink. */
#define COUNTING_SINK(counting)                                               \
    {                                                                         \
        .context = (counting), .run_begin = counting_sink_begin,              \
        .iterations = counting_sink_iterations, .run_end = counting_sink_end, \
        .run_abort = counting_sink_abort                                      \
    }

#endif
