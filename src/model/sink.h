/* Where measured data goes, as it comes. `measure` calls these between runs or while
 * both sides wait; a failing call ends the experiment with that error. Calls come in
 * the order: run_begin, iterations (any number of times, each side's in ascending
 * index), then run_end or run_abort. After run_end returned, the run must survive
 * whatever happens to this process. */
#ifndef DUET_MODEL_SINK_H
#define DUET_MODEL_SINK_H

#include "base/error.h"
#include "model/experiment.h"

struct model_sink {
    void *context;
    /* `run`: index, block, schedule, mode, start; sides' positions and CPUs. */
    enum duet_code (*run_begin)(void *context, const struct model_run *run,
                                struct duet_error *reterr);
    /* Those of an iteration's regions come before it and have its index. Their numbers
     * keep their meaning for a whole measurement; names come with run_end. */
    enum duet_code (*iterations)(void *context, enum model_side side,
                                 const struct model_iteration *iterations, size_t count,
                                 struct duet_error *reterr);
    enum duet_code (*run_end)(void *context, const struct model_run *run,
                              struct duet_error *reterr);
    /* Forget everything since run_begin. */
    void (*run_abort)(void *context);
};

#endif
