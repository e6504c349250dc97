#include "session/comparison/tracing.h"

#include "analysis/conclude.h"
#include "analysis/family.h"
#include "analysis/trace_times.h"
#include "base/alloc.h"
#include "session/comparison/answer_source.h"

#include <math.h>
#include <stdlib.h>

/* Of each run: where its iterations begin, and what was taken of them. */
struct run_note {
    uint64_t run;
    uint64_t first[MODEL_SIDES];
    double taken_ratio[MODEL_SIDES];
};

struct tracing {
    struct model_trace trace;
    struct analysis_trace_times times; /* of the trace */
    struct run_note *notes;
    size_t note_count;
    size_t note_capacity;
};

static void tracing_release(struct tracing *tracing)
{
    model_trace_release(&tracing->trace);
    free(tracing->times.shuffled);
    free(tracing->notes);
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
    struct answer_stored stored = {.metric = answer_metric(experiment->schedule),
                                   .drop = answer->drop};
    enum duet_code code =
        store_runs_open(store, experiment->id, &stored.reader, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct answer_run run = {.values = {0}};
        code = answer_stored_next(&stored, 0, &run, &more, reterr);
        more = more && code == DUET_OK;
        if (more) {
            code = note_run(tracing, &run, reterr);
        }
        if (more && code == DUET_OK) {
            code = analysis_trace_times_add(&tracing->times, &run.values, reterr);
        }
        if (more && code == DUET_OK) {
            code = analysis_add_run(analysis, &run.values, reterr);
        }
        model_run_values_release(&run.values);
        more = more && code == DUET_OK;
    }
    store_runs_close(stored.reader);
    return code;
}

enum duet_code tracing_make(struct store *store, const struct answer *answer,
                            struct model_trace *ret_trace, struct duet_error *reterr)
{
    const struct model_comparison *comparison = &answer->comparison;
    struct model_analysis used = analysis_family_member(&comparison->analysis);
    bool paired = model_schedule_is_paired(comparison->schedule);
    struct tracing tracing = {
        .trace = {.paired = paired, .every = 1, .threshold = (double)NAN}};
    tracing.times = (struct analysis_trace_times){&tracing.trace, NULL, used.seed};
    struct analysis *analysis = NULL;
    if (!model_comparison_is_measured(comparison) || answer->experiment.id == 0) {
        *ret_trace = tracing.trace;
        return DUET_OK;
    }
    used.iterations_alone = answer_is_sample(&answer->experiment);
    enum duet_code code = analysis_new(&used, paired, &analysis, reterr);
    if (code == DUET_OK) {
        code = analysis_trace_times_init(&tracing.times, reterr);
    }
    if (code == DUET_OK) {
        code = read_runs(store, answer, analysis, &tracing, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_trace_times_finish(&tracing.times, reterr);
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
