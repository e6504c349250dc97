#include "analysis/runs/run_collector.h"

#include "analysis/runs/long_summary.h"
#include "base/alloc.h"

#include <stdlib.h>

static enum duet_code reserve_one(struct analysis_run_collector *collector,
                                  struct duet_error *reterr)
{
    if (collector->count < collector->capacity) {
        return DUET_OK;
    }
    size_t capacity = collector->capacity == 0 ? 16 : 2 * collector->capacity;
    bool late = collector->cleaning.drop_magnitude;
    size_t size = late ? sizeof *collector->cleaned : sizeof *collector->summaries;
    void *held = late ? (void *)collector->cleaned : (void *)collector->summaries;
    void *grown = alloc_resize(held, capacity, size);
    if (grown != NULL && late) {
        collector->cleaned = grown;
        grown = alloc_resize(collector->warmup, capacity, sizeof *collector->warmup);
        collector->warmup = grown != NULL ? grown : collector->warmup;
    } else if (grown != NULL) {
        collector->summaries = grown;
    }
    if (grown == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", capacity);
    }
    collector->capacity = capacity;
    return DUET_OK;
}

enum duet_code analysis_run_collector_add(struct analysis_run_collector *collector,
                                          struct model_run_values *values,
                                          struct duet_error *reterr)
{
    const struct model_cleaning *cleaning = &collector->cleaning;
    bool paired = collector->needs.paired;
    size_t at = collector->count;
    uint64_t warmup = 0;
    enum duet_code code = reserve_one(collector, reterr);
    if (code == DUET_OK) {
        code = analysis_values_check(values, paired, reterr);
    }
    if (code == DUET_OK && cleaning->warmup != MODEL_WARMUP_NONE) {
        code = analysis_drop_warmup(cleaning, paired, values, &warmup, reterr);
    }
    if (code == DUET_OK && cleaning->drop_magnitude) {
        code = analysis_run_copy(values, &collector->cleaned[at], reterr);
        collector->warmup[at] = warmup;
    } else if (code == DUET_OK) {
        code = values->spools != NULL
                   ? analysis_long_summary_init(&collector->needs, values,
                                                &collector->summaries[at], reterr)
                   : analysis_run_summary_init(&collector->needs, values,
                                               &collector->summaries[at], reterr);
        if (code == DUET_OK) {
            collector->summaries[at].dropped_warmup = warmup;
        }
    }
    collector->count += code == DUET_OK;
    return code;
}

/* Run r without its outliers, as the next of the summaries. */
static enum duet_code summarise_late(const struct analysis_run_collector *collector,
                                     size_t r, const double limits[MODEL_SIDES],
                                     struct analysis_run_summaries *summaries,
                                     struct duet_error *reterr)
{
    struct model_run_values run;
    enum duet_code code = analysis_run_copy(&collector->cleaned[r], &run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    uint64_t dropped = analysis_drop_magnitude(limits, collector->needs.paired, &run);
    if (run.counts[MODEL_OLD] == 0 && run.counts[MODEL_NEW] == 0) {
        summaries->emptied += dropped;
    } else {
        struct analysis_run_summary *summary = &summaries->own[summaries->count];
        code = analysis_run_summary_init(&collector->needs, &run, summary, reterr);
        if (code == DUET_OK) {
            summary->dropped_outliers = dropped;
            summary->dropped_warmup = collector->warmup[r];
            summaries->count++;
        }
    }
    model_run_values_release(&run);
    return code;
}

enum duet_code
analysis_run_collector_summaries(const struct analysis_run_collector *collector,
                                 struct analysis_run_summaries *ret_summaries,
                                 struct duet_error *reterr)
{
    if (collector->count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "no run to analyse; measure at least one");
    }
    struct analysis_run_summaries summaries = {0};
    if (!collector->cleaning.drop_magnitude) {
        summaries.summaries = collector->summaries;
        summaries.count = collector->count;
        *ret_summaries = summaries;
        return DUET_OK;
    }
    double limits[MODEL_SIDES] = {0};
    enum duet_code code =
        analysis_magnitude_limits(collector->cleaned, collector->count, limits, reterr);
    if (code != DUET_OK) {
        return code;
    }
    summaries.own = alloc_array(collector->count, sizeof *summaries.own);
    if (summaries.own == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         collector->count);
    }
    for (size_t r = 0; r < collector->count && code == DUET_OK; r++) {
        code = summarise_late(collector, r, limits, &summaries, reterr);
    }
    if (code == DUET_OK && summaries.count == 0) {
        code =
            error_set(reterr, DUET_E_TOO_FEW,
                      "every pair has a time of ten times its side's median; leave out "
                      "--drop-outliers");
    }
    if (code != DUET_OK) {
        analysis_run_summaries_release(&summaries);
        return code;
    }
    summaries.summaries = summaries.own;
    *ret_summaries = summaries;
    return DUET_OK;
}

void analysis_run_summaries_release(struct analysis_run_summaries *summaries)
{
    for (size_t i = 0; summaries->own != NULL && i < summaries->count; i++) {
        analysis_run_summary_release(&summaries->own[i]);
    }
    free(summaries->own);
    *summaries = (struct analysis_run_summaries){0};
}

void analysis_run_collector_release(struct analysis_run_collector *collector)
{
    for (size_t i = 0; i < collector->count; i++) {
        if (collector->cleaning.drop_magnitude) {
            model_run_values_release(&collector->cleaned[i]);
        } else {
            analysis_run_summary_release(&collector->summaries[i]);
        }
    }
    free(collector->summaries);
    free(collector->cleaned);
    free(collector->warmup);
    *collector = (struct analysis_run_collector){.needs = collector->needs,
                                                 .cleaning = collector->cleaning};
}
