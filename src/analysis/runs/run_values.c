#include "analysis/runs/run_values.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>

static enum duet_code refuse(const struct model_run_values *values,
                             enum model_side side, size_t at, double value,
                             struct duet_error *reterr)
{
    const char *advice =
        value == 0.0 ? "the clock is too coarse for it: do more work in an iteration"
                     : "only positive, finite values can be compared";
    return error_set(
        reterr, DUET_E_DOMAIN,
        "run %" PRIu64
        ", side %s, iteration %zu (of those analysed): the value is %g; %s",
        values->run + 1, model_side_name(side), at + 1, value, advice);
}

static enum duet_code check_side(const struct model_run_values *values,
                                 enum model_side side, struct duet_error *reterr)
{
    enum { BLOCK = 512 };
    double block[BLOCK];
    size_t count = values->counts[side];
    for (size_t at = 0; at < count; at += BLOCK) {
        enum duet_code code =
            model_run_values_copy(values, side, at, block, BLOCK, reterr);
        if (code != DUET_OK) {
            return code;
        }
        for (size_t i = 0; i < BLOCK && at + i < count; i++) {
            if (!(isfinite(block[i]) && block[i] > 0.0)) {
                return refuse(values, side, at + i, block[i], reterr);
            }
        }
    }
    return DUET_OK;
}

enum duet_code analysis_values_check(const struct model_run_values *values, bool paired,
                                     struct duet_error *reterr)
{
    size_t old_count = values->counts[MODEL_OLD];
    size_t new_count = values->counts[MODEL_NEW];
    if (old_count == 0 && new_count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "run %" PRIu64 " has no observation left; drop fewer warm-up "
                         "iterations, or measure more",
                         values->run + 1);
    }
    if (paired && old_count != new_count) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "run %" PRIu64
            " has %zu observations of the old side and %zu of the new one, but pairs need equal numbers",
            values->run + 1, old_count, new_count);
    }
    enum duet_code code = check_side(values, MODEL_OLD, reterr);
    return code == DUET_OK ? check_side(values, MODEL_NEW, reterr) : code;
}

enum stats_winsor_rule analysis_winsor_rule(enum model_winsorize how)
{
    return how == MODEL_WINSORIZE_RANGE ? STATS_WINSOR_RANGE : STATS_WINSOR_FACTOR;
}

uint64_t analysis_winsorize_run(struct model_run_values *values,
                                enum model_winsorize how)
{
    uint64_t replaced = 0;
    if (how == MODEL_WINSORIZE_OFF) {
        return 0;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        replaced += stats_winsorize_one(values->values[side], values->counts[side],
                                        analysis_winsor_rule(how));
    }
    return replaced;
}

enum duet_code analysis_values_init(struct analysis_values *ret_values, size_t count,
                                    struct duet_error *reterr)
{
    double *values = alloc_array(count, sizeof *values);
    if (values == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu observations", count);
    }
    *ret_values = (struct analysis_values){values, count};
    return DUET_OK;
}

size_t analysis_thin_stride(size_t count)
{
    size_t stride =
        count / ANALYSIS_SHUFFLED_MAX + (count % ANALYSIS_SHUFFLED_MAX != 0);
    return stride > 0 ? stride : 1;
}

size_t analysis_thin_count(size_t count)
{
    size_t stride = analysis_thin_stride(count);
    return (count + stride - 1) / stride;
}

enum duet_code analysis_values_thin(const double *values, size_t count,
                                    struct analysis_values *ret_values,
                                    struct duet_error *reterr)
{
    size_t stride = analysis_thin_stride(count);
    enum duet_code code =
        analysis_values_init(ret_values, analysis_thin_count(count), reterr);
    for (size_t i = 0; code == DUET_OK && i < ret_values->count; i++) {
        ret_values->values[i] = values[i * stride];
    }
    return code;
}
