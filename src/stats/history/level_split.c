#include "stats/history/level_split.h"

#include "base/alloc.h"
#include "base/random.h"
#include "stats/gaussian.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double forgotten = 0.01; /* r^block, at most */
enum { BLOCKS_LEAST = 8 };

struct ranked {
    double value;
    size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *first = a;
    const struct ranked *second = b;
    return (first->value > second->value) - (first->value < second->value);
}

/* Centred scores. `order`: room for `count`. */
static void score(const double *values, size_t count, struct ranked *order,
                  double *ret_scores)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct ranked){.value = values[i], .at = i};
    }
    qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && order[end].value == order[i].value) {
            end++;
        }
        double rank = 0.5 * (double)(i + end + 1); /* from 1 */
        double one = stats_gaussian_quantile(rank / ((double)count + 1));
        for (; i < end; i++) {
            ret_scores[order[i].at] = one;
            sum += one;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ret_scores[i] -= sum / (double)count;
    }
}

/* The largest T; *ret_at is its split. weights: 1 / sqrt(k (n - k) / n), by k. */
static double clearest(const double *scores, size_t count, const double *weights,
                       size_t *ret_at)
{
    double sum = 0;
    double most = -1;
    for (size_t k = 1; k + STATS_SPLIT_LEAST <= count; k++) {
        sum += scores[k - 1];
        double statistic = k < STATS_SPLIT_LEAST ? -1 : fabs(sum) * weights[k];
        if (statistic > most) {
            most = statistic;
            *ret_at = k;
        }
    }
    return most;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

/* Of the scores, less the means of the two sides. */
static double autocorrelation(const double *scores, size_t count, size_t at)
{
    double means[2] = {mean_of(scores, at), mean_of(scores + at, count - at)};
    double products = 0;
    double squares = 0;
    double last = 0;
    for (size_t i = 0; i < count; i++) {
        double one = scores[i] - means[i >= at];
        products += i > 0 ? one * last : 0;
        squares += one * one;
        last = one;
    }
    return squares > 0 ? products / squares : 0;
}

/* What a sample without any shows by chance counts as none: half a standard error, on
 * top of what taking off two means makes it smaller by. */
static size_t block_of(const double *scores, size_t count, size_t at)
{
    double size = (double)count;
    double r = autocorrelation(scores, count, at) + 2 / size;
    if (r <= 2 / size + 0.5 / sqrt(size)) {
        return 1;
    }
    double length = r < 1 ? ceil(log(forgotten) / log(r)) : size;
    double longest = floor(size / BLOCKS_LEAST);
    return (size_t)fmax(1, fmin(length, longest));
}

/* A random order of the blocks, which begin at a random place of the first. */
static void reorder(const double *scores, size_t count, size_t block, size_t *order,
                    struct random_stream *stream, double *ret_scores)
{
    size_t first = block > 1 ? 1 + random_below(stream, (uint32_t)block) : 1;
    size_t blocks = 1 + (count - first + block - 1) / block;
    for (size_t i = 0; i < blocks; i++) {
        order[i] = i;
    }
    random_shuffle(stream, order, blocks);
    size_t filled = 0;
    for (size_t i = 0; i < blocks; i++) {
        size_t begin = order[i] == 0 ? 0 : first + (order[i] - 1) * block;
        size_t length = order[i] == 0 ? first : block;
        length = begin + length > count ? count - begin : length;
        memcpy(ret_scores + filled, scores + begin, length * sizeof *scores);
        filled += length;
    }
}

struct room {
    double *scores;
    double *shuffled;
    double *weights;
    size_t *order;
    struct ranked *ranked;
};

static bool room_make(struct room *room, size_t count)
{
    room->scores = alloc_array(count, sizeof *room->scores);
    room->shuffled = alloc_array(count, sizeof *room->shuffled);
    room->weights = alloc_array(count, sizeof *room->weights);
    room->order = alloc_array(count + 1, sizeof *room->order);
    room->ranked = alloc_array(count, sizeof *room->ranked);
    return room->scores != NULL && room->shuffled != NULL && room->weights != NULL &&
           room->order != NULL && room->ranked != NULL;
}

static void room_release(const struct room *room)
{
    free(room->scores);
    free(room->shuffled);
    free(room->weights);
    free(room->order);
    free(room->ranked);
}

static void permute(const struct room *room, size_t count,
                    const struct stats_split_options *options,
                    struct stats_split *split)
{
    /* The same orders are as clear on every machine, whatever the sums' last bits. */
    double limit = split->statistic * (1 - 1e-9);
    struct random_stream stream = random_stream_at(options->seed, options->stream);
    size_t drawn = 0;
    size_t as_clear = 0;
    while (drawn < options->replicates && as_clear < STATS_SPLIT_ENOUGH) {
        size_t at = 0;
        reorder(room->scores, count, split->block, room->order, &stream,
                room->shuffled);
        as_clear += clearest(room->shuffled, count, room->weights, &at) >= limit;
        drawn++;
    }
    split->p_value = as_clear < STATS_SPLIT_ENOUGH
                         ? ((double)as_clear + 1) / ((double)drawn + 1)
                         : (double)as_clear / (double)drawn;
}

enum duet_code stats_split_find(const double *values, size_t count,
                                const struct stats_split_options *options,
                                struct stats_split *ret_split,
                                struct duet_error *reterr)
{
    struct room room = {0};
    struct stats_split split = {0};
    if (count < (size_t)2 * STATS_SPLIT_LEAST) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "a split needs %d values, there are %zu",
                         2 * STATS_SPLIT_LEAST, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return error_set(reterr, DUET_E_DOMAIN, "value %zu is not finite", i + 1);
        }
    }
    if (!room_make(&room, count)) {
        room_release(&room);
        return error_no_memory(reterr);
    }
    score(values, count, room.ranked, room.scores);
    for (size_t k = 1; k < count; k++) {
        room.weights[k] = 1 / sqrt((double)k * (double)(count - k) / (double)count);
    }
    split.statistic = clearest(room.scores, count, room.weights, &split.at);
    split.block = block_of(room.scores, count, split.at);
    permute(&room, count, options, &split);
    room_release(&room);
    *ret_split = split;
    return DUET_OK;
}
