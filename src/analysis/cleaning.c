#include "analysis/cleaning.h"

#include "base/alloc.h"
#include "stats/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The error's message, with the run and the side put before it. */
static enum duet_code at_side(enum duet_code code,
                              const struct model_run_values *values,
                              enum model_side side, const struct duet_error *why,
                              struct duet_error *reterr)
{
    return code == DUET_OK
               ? code
               : error_set(reterr, code, "run %" PRIu64 ", side %s: %s", values->run,
                           model_side_name(side), why->message);
}

static void drop_first(struct model_run_values *values, enum model_side side,
                       size_t count)
{
    double *times = values->values[side];
    values->counts[side] -= count;
    memmove(times, times + count, values->counts[side] * sizeof *times);
}

static enum duet_code drop_warmup(const struct analysis_cleaning *cleaning, bool paired,
                                  struct model_run_values *values,
                                  struct duet_error *reterr)
{
    size_t dropped[MODEL_SIDES] = {0};
    for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
        if (values->counts[side] == 0) {
            continue; /* of an unpaired run the other side only */
        }
        struct duet_error why;
        enum duet_code code = stats_warmup_length(
            values->values[side], values->counts[side], cleaning->warmup,
            (size_t)cleaning->warmup_count, &dropped[side], &why);
        if (code != DUET_OK) {
            return at_side(code, values, side, &why, reterr);
        }
    }
    if (paired) {
        size_t longer = dropped[MODEL_OLD] > dropped[MODEL_NEW] ? dropped[MODEL_OLD]
                                                                : dropped[MODEL_NEW];
        dropped[MODEL_OLD] = longer;
        dropped[MODEL_NEW] = longer;
    }
    for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
        drop_first(values, side, dropped[side]);
    }
    return DUET_OK;
}

static enum duet_code drop_alone(struct model_run_values *values, enum model_side side,
                                 uint64_t *dropped, struct duet_error *reterr)
{
    if (values->counts[side] == 0) {
        return DUET_OK;
    }
    struct duet_error why;
    size_t kept = 0;
    enum duet_code code =
        stats_drop_magnitude(values->values[side], values->counts[side], &kept, &why);
    if (code == DUET_OK) {
        *dropped += values->counts[side] - kept;
        values->counts[side] = kept;
    }
    return at_side(code, values, side, &why, reterr);
}

static enum duet_code limit_of(const double *times, size_t count, double *scratch,
                               double *ret_limit, struct duet_error *reterr)
{
    double median = 0.0;
    memcpy(scratch, times, count * sizeof *scratch);
    enum duet_code code = stats_quantile_type7(scratch, count, 0.5, &median, reterr);
    *ret_limit = STATS_MAGNITUDE * median;
    return code;
}

/* A pair goes when either of its values does. More than half of the values of a side
 * are below its median's ten-fold, but it may be other pairs on the other side. */
static enum duet_code drop_pairs(struct model_run_values *values, uint64_t *dropped,
                                 struct duet_error *reterr)
{
    size_t count = values->counts[MODEL_OLD];
    double *scratch = alloc_array(count, sizeof *scratch);
    if (scratch == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu observations", count);
    }
    double *old_times = values->values[MODEL_OLD];
    double *new_times = values->values[MODEL_NEW];
    double old_limit = 0.0;
    double new_limit = 0.0;
    enum duet_code code = limit_of(old_times, count, scratch, &old_limit, reterr);
    if (code == DUET_OK) {
        code = limit_of(new_times, count, scratch, &new_limit, reterr);
    }
    free(scratch);
    if (code != DUET_OK) {
        return code;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (old_times[i] < old_limit && new_times[i] < new_limit) {
            old_times[kept] = old_times[i];
            new_times[kept++] = new_times[i];
        }
    }
    if (kept == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "run %" PRIu64 ": every pair has a time of ten times its "
                         "side's median; analyse it without dropping those",
                         values->run);
    }
    *dropped += 2 * (count - kept);
    values->counts[MODEL_OLD] = kept;
    values->counts[MODEL_NEW] = kept;
    return DUET_OK;
}

enum duet_code analysis_clean(const struct analysis_cleaning *cleaning, bool paired,
                              struct model_run_values *values, uint64_t *ret_dropped,
                              struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    uint64_t dropped = 0;
    if (cleaning->warmup != STATS_WARMUP_NONE) {
        code = drop_warmup(cleaning, paired, values, reterr);
    }
    if (code == DUET_OK && cleaning->drop_magnitude) {
        if (paired) {
            code = drop_pairs(values, &dropped, reterr);
        } else {
            code = drop_alone(values, MODEL_OLD, &dropped, reterr);
            code = code == DUET_OK ? drop_alone(values, MODEL_NEW, &dropped, reterr)
                                   : code;
        }
    }
    if (code == DUET_OK) {
        *ret_dropped = dropped;
    }
    return code;
}
