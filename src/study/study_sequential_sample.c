#include "study/study_sequential_sample.h"

#include "base/alloc.h"
#include "study/study_model.h"

#include <math.h>
#include <stdlib.h>

enum {
    POSITIONS = STUDY_SEQUENTIAL_POSITIONS,
    RUNS_OF_BLOCK = STUDY_SEQUENTIAL_RUNS_OF_BLOCK
};
static const double position_difference = 0.02;
static const double run_share = 0.5;
static const double drift_share = 0.1;
static const double storm_share = 1.0 / 3.0;
static const double hit_share = 0.5;
static const double loss_mean = 0.5;
static const double known_share = 0.9;
static const double known_error = 0.2; /* at most, as a share of the loss */

/* Away from those of study coverage, which begin at 0xC000. */
static const uint64_t sample_streams = UINT64_C(0xD000) << 48U;

void study_sequential_bench_release(struct study_sequential_bench *bench)
{
    stats_betting_free(bench->betting);
    stats_block_spread_free(bench->spread);
    stats_coins_free(bench->coins);
    for (int position = 0; position < POSITIONS; position++) {
        free(bench->runs[position]);
        free(bench->iterations[position]);
        free(bench->lost[position]);
    }
}

enum duet_code study_sequential_bench_init(const struct study_sequential_plan *plan,
                                           struct study_sequential_bench *bench,
                                           struct duet_error *reterr)
{
    size_t runs = RUNS_OF_BLOCK * plan->blocks;
    *bench = (struct study_sequential_bench){0};
    enum duet_code code =
        stats_betting_new(1.0 - plan->confidence, &bench->betting, reterr);
    if (code == DUET_OK) {
        code = stats_block_spread_new(&bench->spread, reterr);
    }
    if (code == DUET_OK) {
        code = stats_coins_new(&bench->coins, reterr);
    }
    for (int position = 0; position < POSITIONS && code == DUET_OK; position++) {
        bench->runs[position] = alloc_array(runs, sizeof(double));
        bench->iterations[position] =
            alloc_array(runs * plan->iterations, sizeof(double));
        bench->lost[position] = alloc_array(runs * plan->iterations, sizeof(double));
        if (bench->runs[position] == NULL || bench->iterations[position] == NULL ||
            bench->lost[position] == NULL) {
            code = error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", runs);
        }
    }
    return code;
}

static bool has_losses(int model)
{
    return model == STUDY_SEQUENTIAL_STEAL || model == STUDY_SEQUENTIAL_ONESIDED;
}

/* Whichever side is there. In units of the noise, as the other values of iterations. */
static void draw_losses(const struct study_sequential_plan *plan,
                        struct random_stream *stream,
                        struct study_sequential_bench *bench)
{
    for (size_t run = 0; run < RUNS_OF_BLOCK * plan->blocks; run++) {
        bool storm = random_uniform(stream) < storm_share;
        for (size_t i = 0; i < POSITIONS * plan->iterations; i++) {
            size_t at = run * plan->iterations + i / POSITIONS;
            int position = (int)(i % POSITIONS);
            bool hit = storm && random_uniform(stream) < hit_share;
            double loss = hit ? -loss_mean * log(random_uniform(stream)) : 0.0;
            bool known = hit && random_uniform(stream) < known_share;
            bench->iterations[position][at] += loss / plan->noise;
            double error =
                known ? known_error * (2.0 * random_uniform(stream) - 1.0) : 0.0;
            bench->lost[position][at] = known ? loss * (1.0 + error) : 0.0;
        }
    }
}

/* The noise of every run and iteration, position by position: they do not know of the
 * sides. */
static void draw_positions(const struct study_sequential_plan *plan, int model,
                           struct random_stream *stream,
                           struct study_sequential_bench *bench)
{
    size_t runs = RUNS_OF_BLOCK * plan->blocks;
    bool plain = model >= STUDY_MODELS || model == STUDY_MODEL_TWOLEVEL;
    enum study_model drawn = plain ? STUDY_MODEL_NORMAL : (enum study_model)model;
    double of_run = model == STUDY_MODEL_TWOLEVEL ? 1.0 : run_share;
    double drift = model == STUDY_SEQUENTIAL_DRIFT ? drift_share * plan->noise : 0.0;
    for (int position = 0; position < POSITIONS; position++) {
        double *values = bench->runs[position];
        study_model_draw(drawn, stream, values, runs);
        for (size_t r = 0; r < runs; r++) {
            values[r] *= of_run * plan->noise;
            values[r] += position == 0 ? 0.0 : position_difference + drift * (double)r;
        }
        study_model_draw(drawn, stream, bench->iterations[position],
                         runs * plan->iterations);
    }
    if (has_losses(model)) {
        draw_losses(plan, stream, bench);
    }
}

/* By what share the new side's noise exceeds the old one's. */
static double excess_of(const struct study_sequential_plan *plan, int model)
{
    return model == STUDY_SEQUENTIAL_NOISIER ? plan->new_noise / plan->noise - 1.0
                                             : 0.0;
}

/* What the run's value at a position is without the position's own. */
static double run_noise(const struct study_sequential_bench *bench, size_t run,
                        int position)
{
    return bench->runs[position][run] - (position == 0 ? 0.0 : position_difference);
}

static void run_ratios(const struct study_sequential_plan *plan, int model,
                       struct study_sequential_bench *bench, size_t run,
                       int new_position)
{
    double excess = excess_of(plan, model);
    int old_position = 1 - new_position;
    double base = bench->runs[new_position][run] - bench->runs[old_position][run] +
                  log1p(plan->effect) + excess * run_noise(bench, run, new_position);
    const double *new_values = bench->iterations[new_position] + run * plan->iterations;
    const double *old_values = bench->iterations[old_position] + run * plan->iterations;
    for (size_t i = 0; i < plan->iterations; i++) {
        bench->ratios[i] =
            base + plan->noise * ((1.0 + excess) * new_values[i] - old_values[i]);
    }
}

/* Of which models the losses are looked at, as the analysis of pairs does: of those
 * where they are known of both sides. */
static bool looks_at_losses(int model)
{
    return model == STUDY_SEQUENTIAL_STEAL;
}

/* What is known of a run: location of ln(new / old) over its iterations, ... */
static enum duet_code look_at_run(const struct study_sequential_plan *plan, int model,
                                  struct study_sequential_bench *bench, size_t run,
                                  int new_position, struct stats_run_facts *ret_facts,
                                  struct duet_error *reterr)
{
    static const double nothing_known[STUDY_SEQUENTIAL_ITERATIONS_MAX];
    struct stats_run_pairs pairs = {.log_ratios = bench->ratios,
                                    .count = plan->iterations};
    if (looks_at_losses(model)) {
        pairs.lost[0] = model == STUDY_SEQUENTIAL_ONESIDED
                            ? nothing_known
                            : bench->lost[1 - new_position] + run * plan->iterations;
        pairs.lost[1] = bench->lost[new_position] + run * plan->iterations;
    }
    run_ratios(plan, model, bench, run, new_position);
    for (size_t i = 0; i < pairs.count && looks_at_losses(model); i++) {
        bench->ratios[i] -= pairs.lost[1][i] - pairs.lost[0][i];
    }
    return stats_run_facts_find(&pairs, plan->location, bench->scratch, ret_facts,
                                reterr);
}

/* Whether this run has a coin of its own. */
static bool coin_alone(const struct study_sequential_plan *plan, size_t run)
{
    return plan->coin_per_run && run >= STATS_COINS_FROM && run < STATS_COINS_BELOW;
}

static enum duet_code add_block(struct study_sequential_bench *bench,
                                const struct stats_coin *coin,
                                struct duet_error *reterr)
{
    struct stats_block_facts facts = {{coin->runs[0], coin->runs[1]}};
    double spread = 0.0;
    enum duet_code code =
        stats_block_spread_add(bench->spread, &facts, &spread, reterr);
    if (code == DUET_OK) {
        double log_ratio = 0.5 * (facts.runs[0].log_ratio + facts.runs[1].log_ratio);
        code = stats_betting_add(bench->betting, log_ratio, spread, reterr);
    }
    return code;
}

/* The runs of the next coin, from `run` on; how many is in *ret_count. */
static enum duet_code toss(const struct study_sequential_plan *plan, int model,
                           struct study_sequential_bench *bench, size_t run,
                           struct random_stream *stream, size_t *ret_count,
                           struct duet_error *reterr)
{
    int new_position = (int)(random_u32(stream) >> 31U);
    struct stats_coin coin = {.count = coin_alone(plan, run) ? 1 : RUNS_OF_BLOCK,
                              .old_position = (unsigned)(1 - new_position)};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < coin.count && code == DUET_OK; i++) {
        code = look_at_run(plan, model, bench, run + i,
                           i == 0 ? new_position : 1 - new_position, &coin.runs[i],
                           reterr);
    }
    if (code == DUET_OK) {
        code = plan->coin_per_run
                   ? stats_coins_add(bench->coins, &coin, bench->betting, reterr)
                   : add_block(bench, &coin, reterr);
    }
    *ret_count = coin.count;
    return code;
}

enum duet_code study_sequential_simulate(const struct study_sequential_plan *plan,
                                         int model, uint64_t index,
                                         struct study_sequential_bench *bench,
                                         struct study_sequential_outcome *ret_outcome,
                                         struct duet_error *reterr)
{
    uint64_t number = sample_streams + ((uint64_t)model << 40U) + index;
    struct random_stream stream = random_stream_at(plan->seed, number);
    struct study_sequential_outcome outcome = {0};
    enum duet_code code = DUET_OK;
    bool effect = plan->effect < 0.0 || plan->effect > 0.0;
    draw_positions(plan, model, &stream, bench);
    stats_betting_reset(bench->betting);
    stats_block_spread_reset(bench->spread);
    stats_coins_reset(bench->coins);
    for (size_t run = 0; run < RUNS_OF_BLOCK * plan->blocks && code == DUET_OK;) {
        size_t count = 0;
        code = toss(plan, model, bench, run, &stream, &count, reterr);
        run += count;
        if (outcome.sign == 0) {
            outcome.sign = stats_betting_sign(bench->betting);
            outcome.runs = run;
        }
        if (outcome.sign != 0 && !effect) {
            break;
        }
    }
    if (code == DUET_OK) {
        outcome.missed =
            effect ? stats_betting_excludes(bench->betting, log1p(plan->effect)) != 0
                   : outcome.sign != 0;
        *ret_outcome = outcome;
    }
    return code;
}
