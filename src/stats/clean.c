#include "stats/clean.h"

#include "stats/series.h"

#include <stdbool.h>

static enum duet_code before_steady(const double *values, size_t count,
                                    size_t *ret_dropped, struct duet_error *reterr)
{
    struct stats_steady_options options = stats_steady_options_default();
    size_t start = 0;
    bool steady = false;
    enum duet_code code =
        stats_steady_find(values, count, &options, &start, &steady, reterr);
    if (code == DUET_OK && !steady) {
        code = error_set(
            reterr, DUET_E_DOMAIN,
            "the series reaches no steady state: it last changes at value %zu of %zu; do more iterations in each run, or drop a fixed number",
            start + 1, count);
    }
    if (code == DUET_OK) {
        *ret_dropped = start;
    }
    return code;
}

enum duet_code stats_warmup_length(const double *values, size_t count,
                                   enum stats_warmup warmup, size_t named,
                                   size_t *ret_dropped, struct duet_error *reterr)
{
    size_t dropped = 0;
    if (warmup == STATS_WARMUP_STEADY) {
        return before_steady(values, count, ret_dropped, reterr);
    }
    if (warmup == STATS_WARMUP_HALF) {
        dropped = count / 2;
    } else if (warmup == STATS_WARMUP_COUNT) {
        dropped = named;
    }
    if (dropped >= count) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "of %zu value%s, dropping %zu as warm-up leaves none; drop "
                         "fewer, or do more iterations in each run",
                         count, count == 1 ? "" : "s", dropped);
    }
    *ret_dropped = dropped;
    return DUET_OK;
}
