#include "analysis/runs/spooled.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Values are narrowed down by so many bits of their patterns at a time. */
enum { STEP_BITS = 16, STEP_BUCKETS = 1 << STEP_BITS, PATTERN_BITS = 64 };
enum { KEPT = 1 << 14 };

struct spool analysis_spool_of_values(void)
{
    return (struct spool){.item_bytes = sizeof(double), .most = KEPT};
}

struct spool analysis_spool_of_weighted(void)
{
    return (struct spool){.item_bytes = sizeof(struct analysis_weighted), .most = KEPT};
}

static bool is_weighted(const struct spool *spool)
{
    return spool->item_bytes == sizeof(struct analysis_weighted);
}

/* ---- Passes ---- */

/* Takes some values, in order, with their weights; `plain`: all 1. */
typedef void pass_take(void *context, const struct analysis_weighted *values,
                       size_t count);

static enum duet_code pass(struct spool *spool, pass_take *take, void *context,
                           struct duet_error *reterr)
{
    enum { BLOCK = 512 };
    struct analysis_weighted block[BLOCK];
    for (uint64_t at = 0; at < spool_count(spool);) {
        const void *items = NULL;
        size_t count = 0;
        enum duet_code code = spool_read(spool, at, &items, &count, reterr);
        if (code != DUET_OK) {
            return code;
        }
        at += count;
        if (is_weighted(spool)) {
            take(context, items, count);
            continue;
        }
        const double *values = items;
        for (size_t i = 0; i < count; i += BLOCK) {
            size_t some = count - i < BLOCK ? count - i : BLOCK;
            for (size_t j = 0; j < some; j++) {
                block[j] =
                    (struct analysis_weighted){.value = values[i + j], .weight = 1};
            }
            take(context, block, some);
        }
    }
    return DUET_OK;
}

/* ---- Order statistics ---- */

/* Patterns that have the order of the numbers. */
static uint64_t pattern_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 63U) != 0 ? ~bits : bits | UINT64_C(1) << 63U;
}

static double value_of(uint64_t pattern)
{
    double value = 0.0;
    uint64_t bits = (pattern >> 63U) != 0 ? pattern & ~(UINT64_C(1) << 63U) : ~pattern;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Those whose leading bits are known already. */
struct search {
    uint64_t *weights; /* of STEP_BUCKETS */
    uint64_t prefix;
    unsigned known_bits;
};

static void count_weights(void *context, const struct analysis_weighted *values,
                          size_t count)
{
    struct search *search = context;
    unsigned shift = PATTERN_BITS - STEP_BITS - search->known_bits;
    for (size_t i = 0; i < count; i++) {
        uint64_t pattern = pattern_of(values[i].value);
        if (search->known_bits == 0 ||
            pattern >> (PATTERN_BITS - search->known_bits) == search->prefix) {
            search->weights[pattern >> shift & (STEP_BUCKETS - 1)] += values[i].weight;
        }
    }
}

/* The smallest value such that all up to it weigh more than `weight`, which is less
 * than all of them. Source: a radix search from the most significant bits (Knuth, The
 * Art of Computer Programming 3, s.5.2.5, of one place at a time). */
static enum duet_code find_above(struct spool *spool, uint64_t weight,
                                 double *ret_value, struct duet_error *reterr)
{
    struct search search = {.weights =
                                alloc_array(STEP_BUCKETS, sizeof *search.weights)};
    enum duet_code code = search.weights == NULL ? error_no_memory(reterr) : DUET_OK;
    while (code == DUET_OK && search.known_bits < PATTERN_BITS) {
        memset(search.weights, 0, STEP_BUCKETS * sizeof *search.weights);
        code = pass(spool, count_weights, &search, reterr);
        uint64_t bucket = 0;
        while (code == DUET_OK && bucket + 1 < STEP_BUCKETS &&
               weight >= search.weights[bucket]) {
            weight -= search.weights[bucket++];
        }
        search.prefix = search.prefix << STEP_BITS | bucket;
        search.known_bits += STEP_BITS;
    }
    free(search.weights);
    if (code == DUET_OK) {
        *ret_value = value_of(search.prefix);
    }
    return code;
}

/* How much lies below a value, and what is next to it. */
struct around {
    double value;
    uint64_t below; /* weight of smaller values */
    uint64_t up_to; /* and of the value itself, too */
    double next;    /* the smallest one above it */
};

static void look_around(void *context, const struct analysis_weighted *values,
                        size_t count)
{
    struct around *around = context;
    for (size_t i = 0; i < count; i++) {
        double value = values[i].value;
        around->below += value < around->value ? values[i].weight : 0;
        around->up_to += value <= around->value ? values[i].weight : 0;
        if (value > around->value && value < around->next) {
            around->next = value;
        }
    }
}

/* Two neighbours in order: the first of more than `weight`, as above, and that of more
 * than `next_weight`, which is not less and at most one value further. */
static enum duet_code find_two(struct spool *spool, uint64_t weight,
                               uint64_t next_weight, double *ret_first,
                               double *ret_second, struct duet_error *reterr)
{
    struct around around = {.next = (double)INFINITY};
    enum duet_code code = find_above(spool, weight, &around.value, reterr);
    if (code == DUET_OK && next_weight > weight) {
        code = pass(spool, look_around, &around, reterr);
    }
    if (code == DUET_OK) {
        bool same = next_weight == weight || around.up_to > next_weight;
        *ret_first = around.value;
        *ret_second = same ? around.value : around.next;
    }
    return code;
}

enum duet_code analysis_spooled_quantiles(struct spool *values,
                                          const double *probabilities, size_t quantiles,
                                          double *ret_quantiles,
                                          struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t q = 0; q < quantiles && code == DUET_OK; q++) {
        double position = (double)(spool_count(values) - 1) * probabilities[q];
        uint64_t below = (uint64_t)position;
        double share = position - (double)below;
        double low = 0.0;
        double high = 0.0;
        code = find_two(values, below, share > 0.0 ? below + 1 : below, &low, &high,
                        reterr);
        ret_quantiles[q] = share > 0.0 ? stats_interpolate(low, high, share) : low;
    }
    return code;
}

double analysis_spooled_median(struct spool *values)
{
    static const double half = 0.5;
    double median = (double)NAN;
    struct duet_error ignored;
    if (values->filed == 0) {
        (void)!stats_quantile_type7((double *)(void *)values->kept, values->count, half,
                                    &median, &ignored);
        return median;
    }
    return analysis_spooled_quantiles(values, &half, 1, &median, &ignored) == DUET_OK
               ? median
               : (double)NAN;
}

/* ---- Autocorrelation ---- */

/* stats_centre() and the products of neighbours, pass by pass. */
struct neighbours {
    double largest;
    double scale;
    struct stats_sum sum;
    double mean;
    struct stats_sum rest;
    double off;
    struct stats_sum squares;
    struct stats_sum products;
    double last;
    bool any;
};

static void find_largest(void *context, const struct analysis_weighted *values,
                         size_t count)
{
    struct neighbours *found = context;
    for (size_t i = 0; i < count; i++) {
        double magnitude = fabs(values[i].value);
        found->largest = magnitude > found->largest ? magnitude : found->largest;
    }
}

static void sum_scaled(void *context, const struct analysis_weighted *values,
                       size_t count)
{
    struct neighbours *found = context;
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&found->sum, values[i].value * found->scale);
    }
}

static void sum_rest(void *context, const struct analysis_weighted *values,
                     size_t count)
{
    struct neighbours *found = context;
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(&found->rest, values[i].value * found->scale - found->mean);
    }
}

static void multiply(void *context, const struct analysis_weighted *values,
                     size_t count)
{
    struct neighbours *found = context;
    for (size_t i = 0; i < count; i++) {
        double centred = values[i].value * found->scale - found->mean;
        centred -= found->off;
        stats_sum_add(&found->squares, centred * centred);
        if (found->any) {
            stats_sum_add(&found->products, centred * found->last);
        }
        found->last = centred;
        found->any = true;
    }
}

enum duet_code analysis_spooled_lag1(struct spool *values, double *ret_correlation,
                                     struct duet_error *reterr)
{
    struct neighbours found = {.largest = 0.0};
    double count = (double)spool_count(values);
    enum duet_code code = pass(values, find_largest, &found, reterr);
    if (code == DUET_OK) {
        found.scale = stats_power_scale(&found.largest, 1);
        code = pass(values, sum_scaled, &found, reterr);
    }
    if (code == DUET_OK) {
        found.mean = stats_sum_value(&found.sum) / count;
        code = pass(values, sum_rest, &found, reterr);
    }
    if (code == DUET_OK) {
        found.off = stats_sum_value(&found.rest) / count;
        code = pass(values, multiply, &found, reterr);
    }
    if (code == DUET_OK) {
        double squares = stats_sum_value(&found.squares);
        *ret_correlation =
            squares > 0.0 ? stats_sum_value(&found.products) / squares : (double)NAN;
    }
    return code;
}

/* ---- Locations ---- */

/* Between two order statistics: how many of those equal to either count. */
struct middle {
    double low;
    double high;
    uint64_t low_left;
    uint64_t high_left;
    struct stats_sum sum;
};

static void sum_middle(void *context, const struct analysis_weighted *values,
                       size_t count)
{
    struct middle *middle = context;
    for (size_t i = 0; i < count; i++) {
        double value = values[i].value;
        bool counts = value > middle->low && value < middle->high;
        if (value == middle->low && middle->low_left > 0) {
            middle->low_left--;
            counts = true;
        } else if (value == middle->high && middle->high_left > 0) {
            middle->high_left--;
            counts = true;
        }
        if (counts) {
            stats_sum_add(&middle->sum, value);
        }
    }
}

static enum duet_code trimmed_mean(struct spool *values, double *ret_mean,
                                   struct duet_error *reterr)
{
    size_t count = (size_t)spool_count(values);
    size_t cut = stats_trimmed_cut(count);
    struct middle middle = {.low = 0.0};
    struct around low = {.next = (double)INFINITY};
    struct around high = low;
    enum duet_code code = find_above(values, cut, &middle.low, reterr);
    if (code == DUET_OK) {
        code = find_above(values, count - cut - 1, &middle.high, reterr);
    }
    if (code == DUET_OK) {
        low.value = middle.low;
        code = pass(values, look_around, &low, reterr);
    }
    if (code == DUET_OK) {
        high.value = middle.high;
        code = pass(values, look_around, &high, reterr);
    }
    if (code == DUET_OK && middle.low < middle.high) {
        middle.low_left = low.up_to - cut;
        middle.high_left = count - cut - high.below;
        code = pass(values, sum_middle, &middle, reterr);
    }
    if (code == DUET_OK) {
        *ret_mean = middle.low < middle.high
                        ? stats_sum_value(&middle.sum) / (double)(count - 2 * cut)
                        : middle.low;
    }
    return code;
}

static void sum_values(void *context, const struct analysis_weighted *values,
                       size_t count)
{
    struct stats_sum *sum = context;
    for (size_t i = 0; i < count; i++) {
        stats_sum_add(sum, values[i].value);
    }
}

static enum duet_code location_of(struct spool *values, enum stats_location location,
                                  double *ret_location, struct duet_error *reterr)
{
    static const double half = 0.5;
    struct stats_sum sum = {0};
    enum duet_code code = DUET_OK;
    switch (location) {
    case STATS_LOCATION_MEDIAN:
        return analysis_spooled_quantiles(values, &half, 1, ret_location, reterr);
    case STATS_LOCATION_TRIMMED:
        return trimmed_mean(values, ret_location, reterr);
    case STATS_LOCATION_MEAN:
        break;
    }
    code = pass(values, sum_values, &sum, reterr);
    *ret_location = stats_sum_value(&sum) / (double)spool_count(values);
    return code;
}

struct distances {
    double location;
    struct stats_spread spread;
};

static void sum_distances(void *context, const struct analysis_weighted *values,
                          size_t count)
{
    struct distances *distances = context;
    for (size_t i = 0; i < count; i++) {
        stats_spread_add(&distances->spread,
                         fabs(values[i].value - distances->location),
                         (double)values[i].weight);
    }
}

/* With the spread about it. */
static enum duet_code facts_about(struct spool *values, double location,
                                  struct stats_run_facts *ret_facts,
                                  struct duet_error *reterr)
{
    struct distances distances = {.location = location};
    enum duet_code code = pass(values, sum_distances, &distances, reterr);
    if (code == DUET_OK) {
        *ret_facts = (struct stats_run_facts){
            .log_ratio = location,
            .spread = spool_count(values) < 2 ? (double)NAN
                                              : stats_spread_value(&distances.spread)};
    }
    return code;
}

enum duet_code analysis_spooled_facts(struct spool *log_ratios,
                                      enum stats_location location,
                                      struct stats_run_facts *ret_facts,
                                      struct duet_error *reterr)
{
    double at = 0.0;
    enum duet_code code = location_of(log_ratios, location, &at, reterr);
    return code == DUET_OK ? facts_about(log_ratios, at, ret_facts, reterr) : code;
}

static void sum_weights(void *context, const struct analysis_weighted *values,
                        size_t count)
{
    uint64_t *whole = context;
    for (size_t i = 0; i < count; i++) {
        *whole += values[i].weight;
    }
}

/* stats_weighted_median(): half the sum of the two values that the middle of the whole
 * weight lies between. */
enum duet_code analysis_spooled_weighted_facts(struct spool *log_ratios,
                                               struct stats_run_facts *ret_facts,
                                               struct duet_error *reterr)
{
    uint64_t whole = 0;
    double low = 0.0;
    double high = 0.0;
    enum duet_code code = pass(log_ratios, sum_weights, &whole, reterr);
    if (code == DUET_OK) {
        code =
            find_two(log_ratios, (whole + 1) / 2 - 1, whole / 2, &low, &high, reterr);
    }
    return code == DUET_OK
               ? facts_about(log_ratios, 0.5 * low + 0.5 * high, ret_facts, reterr)
               : code;
}
