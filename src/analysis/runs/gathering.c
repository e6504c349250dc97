#include "analysis/runs/gathering.h"

#include "base/alloc.h"

#include <stdlib.h>

static enum duet_code reserve_one(struct analysis_gathering *gathering,
                                  struct duet_error *reterr)
{
    if (gathering->count < gathering->capacity) {
        return DUET_OK;
    }
    size_t capacity = gathering->capacity == 0 ? 16 : 2 * gathering->capacity;
    bool late = gathering->cleaning.drop_magnitude;
    size_t size = late ? sizeof *gathering->cleaned : sizeof *gathering->digests;
    void *held = late ? (void *)gathering->cleaned : (void *)gathering->digests;
    void *grown = alloc_resize(held, capacity, size);
    if (grown != NULL && late) {
        gathering->cleaned = grown;
        grown = alloc_resize(gathering->warmup, capacity, sizeof *gathering->warmup);
        gathering->warmup = grown != NULL ? grown : gathering->warmup;
    } else if (grown != NULL) {
        gathering->digests = grown;
    }
    if (grown == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", capacity);
    }
    gathering->capacity = capacity;
    return DUET_OK;
}

enum duet_code analysis_gathering_add(struct analysis_gathering *gathering,
                                      struct model_run_values *values,
                                      struct duet_error *reterr)
{
    const struct model_cleaning *cleaning = &gathering->cleaning;
    bool paired = gathering->needs.paired;
    size_t at = gathering->count;
    uint64_t warmup = 0;
    enum duet_code code = reserve_one(gathering, reterr);
    if (code == DUET_OK) {
        code = analysis_values_check(values, paired, reterr);
    }
    if (code == DUET_OK && cleaning->warmup != MODEL_WARMUP_NONE) {
        code = analysis_drop_warmup(cleaning, paired, values, &warmup, reterr);
    }
    if (code == DUET_OK && cleaning->drop_magnitude) {
        code = analysis_run_copy(values, &gathering->cleaned[at], reterr);
        gathering->warmup[at] = warmup;
    } else if (code == DUET_OK) {
        code = analysis_digest_init(&gathering->needs, values, &gathering->digests[at],
                                    reterr);
        if (code == DUET_OK) {
            gathering->digests[at].dropped_warmup = warmup;
        }
    }
    gathering->count += code == DUET_OK;
    return code;
}

/* Run r without its outliers, as the next of the digests. */
static enum duet_code digest_late(const struct analysis_gathering *gathering, size_t r,
                                  const double limits[MODEL_SIDES],
                                  struct analysis_digests *digests,
                                  struct duet_error *reterr)
{
    struct model_run_values run;
    enum duet_code code = analysis_run_copy(&gathering->cleaned[r], &run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    uint64_t dropped = analysis_drop_magnitude(limits, gathering->needs.paired, &run);
    if (run.counts[MODEL_OLD] == 0 && run.counts[MODEL_NEW] == 0) {
        digests->emptied += dropped;
    } else {
        struct analysis_digest *digest = &digests->own[digests->count];
        code = analysis_digest_init(&gathering->needs, &run, digest, reterr);
        if (code == DUET_OK) {
            digest->dropped_outliers = dropped;
            digest->dropped_warmup = gathering->warmup[r];
            digests->count++;
        }
    }
    model_run_values_release(&run);
    return code;
}

enum duet_code analysis_gathering_digests(const struct analysis_gathering *gathering,
                                          struct analysis_digests *ret_digests,
                                          struct duet_error *reterr)
{
    if (gathering->count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "there is no run to analyse; measure at least one");
    }
    struct analysis_digests digests = {0};
    if (!gathering->cleaning.drop_magnitude) {
        digests.digests = gathering->digests;
        digests.count = gathering->count;
        *ret_digests = digests;
        return DUET_OK;
    }
    double limits[MODEL_SIDES] = {0};
    enum duet_code code =
        analysis_magnitude_limits(gathering->cleaned, gathering->count, limits, reterr);
    if (code != DUET_OK) {
        return code;
    }
    digests.own = alloc_array(gathering->count, sizeof *digests.own);
    if (digests.own == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         gathering->count);
    }
    for (size_t r = 0; r < gathering->count && code == DUET_OK; r++) {
        code = digest_late(gathering, r, limits, &digests, reterr);
    }
    if (code == DUET_OK && digests.count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW,
                         "each pair has a time of ten times its side's median; analyse "
                         "without dropping those");
    }
    if (code != DUET_OK) {
        analysis_digests_release(&digests);
        return code;
    }
    digests.digests = digests.own;
    *ret_digests = digests;
    return DUET_OK;
}

void analysis_digests_release(struct analysis_digests *digests)
{
    for (size_t i = 0; digests->own != NULL && i < digests->count; i++) {
        analysis_digest_release(&digests->own[i]);
    }
    free(digests->own);
    *digests = (struct analysis_digests){0};
}

void analysis_gathering_release(struct analysis_gathering *gathering)
{
    for (size_t i = 0; i < gathering->count; i++) {
        if (gathering->cleaning.drop_magnitude) {
            model_run_values_release(&gathering->cleaned[i]);
        } else {
            analysis_digest_release(&gathering->digests[i]);
        }
    }
    free(gathering->digests);
    free(gathering->cleaned);
    free(gathering->warmup);
    *gathering = (struct analysis_gathering){.needs = gathering->needs,
                                             .cleaning = gathering->cleaning};
}
