/* Metior: has another interval of measurements changed the result? He 2021, s.III-B,
 * and the published program, which differs from it (docs/stopping.md). */
#include "analysis/random_uses.h"
#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/bootstrap/blockreplicate.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>

enum {
    BATCH = 50,
    REPLICATE_BITS = 20,
    /* The program's: an interval is a day, a block is at least 6 hours. */
    HOURS_OF_DAY = 24,
    HOURS_OF_BLOCK = 6,
    ARTIFACT_DAYS = 14
};

/* The replicates of one set of measurements, made as they are needed. */
struct side {
    struct stats_block_replicator *replicator;
    double *replicates;
    size_t made;
    uint64_t stream;
};

static void side_release(struct side *side)
{
    stats_block_replicator_free(side->replicator);
    free(side->replicates);
    *side = (struct side){0};
}

static enum duet_code side_init(const struct stop_test *test, size_t points,
                                const struct stats_block_plan *plan, uint64_t number,
                                struct side *ret_side, struct duet_error *reterr)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    struct side made = {.stream = analysis_stream(ANALYSIS_USE_STOP) +
                                  (number << REPLICATE_BITS)};
    made.replicates = alloc_array(question->replicates, sizeof(double));
    if (made.replicates == NULL) {
        (void)error_set(reterr, DUET_E_NOMEM, "no memory for %zu replicates",
                        question->replicates);
        return DUET_E_NOMEM;
    }
    enum duet_code code = stats_block_replicator_new(
        test->values, points, plan, &question->statistic, &made.replicator, reterr);
    if (code != DUET_OK) {
        side_release(&made);
        return code;
    }
    *ret_side = made;
    return DUET_OK;
}

static void side_make(const struct stop_test *test, struct side *side, size_t wanted)
{
    for (; side->made < wanted; side->made++) {
        struct stats_draw_site site = {test->seed, side->stream + side->made, 0,
                                       test->stopper->simd};
        side->replicates[side->made] = stats_block_replicate(side->replicator, &site);
    }
}

/* The change from `before` to `after` as a share of `base`. */
static double change(double before, double after, bool artifact)
{
    return artifact ? fabs(before - after) / after : (after - before) / before;
}

/* Makes the changes between both sides' replicates; false when so many lie beyond every
 * pending error that the rest need not be made. */
static bool make_changes(const struct stop_test *test, struct side *before,
                         struct side *after, bool artifact, double *ret_changes)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    double outside = 1.0 - question->confidence;
    struct stop_tally tally =
        stop_tally_of(question->replicates, artifact ? outside : 0.5 * outside);
    size_t done = 0;
    while (done < question->replicates && !stop_tally_is_lost(&tally, test)) {
        size_t left = question->replicates - done;
        size_t until = done + (left < BATCH ? left : BATCH);
        side_make(test, before, until);
        side_make(test, after, until);
        for (; done < until; done++) {
            ret_changes[done] =
                change(before->replicates[done], after->replicates[done], artifact);
            stop_tally_add(&tally, test, ret_changes[done]);
        }
    }
    return done == question->replicates && !stop_tally_is_lost(&tally, test);
}

/* The interval of the change; the program's is the range up to a quantile of the
 * magnitude. */
static enum duet_code look(struct stop_test *test, struct side *before,
                           struct side *after, bool artifact, double *changes,
                           bool *ret_complete, struct stats_interval *ret_interval,
                           struct duet_error *reterr)
{
    const struct analysis_stop_question *question = &test->stopper->question;
    *ret_complete = make_changes(test, before, after, artifact, changes);
    if (!*ret_complete) {
        return DUET_OK;
    }
    if (!artifact) {
        return stats_interval_percentile(changes, question->replicates,
                                         question->confidence, ret_interval, reterr);
    }
    enum duet_code code =
        stats_quantile_type7(changes, question->replicates, question->confidence,
                             &ret_interval->high, reterr);
    ret_interval->low = -ret_interval->high;
    return code;
}

/* The first `days` intervals with blocks of their own length. */
static enum duet_code side_of_days(const struct stop_test *test, size_t days,
                                   struct side *ret_side, struct duet_error *reterr)
{
    size_t points = days * test->stopper->day;
    double length = 0.0;
    enum duet_code code = stop_block_length(test, points, &length, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_block_plan plan = stats_block_plan_circular(points, length);
    return side_init(test, points, &plan, days, ret_side, reterr);
}

enum duet_code stop_by_metior(struct stop_test *test, struct duet_error *reterr)
{
    size_t day = test->stopper->day;
    struct side before = {0};
    struct side after = {0};
    if (2 * day > test->count) {
        return DUET_OK;
    }
    double *changes = alloc_array(test->stopper->question.replicates, sizeof *changes);
    if (changes == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    enum duet_code code = side_of_days(test, 1, &before, reterr);
    for (size_t days = 2;
         code == DUET_OK && test->pending > 0 && days * day <= test->count; days++) {
        struct stats_interval interval = {0};
        bool complete = false;
        code = side_of_days(test, days, &after, reterr);
        if (code == DUET_OK) {
            code = look(test, &before, &after, false, changes, &complete, &interval,
                        reterr);
        }
        if (code == DUET_OK && complete) {
            stop_within(test, interval.low, interval.high, false, days * day,
                        (days - 1) * day);
        }
        side_release(&before);
        before = after;
        after = (struct side){0};
    }
    side_release(&before);
    free(changes);
    return code;
}

/* The program's resamples: floor((n - b) / b) blocks that begin at one of the first
 * n - b points. */
static struct stats_block_plan artifact_plan(size_t points, size_t length)
{
    size_t starts = points > length ? points - length : 0;
    return (struct stats_block_plan){length, starts / length, length, starts};
}

/* One step of the program: `days` intervals against one more, with the block length of
 * the fewer. */
static enum duet_code artifact_step(struct stop_test *test, size_t days,
                                    double *changes, struct duet_error *reterr)
{
    const struct analysis_stopper *stopper = test->stopper;
    size_t points = days * stopper->day;
    size_t least =
        HOURS_OF_BLOCK * (size_t)ceil(stopper->question.interval / HOURS_OF_DAY);
    double optimal = 0.0;
    enum duet_code code = stop_block_length(test, points, &optimal, reterr);
    size_t length = (size_t)ceil(optimal);
    length = length < least ? least : length;
    struct stats_block_plan fewer = artifact_plan(points, length);
    struct stats_block_plan more = artifact_plan(points + stopper->day, length);
    if (code != DUET_OK || fewer.blocks == 0) {
        return code;
    }
    struct side before = {0};
    struct side after = {0};
    struct stats_interval interval = {0};
    bool complete = false;
    code = side_init(test, points, &fewer, 2 * days, &before, reterr);
    if (code == DUET_OK) {
        code =
            side_init(test, points + stopper->day, &more, 2 * days + 1, &after, reterr);
    }
    if (code == DUET_OK) {
        code = look(test, &before, &after, true, changes, &complete, &interval, reterr);
    }
    if (code == DUET_OK && complete) {
        stop_within(test, interval.low, interval.high, true, points + stopper->day,
                    points + stopper->day);
    }
    side_release(&before);
    side_release(&after);
    return code;
}

enum duet_code stop_by_metior_artifact(struct stop_test *test,
                                       struct duet_error *reterr)
{
    double *changes = alloc_array(test->stopper->question.replicates, sizeof *changes);
    if (changes == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    enum duet_code code = DUET_OK;
    for (size_t days = 1;
         code == DUET_OK && test->pending > 0 && days + 2 <= ARTIFACT_DAYS &&
         (days + 1) * test->stopper->day <= test->count;
         days++) {
        code = artifact_step(test, days, changes, reterr);
    }
    free(changes);
    return code;
}
