#include "study/study_sequential.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/binomial.h"
#include "stats/sequential/block_spread.h"
#include "stats/sequential/coins.h"
#include "study/study_model.h"

#include <math.h>
#include <stdlib.h>

enum { POSITIONS = 2, RUNS_OF_BLOCK = 2, BATCH = 1024 };
static const double position_difference = 0.02;
static const double run_share = 0.5;
static const double drift_share = 0.1;
static const double storm_share = 1.0 / 3.0;
static const double hit_share = 0.5;
static const double loss_mean = 0.5;
static const double known_share = 0.9;
static const double known_error = 0.2; /* at most, as a share of the loss */
static const double count_confidence = 0.99;

/* Away from those of study coverage, which begin at 0xC000. */
static const uint64_t sample_streams = UINT64_C(0xD000) << 48U;

const char *study_sequential_model_name(int model)
{
    switch (model) {
    case STUDY_SEQUENTIAL_DRIFT:
        return "drift";
    case STUDY_SEQUENTIAL_STEAL:
        return "steal";
    case STUDY_SEQUENTIAL_NOISIER:
        return "noisier";
    case STUDY_SEQUENTIAL_ONESIDED:
        return "onesided";
    default:
        return study_model_name((enum study_model)model);
    }
}

/* One simulated experiment. */
struct outcome {
    int sign;    /* of the verdict; 0: none */
    size_t runs; /* with which it came */
    bool missed;
};

/* A thread's storage. */
struct bench {
    struct stats_betting *betting;
    struct stats_block_spread *spread;
    struct stats_coins *coins;     /* with a coin per run, in place of `spread` */
    double *runs[POSITIONS];       /* a value a run */
    double *iterations[POSITIONS]; /* plan->iterations a run */
    double *lost[POSITIONS];       /* what is known of it, of each */
    double ratios[STUDY_SEQUENTIAL_ITERATIONS_MAX];
    double scratch[STUDY_SEQUENTIAL_ITERATIONS_MAX];
};

static void bench_release(struct bench *bench)
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

static enum duet_code bench_init(const struct study_sequential_plan *plan,
                                 struct bench *bench, struct duet_error *reterr)
{
    size_t runs = RUNS_OF_BLOCK * plan->blocks;
    *bench = (struct bench){0};
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
                        struct random_stream *stream, struct bench *bench)
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
                           struct random_stream *stream, struct bench *bench)
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
static double run_noise(const struct bench *bench, size_t run, int position)
{
    return bench->runs[position][run] - (position == 0 ? 0.0 : position_difference);
}

static void run_ratios(const struct study_sequential_plan *plan, int model,
                       struct bench *bench, size_t run, int new_position)
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
                                  struct bench *bench, size_t run, int new_position,
                                  struct stats_run_facts *ret_facts,
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

static enum duet_code add_block(struct bench *bench, const struct stats_coin *coin,
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
                           struct bench *bench, size_t run,
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

/* With an effect the experiment goes on after its verdict, to see whether its interval
 * keeps holding the truth; without one a verdict is all that can be wrong. */
static enum duet_code simulate(const struct study_sequential_plan *plan, int model,
                               uint64_t index, struct bench *bench,
                               struct outcome *ret_outcome, struct duet_error *reterr)
{
    uint64_t number = sample_streams + ((uint64_t)model << 40U) + index;
    struct random_stream stream = random_stream_at(plan->seed, number);
    struct outcome outcome = {0};
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

struct batch {
    const struct study_sequential_plan *plan;
    int model;
    uint64_t first;
    struct outcome *outcomes;
};

static enum duet_code simulate_some(void *context, size_t first, size_t end,
                                    size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct batch *batch = context;
    struct bench bench;
    enum duet_code code = bench_init(batch->plan, &bench, reterr);
    for (size_t i = first; i < end && code == DUET_OK; i++) {
        code = simulate(batch->plan, batch->model, batch->first + i, &bench,
                        &batch->outcomes[i], reterr);
    }
    bench_release(&bench);
    return code;
}

/* Samples first to first + count - 1, shared among the threads. */
static enum duet_code run_batch(const struct study_sequential_plan *plan, int model,
                                uint64_t first, size_t count,
                                struct outcome *ret_outcomes, struct duet_error *reterr)
{
    struct batch batch = {plan, model, first, ret_outcomes};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 64,
                                      .threads = threads_wanted(plan->threads),
                                      .body = simulate_some,
                                      .context = &batch};
    return threads_for(&loop, reterr);
}

static void count_outcome(const struct study_sequential_plan *plan,
                          const struct outcome *outcome,
                          struct study_sequential_cell *cell, uint64_t *decided_with)
{
    bool as_it_is = (outcome->sign > 0 && plan->effect > 0.0) ||
                    (outcome->sign < 0 && plan->effect < 0.0);
    cell->samples++;
    cell->missed += outcome->missed ? 1 : 0;
    if (outcome->sign != 0) {
        cell->right += as_it_is ? 1 : 0;
        cell->wrong += as_it_is ? 0 : 1;
        decided_with[outcome->runs]++;
    }
}

/* The fewest runs with which at least this share of all samples had a verdict. */
static double runs_quantile(const struct study_sequential_plan *plan,
                            const uint64_t *decided_with, uint64_t samples,
                            double share)
{
    uint64_t decided = 0;
    for (size_t run = 1; run <= RUNS_OF_BLOCK * plan->blocks; run++) {
        decided += decided_with[run];
        if ((double)decided >= share * (double)samples) {
            return (double)run;
        }
    }
    return (double)NAN;
}

static enum duet_code close_cell(const struct study_sequential_plan *plan,
                                 const uint64_t *decided_with,
                                 struct study_sequential_cell *cell,
                                 struct duet_error *reterr)
{
    struct stats_interval wrong = {0};
    struct stats_interval missed = {0};
    if (cell->samples == 0) {
        return DUET_OK;
    }
    enum duet_code code = stats_binomial_interval(cell->wrong, cell->samples,
                                                  count_confidence, &wrong, reterr);
    if (code == DUET_OK) {
        code = stats_binomial_interval(cell->missed, cell->samples, count_confidence,
                                       &missed, reterr);
    }
    cell->wrong_low = wrong.low;
    cell->wrong_high = wrong.high;
    cell->missed_low = missed.low;
    cell->missed_high = missed.high;
    cell->runs_median = runs_quantile(plan, decided_with, cell->samples, 0.5);
    cell->runs_p90 = runs_quantile(plan, decided_with, cell->samples, 0.9);
    return code;
}

static enum duet_code check_plan(const struct study_sequential_plan *plan,
                                 struct duet_error *reterr)
{
    if (plan->samples == 0 || plan->samples > UINT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a study of sequential verdicts needs 1 to 2^32 - 1 samples");
    }
    if (plan->blocks == 0 || plan->blocks > STUDY_SEQUENTIAL_BLOCKS_MAX ||
        plan->iterations == 0 || plan->iterations > STUDY_SEQUENTIAL_ITERATIONS_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a study of sequential verdicts needs 1 to %d blocks and 1 to %d iterations, got %zu and %zu",
            STUDY_SEQUENTIAL_BLOCKS_MAX, STUDY_SEQUENTIAL_ITERATIONS_MAX, plan->blocks,
            plan->iterations);
    }
    if (!(plan->effect > -1.0 && plan->effect <= 1e6 && plan->noise > 0.0 &&
          plan->noise <= 1e6 && plan->new_noise > 0.0 && plan->new_noise <= 1e6)) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "the effect must lie above -1 and the noises above 0, got %g, %g and %g",
            plan->effect, plan->noise, plan->new_noise);
    }
    return DUET_OK;
}

/* What one model takes. */
struct work {
    const struct study_sequential_plan *plan;
    bool (*progress)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t planned;
    struct outcome *outcomes; /* BATCH */
    uint64_t *decided_with;   /* verdicts by their number of runs */
};

static enum duet_code run_model(const struct work *work, uint64_t done_before,
                                struct study_sequential_cell *cell,
                                struct duet_error *reterr)
{
    const struct study_sequential_plan *plan = work->plan;
    enum duet_code code = DUET_OK;
    for (size_t run = 0; run <= RUNS_OF_BLOCK * plan->blocks; run++) {
        work->decided_with[run] = 0;
    }
    while (cell->samples < plan->samples && code == DUET_OK) {
        uint64_t left = plan->samples - cell->samples;
        size_t count = left < BATCH ? (size_t)left : BATCH;
        if (work->progress != NULL &&
            !work->progress(work->context, done_before + cell->samples,
                            work->planned)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code =
            run_batch(plan, cell->model, cell->samples, count, work->outcomes, reterr);
        for (size_t i = 0; i < count && code == DUET_OK; i++) {
            count_outcome(plan, &work->outcomes[i], cell, work->decided_with);
        }
    }
    enum duet_code closed = close_cell(plan, work->decided_with, cell, NULL);
    return code != DUET_OK ? code : closed;
}

enum duet_code
study_sequential_run(const struct study_sequential_plan *plan,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_sequential_cell *ret_cells,
                     struct duet_error *reterr)
{
    enum duet_code code = check_plan(plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool all = plan->model == STUDY_SEQUENTIAL_MODELS;
    struct work work = {.plan = plan, .progress = progress, .context = context};
    work.planned = plan->samples * (all ? STUDY_SEQUENTIAL_MODELS : 1);
    work.outcomes = alloc_array(BATCH, sizeof *work.outcomes);
    work.decided_with =
        alloc_array(RUNS_OF_BLOCK * plan->blocks + 1, sizeof *work.decided_with);
    if (work.outcomes == NULL || work.decided_with == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for the study's counts");
        goto cleanup;
    }
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        ret_cells[model] = (struct study_sequential_cell){
            .model = model, .runs_median = (double)NAN, .runs_p90 = (double)NAN};
    }
    uint64_t done = 0;
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS && code == DUET_OK; model++) {
        if (all || model == plan->model) {
            code = run_model(&work, done, &ret_cells[model], reterr);
            done += ret_cells[model].samples;
        }
    }
cleanup:
    free(work.outcomes);
    free(work.decided_with);
    return code;
}
