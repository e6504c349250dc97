/* What several stop rules need. */
#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/bootstrap/blocklength.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <stdlib.h>
#include <string.h>

enum duet_code analysis_stop_statistic(const struct stats_statistic *statistic,
                                       const double *values, size_t count,
                                       double *ret_value, struct duet_error *reterr)
{
    if (statistic->kind == STATS_STATISTIC_MEAN) {
        return stats_mean(values, count, ret_value, reterr);
    }
    double *copy = alloc_array(count, sizeof *copy);
    if (copy == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    memcpy(copy, values, count * sizeof *copy);
    enum duet_code code =
        stats_quantile_type7(copy, count, statistic->fraction, ret_value, reterr);
    free(copy);
    return code;
}

enum duet_code stop_block_length(const struct stop_test *test, size_t points,
                                 double *ret_length, struct duet_error *reterr)
{
    struct stats_block_lengths lengths = {1.0, 1.0, 0.0};
    enum duet_code code = DUET_OK;
    if (points >= STATS_BLOCK_LENGTH_VALUES_MIN) {
        code = stats_block_lengths_estimate(test->values, points, &lengths, reterr);
    }
    *ret_length = lengths.circular;
    return code;
}

void stop_within(struct stop_test *test, double low, double high, bool at_most,
                 size_t points, size_t of_points)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    for (size_t i = 0; i < question->error_count; i++) {
        double error = question->errors[i];
        bool within =
            at_most ? -error <= low && high <= error : -error < low && high < error;
        if (!test->stops[i].stopped && within) {
            test->stops[i] = (struct analysis_stop){.stopped = true,
                                                    .points = points,
                                                    .of_points = of_points,
                                                    .low = low,
                                                    .high = high};
            test->pending--;
        }
    }
}

struct stop_tally stop_tally_of(size_t replicates, double outside)
{
    /* An end is a type 7 quantile, between the replicates of the two ranks around
     * outside * (replicates - 1): with one more beyond, it is beyond. */
    double rank = outside * (double)(replicates - 1);
    return (struct stop_tally){.limit = (size_t)rank + 2};
}

void stop_tally_add(struct stop_tally *tally, const struct stop_test *test,
                    double relative)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    for (size_t i = 0; i < question->error_count; i++) {
        tally->low[i] += relative < -question->errors[i];
        tally->high[i] += relative > question->errors[i];
    }
}

bool stop_tally_is_lost(const struct stop_tally *tally, const struct stop_test *test)
{
    for (size_t i = 0; i < test->stopper->question.error_count; i++) {
        if (!test->stops[i].stopped && tally->low[i] < tally->limit &&
            tally->high[i] < tally->limit) {
            return false;
        }
    }
    return true;
}
