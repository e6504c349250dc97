#include "analysis/plan/cadence.h"

#include "base/alloc.h"
#include "stats/bootstrap/blocklength.h"
#include "stats/series.h"

#include <math.h>
#include <stdlib.h>

enum { THINNING_MAX = 1000 };

static enum duet_code lag1(const double *values, size_t count, double *ret_correlation,
                           struct duet_error *reterr)
{
    double correlations[2];
    enum duet_code code = stats_autocorrelation(values, count, 1, correlations, reterr);
    if (code == DUET_OK) {
        *ret_correlation = correlations[1];
    }
    return code;
}

/* The mean over the series of every `thinning`-th point, without those that are
 * constant, as a coarse clock makes them; NaN: all are. `room`: for the longest. */
static enum duet_code lag1_thinned(const double *values, size_t count, size_t thinning,
                                   double *room, double *ret_correlation,
                                   struct duet_error *reterr)
{
    double sum = 0.0;
    size_t known = 0;
    for (size_t offset = 0; offset < thinning; offset++) {
        struct duet_error error;
        double correlation = 0.0;
        size_t kept = 0;
        for (size_t i = offset; i < count; i += thinning) {
            room[kept++] = values[i];
        }
        enum duet_code code = lag1(room, kept, &correlation, &error);
        if (code != DUET_OK && code != DUET_E_DOMAIN) {
            return error_set(reterr, code, "%s", error.message);
        }
        sum += correlation;
        known += code == DUET_OK;
    }
    *ret_correlation = known > 0 ? sum / (double)known : (double)NAN;
    return DUET_OK;
}

static enum duet_code thin(const double *values, size_t count, double loss,
                           struct analysis_cadence *found, struct duet_error *reterr)
{
    size_t most = count / (ANALYSIS_CADENCE_POINTS_MIN / 2);
    most = most < THINNING_MAX ? most : THINNING_MAX;
    double *room = alloc_array(count, sizeof *room);
    if (room == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    enum duet_code code = DUET_OK;
    for (size_t thinning = 2; thinning <= most && !found->limited && code == DUET_OK;
         thinning++) {
        double correlation = 0.0;
        code = lag1_thinned(values, count, thinning, room, &correlation, reterr);
        if (code == DUET_OK && correlation > found->correlation - loss) {
            found->thinning = thinning;
            found->thinned = correlation;
        } else if (code == DUET_OK) {
            found->limited = true;
        }
    }
    free(room);
    return code;
}

enum duet_code analysis_cadence_derive(const double *values, size_t count, double loss,
                                       struct analysis_cadence *ret_found,
                                       struct duet_error *reterr)
{
    if (count < ANALYSIS_CADENCE_POINTS_MIN) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "%zu measurements are too few to derive a timetable from; at least %d "
            "are needed",
            count, ANALYSIS_CADENCE_POINTS_MIN);
    }
    struct analysis_cadence found = {.thinning = 1};
    struct stats_block_lengths lengths = {0};
    enum duet_code code = lag1(values, count, &found.correlation, reterr);
    if (code == DUET_OK) {
        code = stats_block_lengths_estimate(values, count, &lengths, reterr);
    }
    if (code == DUET_OK) {
        found.block_length = lengths.circular;
        found.block_cut = lengths.circular >= lengths.most && lengths.most > 0.0;
        found.thinned = found.correlation;
        code = thin(values, count, loss, &found, reterr);
    }
    if (code == DUET_OK) {
        *ret_found = found;
    }
    return code;
}
