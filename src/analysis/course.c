#include "analysis/course.h"

#include "analysis/anytime.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static int compare_by_run(const void *left, const void *right)
{
    const struct model_trace_run *a = left;
    const struct model_trace_run *b = right;
    return a->run < b->run ? -1 : a->run > b->run;
}

static struct model_trace_run describe(const struct analysis_used_runs *used, size_t i,
                                       bool paired)
{
    const struct analysis_run_summary *summary = used->runs[i];
    struct model_trace_run run = {.run = summary->run,
                                  .ratio =
                                      paired ? exp(used->run_logs[i]) : (double)NAN,
                                  .taken_ratio = {(double)NAN, (double)NAN}};
    for (int side = 0; side < MODEL_SIDES; side++) {
        bool any = summary->times[side].count > 0;
        double window_ns = summary->window_ns[side];
        run.typical_ns[side] = any ? exp(summary->log_mean[side]) : (double)NAN;
        run.others_ratio[side] =
            window_ns > 0.0 ? summary->others_ns[side] / window_ns : (double)NAN;
    }
    return run;
}

enum duet_code analysis_course(const struct analysis_used_runs *used, bool paired,
                               double confidence, struct model_trace *trace,
                               struct duet_error *reterr)
{
    trace->threshold = (double)NAN;
    trace->runs = alloc_array(used->count, sizeof *trace->runs);
    if (trace->runs == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < used->count; i++) {
        trace->runs[trace->run_count++] = describe(used, i, paired);
    }
    qsort(trace->runs, trace->run_count, sizeof *trace->runs, compare_by_run);
    if (!paired || used->coin_count == 0) {
        return DUET_OK;
    }
    trace->looks = alloc_array(used->coin_count, sizeof *trace->looks);
    if (trace->looks == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code =
        analysis_anytime_looks(used, confidence, trace->looks, reterr);
    if (code == DUET_OK) {
        trace->look_count = used->coin_count;
        trace->threshold = 2.0 / (1.0 - confidence);
    }
    return code;
}
