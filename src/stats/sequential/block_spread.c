#include "stats/sequential/block_spread.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As in betting.c: with each block up to 256, then whenever 2 % were added. */
enum { RENEW_ALWAYS = 256, RENEW_SHARE = 50, CAPACITY_FIRST = 64 };

/* Far below what a clock can tell: where every distance is 0, all blocks are alike. */
static const double spread_least = 1e-9;

struct stats_block_spread {
    double *distances; /* v of each block */
    double *scratch;
    size_t count;
    size_t capacity;
    size_t renew_at;
    double typical; /* median of the distances */
};

enum duet_code stats_block_spread_new(struct stats_block_spread **ret_spread,
                                      struct duet_error *reterr)
{
    struct stats_block_spread *spread = alloc_array(1, sizeof *spread);
    if (spread == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the blocks' spreads");
    }
    stats_block_spread_reset(spread);
    *ret_spread = spread;
    return DUET_OK;
}

void stats_block_spread_free(struct stats_block_spread *spread)
{
    if (spread != NULL) {
        free(spread->distances);
        free(spread->scratch);
        free(spread);
    }
}

void stats_block_spread_reset(struct stats_block_spread *spread)
{
    spread->count = 0;
    spread->renew_at = 0;
}

static bool grow(double **array, size_t wanted)
{
    double *grown = alloc_resize(*array, wanted, sizeof *grown);
    *array = grown != NULL ? grown : *array;
    return grown != NULL;
}

static enum duet_code reserve(struct stats_block_spread *spread,
                              struct duet_error *reterr)
{
    if (spread->count < spread->capacity) {
        return DUET_OK;
    }
    size_t wanted = spread->capacity == 0 ? CAPACITY_FIRST : 2 * spread->capacity;
    if (!grow(&spread->distances, wanted) || !grow(&spread->scratch, wanted)) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu blocks", wanted);
    }
    spread->capacity = wanted;
    return DUET_OK;
}

/* v of this block. */
static double distance_of(const struct stats_block_facts *facts)
{
    double difference = (facts->runs[0].log_ratio - facts->runs[1].log_ratio) / 2.0;
    double sum = 0.0;
    double known = 0.0;
    for (int run = 0; run < 2; run++) {
        double spread = facts->runs[run].spread;
        if (!isnan(spread)) {
            sum += spread * spread;
            known += 1.0;
        }
    }
    double of_runs = known > 0.0 ? sum / known : 0.0;
    return sqrt(of_runs + difference * difference);
}

static enum duet_code renew(struct stats_block_spread *spread,
                            struct duet_error *reterr)
{
    size_t count = spread->count;
    size_t size = count * sizeof *spread->scratch;
    memcpy(spread->scratch, spread->distances, size);
    enum duet_code code =
        stats_quantile_type7(spread->scratch, count, 0.5, &spread->typical, reterr);
    spread->renew_at = count < RENEW_ALWAYS ? count + 1 : count + count / RENEW_SHARE;
    return code;
}

enum duet_code stats_block_spread_add(struct stats_block_spread *spread,
                                      const struct stats_block_facts *facts,
                                      double *ret_block_spread,
                                      struct duet_error *reterr)
{
    double distance = distance_of(facts);
    if (!isfinite(distance)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "block %zu: its log ratios must be finite", spread->count + 1);
    }
    enum duet_code code = reserve(spread, reterr);
    if (code != DUET_OK) {
        return code;
    }
    spread->distances[spread->count] = distance;
    spread->count++;
    if (spread->count >= spread->renew_at) {
        code = renew(spread, reterr);
    }
    if (code != DUET_OK) {
        spread->count--;
        return code;
    }
    double typical = spread->typical;
    double moderated = sqrt((typical * typical + distance * distance) / 2.0);
    *ret_block_spread = fmax(spread_least, moderated);
    return DUET_OK;
}
