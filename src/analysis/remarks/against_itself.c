#include "analysis/remarks/against_itself.h"

#include "analysis/conclude.h"
#include "analysis/plan/detectable.h"
#include "analysis/random_uses.h"
#include "analysis/runs/blocks.h"
#include "base/alloc.h"
#include "base/random.h"
#include "stats/allocation.h"
#include "stats/binomial.h"
#include "stats/moments.h"
#include "stats/rank/order.h"
#include "stats/sequential/betting.h"
#include "stats/student.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { EXPERIMENTS = 100, FEWEST_BLOCKS = 8, MOST_LOOKS = 1000 };
static const double effects[MODEL_VISIBILITIES] = {0.005, 0.01, 0.02};
static const double share_confidence = 0.95;

/* ---- Windows ---- */

/* Whether the window's interval excludes 1; its answer needs no more of it. */
static enum duet_code window_alarms(const struct model_run_values *runs, size_t count,
                                    const struct model_analysis *options,
                                    bool *ret_alarm, struct duet_error *reterr)
{
    struct analysis *analysis = NULL;
    struct model_interval interval = {0};
    double ratio = 0.0;
    enum duet_code code = analysis_new(options, true, &analysis, reterr);
    for (size_t r = 0; r < count && code == DUET_OK; r++) {
        struct model_run_values copy = {0};
        code = analysis_run_copy(&runs[r], &copy, reterr);
        if (code == DUET_OK) {
            code = analysis_add_run(analysis, &copy, reterr);
        }
        model_run_values_release(&copy);
    }
    if (code == DUET_OK) {
        code = analysis_estimate(analysis, &ratio, &interval, reterr);
    }
    *ret_alarm = interval.low > 1.0 || interval.high < 1.0;
    analysis_free(analysis);
    return code;
}

/* The smallest change that `count` blocks could have shown. */
static enum duet_code visible(const double *logs, size_t count, double confidence,
                              double *ret_visible, struct duet_error *reterr)
{
    double sd = 0.0;
    double difference = 0.0;
    enum duet_code code = stats_sd_sample(logs, count, &sd, reterr);
    if (code == DUET_OK) {
        code = stats_t_detectable(sd / sqrt((double)count), (double)(count - 1),
                                  confidence, ANALYSIS_POWER, &difference, reterr);
    }
    *ret_visible = expm1(difference);
    return code;
}

static enum duet_code look_at_windows(const struct model_pilot *pilot,
                                      const struct model_analysis *options,
                                      const double *logs,
                                      struct model_self_comparison *self,
                                      struct duet_error *reterr)
{
    size_t size = (size_t)self->window_runs;
    struct stats_interval share = {0};
    double *each = alloc_array((size_t)self->windows, sizeof *each);
    enum duet_code code =
        each == NULL ? error_set(reterr, DUET_E_NOMEM, "no memory for %zu windows",
                                 (size_t)self->windows)
                     : DUET_OK;
    for (size_t w = 0; w < self->windows && code == DUET_OK; w++) {
        bool alarm = false;
        code =
            window_alarms(pilot->values.runs + w * size, size, options, &alarm, reterr);
        self->false_alarms += alarm;
        if (code == DUET_OK) {
            code = visible(logs + w * size / 2, size / 2, self->confidence, &each[w],
                           reterr);
        }
    }
    if (code == DUET_OK) {
        code = stats_quantile_type7(each, (size_t)self->windows, 0.5,
                                    &self->window_visible, reterr);
    }
    if (code == DUET_OK) {
        code = stats_binomial_interval(self->false_alarms, self->windows,
                                       share_confidence, &share, reterr);
    }
    self->false_share = (double)self->false_alarms / (double)self->windows;
    self->false_low = share.low;
    self->false_high = share.high;
    self->false_too_many = share.low > 1.0 - self->confidence;
    free(each);
    return code;
}

/* ---- What a change takes ---- */

/* How a block is spread, and what it costs. */
struct block_facts {
    double *logs;    /* centred; owned */
    double *spreads; /* of the same blocks; owned */
    size_t count;
    double variance;
    double cost_ns;
    double confidence;
    uint64_t seed;
};

static enum duet_code fixed(const struct block_facts *facts,
                            struct model_visibility *visibility,
                            struct duet_error *reterr)
{
    const struct stats_components components = {.between = facts->variance};
    const struct stats_allocation_wish wish = {.effect = log1p(visibility->effect),
                                               .level = facts->confidence,
                                               .power = ANALYSIS_POWER,
                                               .run_cost = facts->cost_ns,
                                               .iteration_cost = facts->cost_ns,
                                               .iterations_max = 1,
                                               .runs_min = FEWEST_BLOCKS};
    struct stats_allocation allocation = {0};
    struct duet_error error;
    enum duet_code code =
        stats_allocation_plan(&components, &wish, &allocation, &error);
    if (code == DUET_E_DOMAIN) { /* more blocks than anybody would wait for */
        return DUET_OK;
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    visibility->fixed_runs = 2.0 * (double)allocation.runs;
    visibility->fixed_ns = (double)allocation.runs * facts->cost_ns;
    return DUET_OK;
}

/* The mean of `merged` blocks with random signs, and its spread. */
static double draw_block(const struct block_facts *facts, struct random_stream *stream,
                         size_t merged, double *ret_spread)
{
    double sum = 0.0;
    double squares = 0.0;
    for (size_t i = 0; i < merged; i++) {
        size_t drawn = random_below(stream, (uint32_t)facts->count);
        bool kept = random_u32(stream) >> 31U != 0;
        sum += kept ? facts->logs[drawn] : -facts->logs[drawn];
        squares += facts->spreads[drawn] * facts->spreads[drawn];
    }
    *ret_spread = sqrt(squares) / (double)merged;
    return sum / (double)merged;
}

/* Looks until the verdict of one experiment; `most` + 1 without one. */
static enum duet_code decide(const struct block_facts *facts, double shift,
                             struct random_stream *stream, size_t merged, size_t most,
                             struct stats_betting *betting, double *ret_looks,
                             struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    size_t looks = 0;
    stats_betting_reset(betting);
    while (code == DUET_OK && looks < most && stats_betting_sign(betting) == 0) {
        double spread = 0.0;
        double log_ratio = shift + draw_block(facts, stream, merged, &spread);
        code = stats_betting_add(betting, log_ratio, spread, reterr);
        looks++;
    }
    *ret_looks = (double)(stats_betting_sign(betting) != 0 ? looks : most + 1);
    return code;
}

/* With so many blocks merged to one look. What the median or the 90 % do not reach
 * stays as it is. */
static enum duet_code decided_with(const struct block_facts *facts, size_t merged,
                                   size_t most, struct stats_betting *betting,
                                   struct model_visibility *visibility,
                                   struct duet_error *reterr)
{
    static const double probabilities[2] = {0.5, 0.9};
    double *const results[2] = {&visibility->decided_median_ns,
                                &visibility->decided_p90_ns};
    double looks[EXPERIMENTS];
    double quantiles[2] = {0.0, 0.0};
    enum duet_code code = DUET_OK;
    for (uint64_t e = 0; e < EXPERIMENTS && code == DUET_OK; e++) {
        struct random_stream stream =
            random_stream_at(facts->seed, analysis_stream(ANALYSIS_USE_SELF) + e);
        code = decide(facts, log1p(visibility->effect), &stream, merged, most, betting,
                      &looks[e], reterr);
    }
    if (code == DUET_OK) {
        code = stats_quantiles_type7(looks, EXPERIMENTS, probabilities, 2, quantiles,
                                     reterr);
    }
    for (size_t i = 0; i < 2 && code == DUET_OK; i++) {
        if (isnan(*results[i]) && quantiles[i] <= (double)most) {
            *results[i] = quantiles[i] * (double)merged * facts->cost_ns;
        }
    }
    return code;
}

/* A look after every block; what takes more than MOST_LOOKS of those, with fewer
 * looks. */
static enum duet_code decided(const struct block_facts *facts, double budget_ns,
                              struct model_visibility *visibility,
                              struct duet_error *reterr)
{
    enum { FEWER = 4 };
    double affordable = budget_ns / facts->cost_ns;
    struct stats_betting *betting = NULL;
    enum duet_code code = stats_betting_new(1.0 - facts->confidence, &betting, reterr);
    for (size_t merged = 1; code == DUET_OK && isnan(visibility->decided_p90_ns) &&
                            (double)merged * FEWEST_BLOCKS <= affordable;
         merged *= FEWER) {
        double most = fmin(affordable / (double)merged, MOST_LOOKS);
        code = decided_with(facts, merged, (size_t)most, betting, visibility, reterr);
        if (affordable / (double)merged <= MOST_LOOKS) {
            break;
        }
    }
    stats_betting_free(betting);
    return code;
}

static void facts_release(struct block_facts *facts)
{
    free(facts->logs);
    free(facts->spreads);
}

/* Log ratios of the pilot's blocks, all of which must be whole; centred and described
 * for what follows. */
static enum duet_code facts_init(const struct model_pilot *pilot,
                                 const struct model_analysis *options,
                                 struct block_facts *facts, struct duet_error *reterr)
{
    size_t blocks = pilot->values.run_count / 2;
    size_t runs = 2 * blocks;
    double mean = 0.0;
    double sd = 0.0;
    facts->logs = alloc_array(blocks, sizeof *facts->logs);
    facts->spreads = alloc_array(blocks, sizeof *facts->spreads);
    facts->cost_ns = pilot->wall_ns / (double)blocks;
    facts->confidence = options->confidence;
    facts->seed = options->seed;
    if (facts->logs == NULL || facts->spreads == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", runs);
    }
    enum duet_code code =
        analysis_block_logs(options, pilot->values.runs, runs, facts->logs,
                            facts->spreads, &facts->count, reterr);
    if (code == DUET_OK && facts->count != blocks) {
        code = error_set(reterr, DUET_E_TOO_FEW,
                         "%zu of %zu runs have no partner with swapped positions",
                         runs - 2 * facts->count, runs);
    }
    if (code == DUET_OK) {
        code = stats_mean(facts->logs, facts->count, &mean, reterr);
    }
    if (code == DUET_OK) {
        code = stats_sd_sample(facts->logs, facts->count, &sd, reterr);
    }
    facts->variance = sd * sd;
    for (size_t i = 0; i < facts->count && code == DUET_OK; i++) {
        facts->logs[i] -= mean;
    }
    return code;
}

/* `later`: as --until decided analyses. */
static enum duet_code look_at_effects(const struct block_facts *facts,
                                      const struct block_facts *later, double budget_ns,
                                      struct model_self_comparison *self,
                                      struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < MODEL_VISIBILITIES && code == DUET_OK; i++) {
        struct model_visibility *visibility = &self->visibilities[i];
        *visibility = (struct model_visibility){effects[i], (double)NAN, (double)NAN,
                                                (double)NAN, (double)NAN};
        code = fixed(facts, visibility, reterr);
        if (code == DUET_OK) {
            code = decided(later, budget_ns, visibility, reterr);
        }
    }
    return code;
}

enum duet_code analysis_self_comparison(const struct model_pilot *pilot,
                                        const struct model_analysis *options,
                                        uint64_t window_runs, double budget_ns,
                                        struct model_self_comparison *ret_self,
                                        struct duet_error *reterr)
{
    size_t runs = pilot->values.run_count;
    struct model_analysis adapted = *options;
    struct block_facts facts = {.logs = NULL};
    struct block_facts later = {.logs = NULL};
    struct model_self_comparison self = {.runs = runs,
                                         .wall_ns = pilot->wall_ns,
                                         .confidence = options->confidence,
                                         .window_runs = window_runs,
                                         .windows = runs / window_runs};
    if (self.windows == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "comparing a program with itself needs at least %" PRIu64 " "
                         "runs, got %zu; measure longer (--until time=T)",
                         window_runs, runs);
    }
    self.window_ns = pilot->wall_ns / (double)runs * (double)window_runs;
    analysis_options_adapt(&adapted);
    enum duet_code code = facts_init(pilot, options, &facts, reterr);
    if (code == DUET_OK) {
        code = facts_init(pilot, &adapted, &later, reterr);
    }
    if (code == DUET_OK) {
        code = look_at_windows(pilot, options, facts.logs, &self, reterr);
    }
    if (code == DUET_OK) {
        code = look_at_effects(&facts, &later, budget_ns, &self, reterr);
    }
    facts_release(&facts);
    facts_release(&later);
    if (code == DUET_OK) {
        *ret_self = self;
    }
    return code;
}

struct model_amount analysis_self_next(const struct model_self_comparison *self)
{
    const struct model_visibility *seen = &self->visibilities[1];
    seen =
        isfinite(seen->fixed_runs) ? seen : &self->visibilities[MODEL_VISIBILITIES - 1];
    bool sooner = seen->decided_p90_ns < seen->fixed_ns;
    return (struct model_amount){.effect = seen->effect,
                                 .runs = seen->fixed_runs,
                                 .decided_ns =
                                     sooner ? seen->decided_p90_ns : (double)NAN};
}
