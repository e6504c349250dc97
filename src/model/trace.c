#include "model/trace.h"

#include <stdlib.h>

void model_trace_release(struct model_trace *trace)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(trace->times_ns[side]);
        free(trace->log_times[side]);
    }
    free(trace->ratios);
    free(trace->log_ratios);
    for (int i = 0; i < MODEL_TRACE_DENSITIES; i++) {
        free(trace->densities[i].at);
        free(trace->densities[i].density);
    }
    free(trace->runs);
    free(trace->looks);
    *trace = (struct model_trace){.paired = false};
}
