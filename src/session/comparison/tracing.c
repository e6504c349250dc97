#include "session/comparison/tracing.h"

#include "analysis/conclude.h"
#include "analysis/family.h"
#include "analysis/random_uses.h"
#include "base/alloc.h"
#include "base/random.h"
#include "session/comparison/answer_source.h"
#include "stats/rank/order.h"
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A density is made of so many values, at so many places. */
enum { DENSITY_VALUES = 2048, DENSITY_POINTS = 96 };

/* Of each run: where its iterations begin, and what was taken of them. */
struct run_note {
    uint64_t run;
    uint64_t first[MODEL_SIDES];
    double taken_ratio[MODEL_SIDES];
};

struct tracing {
    struct model_trace trace;
    double
        *shuffled; /* log ratios of pairs that were none, as many as pairs are kept */
    struct run_note *notes;
    size_t note_count;
    size_t note_capacity;
    uint64_t seed;
};

static void tracing_release(struct tracing *tracing)
{
    model_trace_release(&tracing->trace);
    free(tracing->shuffled);
    free(tracing->notes);
}

/* ---- Iterations ---- */

static enum duet_code make_room(struct tracing *tracing, struct duet_error *reterr)
{
    struct model_trace *trace = &tracing->trace;
    for (int side = 0; side < MODEL_SIDES; side++) {
        trace->times_ns[side] = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
        trace->log_times[side] = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
        if (trace->times_ns[side] == NULL || trace->log_times[side] == NULL) {
            return error_no_memory(reterr);
        }
    }
    tracing->shuffled = alloc_array(MODEL_TRACE_KEPT_MOST, sizeof(double));
    trace->every = 1;
    return tracing->shuffled == NULL ? error_no_memory(reterr) : DUET_OK;
}

static void halve(double *values, size_t count)
{
    for (size_t i = 0; 2 * i < count; i++) {
        values[i] = values[2 * i];
    }
}

/* Keeps every second one from now on: both sides alike, so that pairs stay pairs. */
static void thin_out(struct tracing *tracing)
{
    struct model_trace *trace = &tracing->trace;
    halve(tracing->shuffled, trace->counts[MODEL_OLD]);
    for (int side = 0; side < MODEL_SIDES; side++) {
        halve(trace->times_ns[side], trace->counts[side]);
        halve(trace->log_times[side], trace->counts[side]);
        trace->counts[side] = (trace->counts[side] + 1) / 2;
    }
    trace->every *= 2;
}

/* shuffled: the log ratio of old with some other new, which goes with the old side. */
static void keep(struct tracing *tracing, int side, double time_ns, double shuffled)
{
    struct model_trace *trace = &tracing->trace;
    uint64_t index = trace->totals[side]++;
    if (index % trace->every != 0) {
        return;
    }
    if (trace->counts[side] == MODEL_TRACE_KEPT_MOST) {
        thin_out(tracing);
    }
    if (index % trace->every != 0) {
        return;
    }
    if (side == MODEL_OLD) {
        tracing->shuffled[trace->counts[side]] = shuffled;
    }
    trace->times_ns[side][trace->counts[side]] = time_ns;
    trace->log_times[side][trace->counts[side]++] = log(time_ns);
}

/* Pairs side by side, so that both sides are thinned out at the same place. */
static enum duet_code keep_pairs(struct tracing *tracing,
                                 const struct model_run_values *values,
                                 struct duet_error *reterr)
{
    size_t count = values->counts[MODEL_OLD];
    size_t *order = alloc_array(count, sizeof *order);
    struct random_stream stream = random_stream_at(
        tracing->seed, analysis_stream(ANALYSIS_USE_PICTURE) + values->run);
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
        keep(tracing, MODEL_OLD, old_ns, log(other_ns / old_ns));
        keep(tracing, MODEL_NEW, values->values[MODEL_NEW][i], 0.0);
    }
    free(order);
    return DUET_OK;
}

static enum duet_code note_run(struct tracing *tracing, const struct answer_run *run,
                               struct duet_error *reterr)
{
    struct run_note *grown = alloc_grow(tracing->notes, tracing->note_count,
                                        &tracing->note_capacity, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    tracing->notes = grown;
    struct run_note note = {.run = run->values.run};
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct analysis_side_usage *usage = &run->usage[side].side;
        note.first[side] = tracing->trace.totals[side];
        note.taken_ratio[side] =
            usage->known_ns > 0 ? usage->taken_ns / usage->known_ns : (double)NAN;
    }
    grown[tracing->note_count++] = note;
    return DUET_OK;
}

static enum duet_code take_run(struct tracing *tracing, const struct answer_run *run,
                               struct duet_error *reterr)
{
    const struct model_run_values *values = &run->values;
    enum duet_code code = note_run(tracing, run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (tracing->trace.paired) {
        return keep_pairs(tracing, values, reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (size_t i = 0; i < values->counts[side]; i++) {
            keep(tracing, side, values->values[side][i], 0.0);
        }
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
static size_t collect(const struct tracing *tracing, int which, double *ret_values)
{
    const struct model_trace *trace = &tracing->trace;
    size_t count = trace->counts[trace->paired ? MODEL_OLD : which];
    size_t every = count / DENSITY_VALUES + 1;
    size_t collected = 0;
    for (size_t i = 0; i < count; i += every) {
        double pair = trace->log_times[MODEL_NEW][i] - trace->log_times[MODEL_OLD][i];
        ret_values[collected++] = !trace->paired ? trace->log_times[which][i]
                                  : which == 0   ? pair
                                                 : tracing->shuffled[i];
    }
    return collected;
}

/* Of both sides together. */
static enum duet_code find_usual_times(struct tracing *tracing, double *values,
                                       struct duet_error *reterr)
{
    struct model_trace *trace = &tracing->trace;
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

static enum duet_code describe_all(struct tracing *tracing, struct duet_error *reterr)
{
    double *values = alloc_array(DENSITY_VALUES + 1, sizeof *values);
    enum duet_code code = values == NULL ? error_no_memory(reterr)
                                         : find_usual_times(tracing, values, reterr);
    for (int which = 0; which < MODEL_TRACE_DENSITIES && code == DUET_OK; which++) {
        size_t count = collect(tracing, which, values);
        struct model_trace_density *density = &tracing->trace.densities[which];
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

/* ---- The whole ---- */

/* The analysis knows which runs count, the notes what their iterations say. Both go by
 * index. */
static void join_notes(struct tracing *tracing)
{
    size_t at = 0;
    for (size_t i = 0; i < tracing->trace.run_count; i++) {
        struct model_trace_run *run = &tracing->trace.runs[i];
        while (at < tracing->note_count && tracing->notes[at].run < run->run) {
            at++;
        }
        for (int side = 0; side < MODEL_SIDES && at < tracing->note_count; side++) {
            run->first[side] = tracing->notes[at].first[side];
            run->taken_ratio[side] = tracing->notes[at].taken_ratio[side];
        }
    }
}

static enum duet_code read_runs(struct store *store, const struct answer *answer,
                                struct analysis *analysis, struct tracing *tracing,
                                struct duet_error *reterr)
{
    const struct store_experiment *experiment = &answer->experiment;
    const char *metric = answer_metric(experiment->schedule);
    struct store_run_reader *reader = NULL;
    enum duet_code code = store_runs_open(store, experiment->id, &reader, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run described;
        struct answer_run run = {.values = {0}};
        code = store_runs_next(reader, &described, &more, reterr);
        more = more && code == DUET_OK;
        if (more) {
            code = answer_run_read(reader, &described, metric, answer->drop, 0, &run,
                                   reterr);
        }
        if (more && code == DUET_OK) {
            code = take_run(tracing, &run, reterr);
        }
        if (more && code == DUET_OK) {
            code = analysis_add_run(analysis, &run.values, reterr);
        }
        model_run_values_release(&run.values);
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
    return code;
}

enum duet_code tracing_make(struct store *store, const struct answer *answer,
                            struct model_trace *ret_trace, struct duet_error *reterr)
{
    const struct model_comparison *comparison = &answer->comparison;
    struct model_analysis used = analysis_family_member(&comparison->analysis);
    bool paired = model_schedule_is_paired(comparison->schedule);
    struct tracing tracing = {
        .trace = {.paired = paired, .every = 1, .threshold = (double)NAN},
        .seed = used.seed};
    struct analysis *analysis = NULL;
    if (!model_comparison_is_measured(comparison) || answer->experiment.id == 0) {
        *ret_trace = tracing.trace;
        return DUET_OK;
    }
    used.iterations_alone = answer_is_sample(&answer->experiment);
    enum duet_code code = analysis_new(&used, paired, &analysis, reterr);
    if (code == DUET_OK) {
        code = make_room(&tracing, reterr);
    }
    if (code == DUET_OK) {
        code = read_runs(store, answer, analysis, &tracing, reterr);
    }
    if (code == DUET_OK) {
        code = describe_all(&tracing, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_trace(analysis, &tracing.trace, reterr);
    }
    analysis_free(analysis);
    if (code == DUET_OK) {
        join_notes(&tracing);
        *ret_trace = tracing.trace;
        tracing.trace = (struct model_trace){.paired = false};
    }
    tracing_release(&tracing);
    return code;
}
