/* BasicBT: is the independent bootstrap's interval narrow enough? Maricq 2018 as He
 * 2021 takes it for a baseline; looked at after every execution. */
#include "analysis/random_uses.h"
#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/bootstrap/draw.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MIN = 10, /* Maricq 2018 begins with 10 */
    EACH_UP_TO = 100,
    BATCH = 50,
    REPLICATE_BITS = 20
};

static size_t next_look(size_t count)
{
    if (count < POINTS_MIN) {
        return POINTS_MIN;
    }
    return count + 1 + (count > EACH_UP_TO ? count / EACH_UP_TO : 0);
}

/* The bootstrap of the mean of the first `points` values. */
static enum duet_code look_at_mean(struct stop_test *test, size_t points, double mean,
                                   double *relative, struct duet_error *reterr)
{
    static const size_t from_the_first = 0;
    const struct analysis_stop_question *question = &test->stopper->question;
    struct stats_bound bound = stats_bound_of((uint32_t)points);
    struct stop_tally tally =
        stop_tally_of(question->replicates, 0.5 * (1.0 - question->confidence));
    uint64_t stream =
        analysis_stream(ANALYSIS_USE_STOP) + ((uint64_t)points << REPLICATE_BITS);
    struct stats_source source;
    for (size_t b = 0; b < question->replicates; b++) {
        double lanes[STATS_LANES] = {0};
        stats_source_init(&source, test->seed, stream + b, 0,
                          stats_bound_rows(&bound, points), test->stopper->simd);
        stats_draw_sums(&source, &bound, test->values, &from_the_first, 1, points,
                        lanes);
        relative[b] = stats_lanes_sum(lanes) / ((double)points * mean) - 1.0;
        stop_tally_add(&tally, test, relative[b]);
        if (b % BATCH == BATCH - 1 && stop_tally_is_lost(&tally, test)) {
            return DUET_OK;
        }
    }
    struct stats_interval interval = {0};
    enum duet_code code = stats_interval_percentile(
        relative, question->replicates, question->confidence, &interval, reterr);
    if (code == DUET_OK) {
        stop_within(test, interval.low, interval.high, false, points, points);
    }
    return code;
}

static enum duet_code stop_mean(struct stop_test *test, double *relative,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    double sum = 0.0;
    size_t summed = 0;
    for (size_t points = next_look(0);
         code == DUET_OK && test->pending > 0 && points <= test->count;
         points = next_look(points)) {
        for (; summed < points; summed++) {
            sum += test->values[summed];
        }
        code = look_at_mean(test, points, sum / (double)points, relative, reterr);
    }
    return code;
}

/* A quantile's interval is known without drawing (stats/rank/rankinterval.h). */
static void stop_quantile(struct stop_test *test, double *sorted)
{
    double fraction = test->stopper->question.statistic.fraction;
    size_t held = 0;
    for (size_t points = next_look(0); test->pending > 0 && points <= test->count;
         points = next_look(points)) {
        for (; held < points; held++) {
            stats_sorted_insert(sorted, held, test->values[held]);
        }
        const uint32_t *ranks = &test->stopper->ranks[2 * (points - 1)];
        double rank = fraction * (double)(points - 1);
        size_t below = (size_t)floor(rank);
        size_t above = below + 1 < points ? below + 1 : below;
        double share = rank - floor(rank);
        double estimate = sorted[below] + share * (sorted[above] - sorted[below]);
        stop_within(test, sorted[ranks[0]] / estimate - 1.0,
                    sorted[ranks[1]] / estimate - 1.0, false, points, points);
    }
}

enum duet_code stop_by_basicbt(struct stop_test *test, struct duet_error *reterr)
{
    bool is_mean = test->stopper->question.statistic.kind == STATS_STATISTIC_MEAN;
    size_t room = is_mean ? test->stopper->question.replicates : test->count;
    double *storage = alloc_array(room, sizeof *storage);
    if (storage == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    enum duet_code code = DUET_OK;
    if (is_mean) {
        code = stop_mean(test, storage, reterr);
    } else {
        stop_quantile(test, storage);
    }
    free(storage);
    return code;
}
