/* Steady, the project's own: is the result known well enough, and has it stayed where
 * it was? (docs/decisions/0010-own-stop-rule.md)
 *
 * After one interval and then after each further half, the result of all measurements
 * so far gets a block-bootstrap interval that is wide enough for what few blocks can
 * know, widened by how far the result has moved since the test was half as long, by
 * what the first two intervals have not shown yet, and by how often was looked. The
 * test stops when that lies within the allowed error. Unlike Metior it measures nothing
 * only to compare with, and reports all that it has measured. */
#include "analysis/random_uses.h"
#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/bootstrap/blockreplicate.h"
#include "stats/gaussian.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 50, REPLICATE_BITS = 20 };

/* Dependence that reaches further than the Politis-White length sees, such as a
 * machine's neighbours staying for hours, must fit into a block: no block is shorter
 * than this share of the series. */
static const double blocks_most = 8.0;
static const double first_look = 1.0; /* intervals */
static const double look_every = 0.5;
static const double shift_share = 0.5; /* of its square, beside the variance's */
/* Of the width: for each interval that is missing of two, and for each doubling beyond.
 */
static const double early_growth = 3.0;
static const double late_growth = 0.05;

/* What the bootstrap of so many blocks has to be stretched by: its variance is short of
 * one block in `blocks`, and it does not know that a spread estimated from few is
 * uncertain (Student's t instead of the normal distribution). */
static enum duet_code stretch_of(double blocks, double confidence, double *ret_stretch,
                                 struct duet_error *reterr)
{
    double t = 0.0;
    double probability = 0.5 * (1.0 + confidence);
    double known = fmax(blocks, 2.0);
    enum duet_code code = stats_t_quantile(probability, known - 1.0, &t, reterr);
    *ret_stretch =
        sqrt(known / (known - 1.0)) * t / stats_gaussian_quantile(probability);
    return code;
}

/* What an interval after so many intervals of time is widened by. Before two of them no
 * time of day was seen twice; later each look is another chance to be wrong. */
static double growth_after(double intervals)
{
    return intervals < 2.0 ? 1.0 + early_growth * (2.0 - intervals)
                           : 1.0 + late_growth * log2(0.5 * intervals);
}

/* The result of the first `points`, and by which share of it that of half of them lies
 * elsewhere. */
static enum duet_code result_of(const struct stop_test *test, size_t points,
                                double *ret_result, double *ret_shift,
                                struct duet_error *reterr)
{
    const struct stats_statistic *statistic = &test->stopper->question.statistic;
    double half = 0.0;
    enum duet_code code =
        analysis_stop_statistic(statistic, test->values, points, ret_result, reterr);
    if (code == DUET_OK) {
        code = analysis_stop_statistic(statistic, test->values, (points + 1) / 2, &half,
                                       reterr);
    }
    *ret_shift = code == DUET_OK ? half / *ret_result - 1.0 : 0.0;
    return code;
}

/* What one look needs to know. */
struct look {
    size_t points;
    uint64_t number;
    double result;
    double shift;
    double stretch;
    double growth;
};

/* Makes the replicates' deviations; false when so many lie beyond every pending error
 * that the rest need not be made. */
static bool make_deviations(const struct stop_test *test, const struct look *look,
                            struct stats_block_replicator *replicator,
                            double *ret_deviations)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    struct stop_tally tally =
        stop_tally_of(question->replicates, 0.5 * (1.0 - question->confidence));
    uint64_t stream =
        analysis_stream(ANALYSIS_USE_STOP) + (look->number << REPLICATE_BITS);
    for (size_t b = 0; b < question->replicates; b++) {
        struct stats_draw_site site = {test->seed, stream + b, 0, test->stopper->simd};
        double off = look->stretch *
                     (stats_block_replicate(replicator, &site) / look->result - 1.0);
        double moved = shift_share * look->shift * look->shift;
        double side = off == 0.0 && b % 2 == 1 ? -1.0 : off; /* of none: each in turn */
        ret_deviations[b] = copysign(look->growth * sqrt(off * off + moved), side);
        stop_tally_add(&tally, test, ret_deviations[b]);
        if (b % BATCH == BATCH - 1 && stop_tally_is_lost(&tally, test)) {
            return false;
        }
    }
    return true;
}

static enum duet_code look_at(struct stop_test *test, struct look *look,
                              double *deviations, struct duet_error *reterr)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    struct stats_block_replicator *replicator = NULL;
    struct stats_interval interval = {0};
    double length = 0.0;
    enum duet_code code =
        result_of(test, look->points, &look->result, &look->shift, reterr);
    if (code == DUET_OK) {
        code = stop_block_length(test, look->points, &length, reterr);
    }
    length = fmax(length, (double)look->points / blocks_most);
    struct stats_block_plan plan = stats_block_plan_circular(look->points, length);
    if (code == DUET_OK) {
        code = stretch_of((double)look->points / (double)plan.length,
                          question->confidence, &look->stretch, reterr);
    }
    if (code == DUET_OK) {
        code = stats_block_replicator_new(test->values, look->points, &plan,
                                          &question->statistic, &replicator, reterr);
    }
    if (code == DUET_OK && make_deviations(test, look, replicator, deviations)) {
        code = stats_interval_percentile(deviations, question->replicates,
                                         question->confidence, &interval, reterr);
        if (code == DUET_OK) {
            stop_within(test, interval.low, interval.high, false, look->points,
                        look->points);
        }
    }
    stats_block_replicator_free(replicator);
    return code;
}

static double intervals_of(uint64_t number)
{
    return first_look + look_every * (double)number;
}

/* Whole points of the look, which need to be there; false: no test is so long. */
static bool points_of(const struct analysis_stop_question *question, uint64_t number,
                      size_t *ret_points)
{
    double at = floor(intervals_of(number) * question->interval);
    bool possible = at < (double)(SIZE_MAX / 2);
    *ret_points = possible ? (size_t)at : 0;
    return possible;
}

size_t stop_steady_looks(const struct analysis_stop_question *question, size_t points)
{
    /* Rounding is off by one at most. */
    double past = ((double)points / question->interval - first_look) / look_every;
    uint64_t number = past < 1.0 ? 0 : (uint64_t)past - 1;
    size_t wanted = 0;
    while (points_of(question, number, &wanted) && wanted <= points) {
        number++;
    }
    return number;
}

enum duet_code stop_by_steadiness(struct stop_test *test, struct duet_error *reterr)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    enum duet_code code = DUET_OK;
    double *deviations = alloc_array(question->replicates, sizeof *deviations);
    if (deviations == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    for (uint64_t number = 0; code == DUET_OK && test->pending > 0; number++) {
        struct look look = {.number = number,
                            .growth = growth_after(intervals_of(number))};
        if (!points_of(question, number, &look.points) || look.points > test->count) {
            break;
        }
        if (look.points > 1) { /* one value has no spread */
            code = look_at(test, &look, deviations, reterr);
        }
    }
    free(deviations);
    return code;
}
