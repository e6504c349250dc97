#include "stats/sequential/betting.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The steady ones bet kappa = 1/64, 1/32, ..., 1: each doubles the one before, so that
 * one exponential serves all by squaring. The small ones are for long histories: kappa
 * is best at about 10 / kappa^2 blocks. */
enum { STEADY = 7 };
static const double steady_kappa_first = 1.0 / 64.0;
static const double steady_shares[STEADY] = {0.004, 0.006, 0.01, 0.02,
                                             0.04,  0.05,  0.05};
static const double bold_share = 0.82;

/* tanh(1.472) = 0.9 and tanh(2.092) = 0.97: what may be lost in two blocks about which
 * nothing is known, when 8 blocks must be enough. */
static const double kappa_first = 1.4722194895832204;
static const double kappa_second = 2.0922957200349393;
static const double kappa_floor = 0.6;
/* tanh(4) is close enough to 1 to gain with, and far enough to survive a loss. */
static const double exponent_largest = 4.0;

static const double clip_first = 1.0;
static const double clip_last = 2.0;
static const double clip_step = 1.0 / 7.0;
/* The median absolute deviation of a normal distribution is 0.6745 of its standard
 * deviation. */
static const double mad_factor = 1.4826;
/* How near the centre is found, in scales of the calmest block. */
static const double center_within = 1e-18;

/* Up to so many blocks center and scale are renewed with each, then by 2 %. */
enum { RENEW_ALWAYS = 256, RENEW_SHARE = 50, CAPACITY_FIRST = 64 };

/* Halvings at most: from the largest log ratio down to 13 digits of the smallest one.
 * Usual values settle after about 45. */
enum { STEPS = 1500 };

enum { UP, DOWN, DIRECTIONS };

/* What is fixed about a block before it is seen, and its value. */
struct block {
    double log_ratio;
    double spread;
    double scale; /* of this block; 0: the sign decides */
    double clip;
    double kappa[DIRECTIONS]; /* of the bold one */
};

/* The gamblers' money at one theta, times exp(-log_unit). */
struct purse {
    double bold;
    double steady[STEADY];
    double log_unit;
    double goal; /* what all must have together to exclude theta, in the same unit */
    bool reached;
};

struct stats_betting {
    double log_goal; /* ln(2 / alpha) */
    double alpha;
    size_t count;
    size_t capacity;
    struct block *blocks;
    double *scratch;
    double center; /* of the blocks at the last renewal */
    double scale;  /* of a block of spread 1 */
    size_t renew_at;
    struct purse at_zero[DIRECTIONS];
    double log_best[DIRECTIONS]; /* at theta = 0 */
};

static void open_purse(const struct stats_betting *betting, struct purse *purse)
{
    *purse = (struct purse){.goal = exp(betting->log_goal)};
    purse->bold = bold_share;
    memcpy(purse->steady, steady_shares, sizeof purse->steady);
}

/* (g - theta) / scale, clipped; towards = 1 or -1. */
static double standardized(const struct block *block, double theta, double towards)
{
    double x = towards * (block->log_ratio - theta);
    if (!(x > 0.0 || x < 0.0)) {
        return 0.0;
    }
    if (block->scale > 0.0) {
        double u = x / block->scale;
        return fmax(-block->clip, fmin(u, block->clip));
    }
    return x > 0.0 ? block->clip : -block->clip;
}

/* Keeps the sum near 1: long histories would leave the range of a double. */
static void change_unit(const struct stats_betting *betting, struct purse *purse,
                        double sum)
{
    purse->bold /= sum;
    for (int k = 0; k < STEADY; k++) {
        purse->steady[k] /= sum;
    }
    purse->log_unit += log(sum);
    purse->goal = exp(betting->log_goal - purse->log_unit);
}

static double money(const struct purse *purse)
{
    double sum = purse->bold;
    for (int k = 0; k < STEADY; k++) {
        sum += purse->steady[k];
    }
    return sum;
}

/* One block. Returns what all have together, in the purse's unit. */
static double play(struct purse *purse, const struct block *block, double theta,
                   int direction)
{
    double u = standardized(block, theta, direction == UP ? 1.0 : -1.0);
    double y = block->kappa[direction] * u;
    y = fmax(-exponent_largest, fmin(y, exponent_largest));
    /* 1 + tanh(y) = 2 / (1 + exp(-2 y)) */
    purse->bold *= 2.0 / (1.0 + exp(-2.0 * y));
    double power = exp(-2.0 * steady_kappa_first * u);
    double sum = purse->bold;
    for (int k = 0; k < STEADY; k++) {
        purse->steady[k] *= 2.0 / (1.0 + power);
        sum += purse->steady[k];
        power *= power;
    }
    purse->reached = purse->reached || sum >= purse->goal;
    return sum;
}

static void keep_in_range(const struct stats_betting *betting, struct purse *purse,
                          double sum)
{
    if (sum < 1e-100 || sum > 1e100) {
        change_unit(betting, purse, sum);
    }
}

/* Of which looks an exclusion counts. */
enum looks { ANY_LOOK, LAST_LOOK };

static bool excluded(const struct stats_betting *betting, double theta, int direction,
                     enum looks looks)
{
    struct purse purse;
    bool reached = false;
    open_purse(betting, &purse);
    for (size_t i = 0; i < betting->count && (!reached || looks == LAST_LOOK); i++) {
        double sum = play(&purse, &betting->blocks[i], theta, direction);
        reached = sum >= purse.goal;
        keep_in_range(betting, &purse, sum);
    }
    return reached;
}

void stats_betting_reset(struct stats_betting *betting)
{
    betting->count = 0;
    betting->center = 0.0;
    betting->scale = 0.0;
    betting->renew_at = 0;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        open_purse(betting, &betting->at_zero[direction]);
        betting->log_best[direction] = 0.0;
    }
}

enum duet_code stats_betting_new(double alpha, struct stats_betting **ret_betting,
                                 struct duet_error *reterr)
{
    if (!(alpha > 0.0 && alpha < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a probability of error must lie between 0 and 1, got %g",
                         alpha);
    }
    struct stats_betting *betting = alloc_array(1, sizeof *betting);
    if (betting == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a sequential interval");
    }
    betting->alpha = alpha;
    betting->log_goal = log(2.0) - log(alpha);
    stats_betting_reset(betting);
    *ret_betting = betting;
    return DUET_OK;
}

void stats_betting_free(struct stats_betting *betting)
{
    if (betting != NULL) {
        free(betting->blocks);
        free(betting->scratch);
        free(betting);
    }
}

static enum duet_code reserve(struct stats_betting *betting, struct duet_error *reterr)
{
    if (betting->count < betting->capacity) {
        return DUET_OK;
    }
    size_t wanted = betting->capacity == 0 ? CAPACITY_FIRST : 2 * betting->capacity;
    struct block *blocks =
        alloc_resize(betting->blocks, wanted, sizeof *betting->blocks);
    betting->blocks = blocks != NULL ? blocks : betting->blocks;
    double *scratch = alloc_resize(betting->scratch, wanted, sizeof *betting->scratch);
    betting->scratch = scratch != NULL ? scratch : betting->scratch;
    if (blocks == NULL || scratch == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu blocks", wanted);
    }
    betting->capacity = wanted;
    return DUET_OK;
}

/* Half the sum of the two in the middle: unlike an interpolation it turns with the
 * signs of all values bit by bit. Reorders values; count >= 1. */
static double median(double *values, size_t count)
{
    size_t half = count / 2;
    stats_select(values, count, half);
    double upper = values[half];
    if (count % 2 == 1) {
        return upper;
    }
    double lower = values[0];
    for (size_t i = 1; i < half; i++) {
        lower = fmax(lower, values[i]);
    }
    return 0.5 * lower + 0.5 * upper;
}

struct spread_of_blocks {
    double center;
    double scale; /* of a block of spread 1 */
};

/* Of all blocks so far, two at least. */
static struct spread_of_blocks describe(const struct stats_betting *betting)
{
    size_t n = betting->count;
    for (size_t i = 0; i < n; i++) {
        betting->scratch[i] = betting->blocks[i].log_ratio;
    }
    double center = median(betting->scratch, n);
    for (size_t i = 0; i < n; i++) {
        const struct block *block = &betting->blocks[i];
        betting->scratch[i] = fabs(block->log_ratio - center) / block->spread;
    }
    double deviation = median(betting->scratch, n);
    return (struct spread_of_blocks){center, mad_factor * deviation *
                                                 ((double)n / (double)(n - 1))};
}

static void renew(struct stats_betting *betting)
{
    size_t n = betting->count;
    struct spread_of_blocks blocks = describe(betting);
    betting->center = blocks.center;
    betting->scale = blocks.scale;
    betting->renew_at = n < RENEW_ALWAYS ? n + 1 : n + n / RENEW_SHARE;
}

static double bold_kappa(const struct stats_betting *betting, double scale,
                         double towards)
{
    size_t n = betting->count;
    if (n == 0) {
        return kappa_first;
    }
    if (n == 1) {
        return towards * betting->blocks[0].log_ratio > 0.0 ? kappa_second : 0.0;
    }
    double least = fmin(kappa_floor, sqrt(2.0 * betting->log_goal / (double)(n + 1)));
    double center = towards * betting->center;
    if (!(center > 0.0)) {
        return least;
    }
    if (!(scale > 0.0)) {
        return exponent_largest;
    }
    double seen = center / scale - 1.0 / sqrt((double)n);
    /* clip >= 1: more than this changes nothing but a distant exponent. */
    return fmax(least, fmin(seen, 1e6));
}

enum duet_code stats_betting_add(struct stats_betting *betting, double log_ratio,
                                 double spread, struct duet_error *reterr)
{
    if (!(fabs(log_ratio) <= STATS_BETTING_LARGEST)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the log ratio of block %zu is %g; it must be finite",
                         betting->count + 1, log_ratio);
    }
    if (!(spread > 0.0 && spread <= STATS_BETTING_LARGEST)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the spread of block %zu is %g; it must be positive and finite",
            betting->count + 1, spread);
    }
    enum duet_code code = reserve(betting, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t n = betting->count;
    if (n >= 2 && n >= betting->renew_at) {
        renew(betting);
    }
    double clip = clip_first + (n < 2 ? 0.0 : clip_step * (double)(n - 1));
    double scale = betting->scale * spread;
    struct block *block = &betting->blocks[n];
    *block = (struct block){
        .log_ratio = log_ratio,
        .spread = spread,
        .scale = scale,
        .clip = fmin(clip, clip_last),
        .kappa = {bold_kappa(betting, scale, 1.0), bold_kappa(betting, scale, -1.0)}};
    betting->count++;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        struct purse *purse = &betting->at_zero[direction];
        double sum = play(purse, block, 0.0, direction);
        double logarithm = purse->log_unit + log(sum);
        betting->log_best[direction] = fmax(betting->log_best[direction], logarithm);
        keep_in_range(betting, purse, sum);
    }
    return DUET_OK;
}

void stats_betting_set_spread(struct stats_betting *betting, size_t block,
                              double spread)
{
    betting->blocks[block].spread = spread;
}

size_t stats_betting_count(const struct stats_betting *betting)
{
    return betting->count;
}

/* Money falls in one step at a block without a scale: there the end is its log ratio,
 * to the last bit. Both ends may be the same one. */
static double snap_to_blocks(const struct stats_betting *betting, double from,
                             double to, int direction, enum looks looks)
{
    for (size_t i = 0; i < betting->count; i++) {
        double value = betting->blocks[i].log_ratio;
        if (value <= fmin(from, to) || value >= fmax(from, to)) {
            continue;
        }
        if (excluded(betting, value, direction, looks)) {
            from = value;
        } else {
            to = value;
        }
    }
    return to;
}

/* Where exclusion ends, between theta = from (excluded) and to (not excluded): the
 * nearest theta found that is not excluded. 0 is looked at first, so that the end and
 * the answer about 0 never differ by a rounding. */
static double find_end(const struct stats_betting *betting, double from, double to,
                       double enough, int direction, enum looks looks)
{
    if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
        if (excluded(betting, 0.0, direction, looks)) {
            from = 0.0;
        } else {
            to = 0.0;
        }
    }
    /* A step at 0, to which halving would come down through all powers of 2. */
    if (!(to < 0.0 || to > 0.0) &&
        excluded(betting, nextafter(0.0, from), direction, looks)) {
        return to;
    }
    for (int step = 0; step < STEPS; step++) {
        double middle = from + (to - from) / 2.0;
        double width = fabs(to - from);
        bool settled = width <= enough || width <= 1e-13 * fmax(fabs(from), fabs(to));
        if (settled || middle == from || middle == to) {
            break;
        }
        if (excluded(betting, middle, direction, looks)) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return snap_to_blocks(betting, from, to, direction, looks);
}

/* The end of the half line that one direction excludes. */
static double end_of(const struct stats_betting *betting, int direction,
                     enum looks looks)
{
    double towards = direction == UP ? 1.0 : -1.0;
    if (!excluded(betting, -towards * (double)INFINITY, direction, looks)) {
        return -towards * (double)INFINITY;
    }
    /* In units of the direction: below `from` every block is clipped, at `to` none
     * wins anything. */
    double from = (double)INFINITY;
    double to = -(double)INFINITY;
    double scale_least = betting->scale > 0.0 ? (double)INFINITY : 0.0;
    for (size_t i = 0; i < betting->count; i++) {
        const struct block *block = &betting->blocks[i];
        scale_least = fmin(scale_least, betting->scale * block->spread);
        double value = towards * block->log_ratio;
        from = fmin(from, value - block->clip * block->scale);
        to = fmax(to, value);
    }
    if (!excluded(betting, towards * from, direction, looks)) {
        return towards * from;
    }
    double enough = 1e-12 * scale_least;
    return find_end(betting, towards * from, towards * to, enough, direction, looks);
}

void stats_betting_interval(const struct stats_betting *betting,
                            struct stats_interval *ret_interval, bool *ret_conflict)
{
    double low = end_of(betting, UP, ANY_LOOK);
    double high = end_of(betting, DOWN, ANY_LOOK);
    *ret_conflict = low > high;
    *ret_interval = (struct stats_interval){fmin(low, high), fmax(low, high)};
}

void stats_betting_interval_now(const struct stats_betting *betting,
                                struct stats_interval *ret_interval)
{
    double low = end_of(betting, UP, LAST_LOOK);
    double high = end_of(betting, DOWN, LAST_LOOK);
    *ret_interval = (struct stats_interval){fmin(low, high), fmax(low, high)};
}

/* Sum of tanh(u) / scale over all blocks, u = (g - theta) / scale: falls as theta
 * rises. */
static double pull(const struct stats_betting *betting, double unit, double theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < betting->count; i++) {
        const struct block *block = &betting->blocks[i];
        sum +=
            tanh((block->log_ratio - theta) / (unit * block->spread)) / block->spread;
    }
    return sum;
}

double stats_betting_center(const struct stats_betting *betting)
{
    if (betting->count < 2) {
        return betting->count == 0 ? (double)NAN : betting->blocks[0].log_ratio;
    }
    struct spread_of_blocks blocks = describe(betting);
    if (!(blocks.scale > 0.0)) {
        return blocks.center;
    }
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    double calmest = (double)INFINITY;
    for (size_t i = 0; i < betting->count; i++) {
        low = fmin(low, betting->blocks[i].log_ratio);
        high = fmax(high, betting->blocks[i].log_ratio);
        calmest = fmin(calmest, betting->blocks[i].spread);
    }
    double enough = center_within * blocks.scale * calmest;
    for (int step = 0; step < STEPS && high - low > enough; step++) {
        double middle = low + (high - low) / 2.0;
        double sum = pull(betting, blocks.scale, middle);
        if (middle == low || middle == high || sum == 0.0) {
            break;
        }
        low = sum > 0.0 ? middle : low;
        high = sum > 0.0 ? high : middle;
    }
    return low + (high - low) / 2.0;
}

int stats_betting_excludes(const struct stats_betting *betting, double theta)
{
    return (excluded(betting, theta, UP, ANY_LOOK) ? 1 : 0) -
           (excluded(betting, theta, DOWN, ANY_LOOK) ? 1 : 0);
}

int stats_betting_sign(const struct stats_betting *betting)
{
    return (betting->at_zero[UP].reached ? 1 : 0) -
           (betting->at_zero[DOWN].reached ? 1 : 0);
}

double stats_betting_p_value(const struct stats_betting *betting)
{
    double best = fmax(betting->log_best[UP], betting->log_best[DOWN]);
    double p = fmin(1.0, 2.0 * exp(-best));
    bool reached = betting->at_zero[UP].reached || betting->at_zero[DOWN].reached;
    /* The same comparison in two units may differ in the last bit. */
    return reached ? fmin(p, betting->alpha) : fmax(p, nextafter(betting->alpha, 1.0));
}

void stats_betting_log_evidence(const struct stats_betting *betting, double ret_log[2])
{
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        const struct purse *purse = &betting->at_zero[direction];
        ret_log[direction] = purse->log_unit + log(money(purse));
    }
}
