#include "analysis/trace_times.h"

#include "analysis/random_uses.h"
#include "base/alloc.h"
#include "base/random.h"
#include "stats/rank/order.h"
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A density is made of so many values, at so many places. */
enum { DENSITY_VALUES = 2048, DENSITY_POINTS = 96 };

/* ---- Iterations ---- */

enum duet_code analysis_trace_times_init(struct analysis_trace_times *times,
                                         struct duet_error *reterr)
{
    struct model_trace *trace = times->trace;
    for (int side = 0; side < MODEL_SIDES; side++) {
        trace->times_ns[side] = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
        trace->log_times[side] = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
        if (trace->times_ns[side] == NULL || trace->log_times[side] == NULL) {
            return error_no_memory(reterr);
        }
    }
    times->shuffled = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
    trace->every = 1;
    return times->shuffled == NULL ? error_no_memory(reterr) : DUET_OK;
}

static void halve(double *values, size_t count)
{
    for (size_t i = 0; 2 * i < count; i++) {
        values[i] = values[2 * i];
    }
}

/* Keeps every second one from now on: both sides alike, so that pairs stay pairs. */
static void thin_out(struct analysis_trace_times *times)
{
    struct model_trace *trace = times->trace;
    halve(times->shuffled, trace->counts[MODEL_OLD]);
    for (int side = 0; side < MODEL_SIDES; side++) {
        halve(trace->times_ns[side], trace->counts[side]);
        halve(trace->log_times[side], trace->counts[side]);
        trace->counts[side] = (trace->counts[side] + 1) / 2;
    }
    trace->every *= 2;
}

/* shuffled: the log ratio of old with some other new, which goes with the old side. */
static void keep(struct analysis_trace_times *times, int side, double time_ns,
                 double shuffled)
{
    struct model_trace *trace = times->trace;
    uint64_t index = trace->totals[side]++;
    if (index % trace->every != 0) {
        return;
    }
    if (trace->counts[side] == MODEL_TRACE_KEPT_MOST) {
        thin_out(times);
    }
    if (index % trace->every != 0) {
        return;
    }
    if (side == MODEL_OLD) {
        times->shuffled[trace->counts[side]] = shuffled;
    }
    trace->times_ns[side][trace->counts[side]] = time_ns;
    trace->log_times[side][trace->counts[side]++] = log(time_ns);
}

/* Pairs side by side, so that both sides are thinned out at the same place. */
static enum duet_code keep_pairs(struct analysis_trace_times *times,
                                 const struct model_run_values *values,
                                 struct duet_error *reterr)
{
    size_t count = values->counts[MODEL_OLD];
    size_t *order = alloc_array(count, sizeof *order);
    struct random_stream stream = random_stream_at(
        times->seed, analysis_stream(ANALYSIS_USE_PICTURE) + values->run);
    if (order == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    random_shuffle(&stream, order, count);
    for (size_t i = 0; i < count; i++) {
        double old_ns = values->values[MODEL_OLD][i];
        double other_ns = values->values[MODEL_NEW][order[i]];
        keep(times, MODEL_OLD, old_ns, log(other_ns / old_ns));
        keep(times, MODEL_NEW, values->values[MODEL_NEW][i], 0.0);
    }
    free(order);
    return DUET_OK;
}

enum duet_code analysis_trace_times_add(struct analysis_trace_times *times,
                                        const struct model_run_values *values,
                                        struct duet_error *reterr)
{
    if (times->trace->paired) {
        return keep_pairs(times, values, reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (size_t i = 0; i < values->counts[side]; i++) {
            keep(times, side, values->values[side][i], 0.0);
        }
    }
    return DUET_OK;
}

static enum duet_code find_ratios(struct model_trace *trace, struct duet_error *reterr)
{
    size_t count = trace->paired ? trace->counts[MODEL_OLD] : 0;
    trace->ratios = alloc_array(count, sizeof *trace->ratios);
    trace->log_ratios = alloc_array(count, sizeof *trace->log_ratios);
    if (trace->ratios == NULL || trace->log_ratios == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        trace->ratios[i] =
            trace->times_ns[MODEL_NEW][i] / trace->times_ns[MODEL_OLD][i];
        trace->log_ratios[i] =
            trace->log_times[MODEL_NEW][i] - trace->log_times[MODEL_OLD][i];
    }
    return DUET_OK;
}

/* ---- Distributions ---- */

/* Where most values lie: Tukey's outer fences ("Exploratory Data Analysis", 1977), or
 * the data's ends where these are nearer. values: reordered, count >= 1. */
struct usual {
    double low;
    double high;
    double quantiles[MODEL_TRACE_QUANTILES];
};

static enum duet_code find_usual(double *values, size_t count, struct usual *ret_usual,
                                 struct duet_error *reterr)
{
    static const double probabilities[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
    double quantiles[7];
    enum duet_code code = stats_quantiles_type7(values, count, probabilities,
                                                sizeof quantiles / sizeof quantiles[0],
                                                quantiles, reterr);
    if (code == DUET_OK) {
        double reach = 3 * (quantiles[4] - quantiles[2]);
        ret_usual->low = fmax(quantiles[0], quantiles[2] - reach);
        ret_usual->high = fmin(quantiles[6], quantiles[4] + reach);
        memcpy(ret_usual->quantiles, quantiles + 1, sizeof ret_usual->quantiles);
    }
    return code;
}

/* values: logarithms, reordered. Those far out are in the quantiles only. */
static enum duet_code describe(double *values, size_t count,
                               struct model_trace_density *ret_density,
                               struct duet_error *reterr)
{
    struct usual usual = {.low = 0};
    enum duet_code code = find_usual(values, count, &usual, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (int q = 0; q < MODEL_TRACE_QUANTILES; q++) {
        ret_density->quantiles[q] = exp(usual.quantiles[q]);
    }
    double margin = 0.15 * (usual.high - usual.low);
    double low = usual.low - margin;
    double high = usual.high + margin;
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] >= low && values[i] <= high) {
            values[inside++] = values[i];
        }
    }
    if (!(high > low)) {
        return DUET_OK;
    }
    ret_density->at = alloc_array(DENSITY_POINTS, sizeof(double));
    ret_density->density = alloc_array(DENSITY_POINTS, sizeof(double));
    if (ret_density->at == NULL || ret_density->density == NULL) {
        return error_no_memory(reterr);
    }
    code = stats_density_between(values, inside, low, high, 0.0, DENSITY_POINTS,
                                 ret_density->at, ret_density->density, reterr);
    ret_density->count = code == DUET_OK ? DENSITY_POINTS : 0;
    for (size_t i = 0; i < ret_density->count; i++) {
        ret_density->at[i] = exp(ret_density->at[i]);
    }
    return code;
}

/* The values of a density: at most DENSITY_VALUES, evenly spread. */
static size_t collect(const struct analysis_trace_times *times, int which,
                      double *ret_values)
{
    const struct model_trace *trace = times->trace;
    size_t count = trace->counts[trace->paired ? MODEL_OLD : which];
    size_t every = count / DENSITY_VALUES + 1;
    size_t collected = 0;
    for (size_t i = 0; i < count; i += every) {
        ret_values[collected++] = !trace->paired ? trace->log_times[which][i]
                                  : which == 0   ? trace->log_ratios[i]
                                                 : times->shuffled[i];
    }
    return collected;
}

/* Of both sides together. */
static enum duet_code find_usual_times(struct analysis_trace_times *times,
                                       double *values, struct duet_error *reterr)
{
    struct model_trace *trace = times->trace;
    enum duet_code code = DUET_OK;
    trace->usual_low_ns = (double)INFINITY;
    trace->usual_high_ns = 0;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct usual usual = {.low = 0};
        size_t every = trace->counts[side] / DENSITY_VALUES + 1;
        size_t count = 0;
        for (size_t i = 0; i < trace->counts[side]; i += every) {
            values[count++] = trace->times_ns[side][i];
        }
        code = count > 0 ? find_usual(values, count, &usual, reterr) : DUET_OK;
        if (count > 0 && code == DUET_OK) {
            trace->usual_low_ns = fmin(trace->usual_low_ns, usual.low);
            trace->usual_high_ns = fmax(trace->usual_high_ns, usual.high);
        }
    }
    return code;
}

enum duet_code analysis_trace_times_finish(struct analysis_trace_times *times,
                                           struct duet_error *reterr)
{
    double *values = alloc_array(DENSITY_VALUES + 1, sizeof *values);
    enum duet_code code = values == NULL ? error_no_memory(reterr)
                                         : find_usual_times(times, values, reterr);
    if (code == DUET_OK) {
        code = find_ratios(times->trace, reterr);
    }
    for (int which = 0; which < MODEL_TRACE_DENSITIES && code == DUET_OK; which++) {
        size_t count = collect(times, which, values);
        struct model_trace_density *density = &times->trace->densities[which];
        for (int q = 0; q < MODEL_TRACE_QUANTILES; q++) {
            density->quantiles[q] = (double)NAN;
        }
        if (count > 0) {
            code = describe(values, count, density, reterr);
        }
    }
    free(values);
    return code;
}
