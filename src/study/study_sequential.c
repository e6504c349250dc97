#include "study/study_sequential.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/binomial.h"
#include "study/study_sequential_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS_OF_BLOCK = STUDY_SEQUENTIAL_RUNS_OF_BLOCK,
    UNIT_LEAST = 256,
    UNIT_MOST = 16384
};

/* The numbers of a unit; behind them pairs: runs, and verdicts that came with so many.
 */
enum { OF_SAMPLES, OF_WRONG, OF_RIGHT, OF_MISSED, OF_UNIT };

static const double count_confidence = 0.99;

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

struct batch {
    const struct study_sequential_plan *plan;
    int model;
    uint64_t first;
    struct study_sequential_outcome *outcomes;
};

static enum duet_code simulate_some(void *context, size_t first, size_t end,
                                    size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct batch *batch = context;
    struct study_sequential_bench bench;
    enum duet_code code = study_sequential_bench_init(batch->plan, &bench, reterr);
    for (size_t i = first; i < end && code == DUET_OK; i++) {
        code = study_sequential_simulate(batch->plan, batch->model, batch->first + i,
                                         &bench, &batch->outcomes[i], reterr);
    }
    study_sequential_bench_release(&bench);
    return code;
}

/* Samples first to first + count - 1, shared among the threads. */
static enum duet_code run_batch(const struct study_sequential_plan *plan, int model,
                                uint64_t first, size_t count,
                                struct study_sequential_outcome *ret_outcomes,
                                struct duet_error *reterr)
{
    struct batch batch = {plan, model, first, ret_outcomes};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 64,
                                      .threads = threads_wanted(plan->threads),
                                      .body = simulate_some,
                                      .context = &batch};
    return threads_for(&loop, reterr);
}

/* Adds an outcome to the counts of a unit. */
static void count_outcome(const struct study_sequential_plan *plan,
                          const struct study_sequential_outcome *outcome,
                          double *numbers, uint64_t *decided_with)
{
    bool as_it_is = (outcome->sign > 0 && plan->effect > 0.0) ||
                    (outcome->sign < 0 && plan->effect < 0.0);
    numbers[OF_SAMPLES] += 1.0;
    numbers[OF_MISSED] += outcome->missed ? 1.0 : 0.0;
    if (outcome->sign != 0) {
        numbers[as_it_is ? OF_RIGHT : OF_WRONG] += 1.0;
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
    uint64_t done;
    uint64_t unit_samples;
    struct study_sequential_outcome *outcomes; /* of a unit */
    uint64_t *decided_of_unit;                 /* verdicts by their number of runs */
    uint64_t *decided_with;                    /* the same of a model */
    double *numbers;                           /* of a unit, as many as there can be */
};

static size_t runs_of(const struct study_sequential_plan *plan)
{
    return RUNS_OF_BLOCK * plan->blocks;
}

static uint64_t unit_samples_of(const struct study_sequential_plan *plan)
{
    return study_book_unit_size(plan->samples, UNIT_LEAST, UNIT_MOST);
}

static uint64_t units_of_model(const struct study_sequential_plan *plan)
{
    uint64_t size = unit_samples_of(plan);
    return (plan->samples + size - 1) / size;
}

uint64_t study_sequential_units(const struct study_sequential_plan *plan)
{
    return units_of_model(plan) *
           (plan->model == STUDY_SEQUENTIAL_MODELS ? STUDY_SEQUENTIAL_MODELS : 1U);
}

static enum duet_code compute_unit(const struct work *work, int model, uint64_t first,
                                   size_t samples, size_t *ret_count,
                                   struct duet_error *reterr)
{
    const struct study_sequential_plan *plan = work->plan;
    size_t count = OF_UNIT;
    memset(work->numbers, 0, OF_UNIT * sizeof *work->numbers);
    memset(work->decided_of_unit, 0,
           (runs_of(plan) + 1) * sizeof *work->decided_of_unit);
    enum duet_code code =
        run_batch(plan, model, first, samples, work->outcomes, reterr);
    for (size_t i = 0; i < samples && code == DUET_OK; i++) {
        count_outcome(plan, &work->outcomes[i], work->numbers, work->decided_of_unit);
    }
    for (size_t run = 1; run <= runs_of(plan); run++) {
        if (work->decided_of_unit[run] > 0) {
            work->numbers[count++] = (double)run;
            work->numbers[count++] = (double)work->decided_of_unit[run];
        }
    }
    *ret_count = count;
    return code;
}

/* False: these cannot be the numbers of a unit. */
static bool add_unit(const struct work *work, const struct study_page *page,
                     struct study_sequential_cell *cell)
{
    uint64_t most = work->plan->samples;
    uint64_t counts[OF_UNIT] = {0};
    bool right = page->count >= OF_UNIT && (page->count - OF_UNIT) % 2 == 0;
    for (size_t i = 0; i < OF_UNIT && right; i++) {
        right = study_page_whole(page, i, most, &counts[i]);
    }
    for (size_t i = OF_UNIT; i < page->count && right; i += 2) {
        uint64_t run = 0;
        uint64_t verdicts = 0;
        right = study_page_whole(page, i, runs_of(work->plan), &run) &&
                study_page_whole(page, i + 1, most, &verdicts);
        work->decided_with[run] += verdicts;
    }
    cell->samples += counts[OF_SAMPLES];
    cell->wrong += counts[OF_WRONG];
    cell->right += counts[OF_RIGHT];
    cell->missed += counts[OF_MISSED];
    return right;
}

/* Unit `number` of the study; `first` is its first sample. */
static enum duet_code take_unit(const struct work *work, uint64_t number,
                                uint64_t first, size_t samples,
                                struct study_sequential_cell *cell,
                                struct duet_error *reterr)
{
    struct study_book *book = work->plan->book;
    const struct study_page *known = study_book_find(book, number);
    struct study_page computed = {.numbers = work->numbers};
    enum duet_code code = DUET_OK;
    if (known == NULL && !study_book_wants(book, number)) {
        return DUET_OK;
    }
    if (known == NULL) {
        code = compute_unit(work, cell->model, first, samples, &computed.count, reterr);
    }
    if (code == DUET_OK && known == NULL) {
        code = study_book_put(book, number, computed.numbers, computed.count, reterr);
        known = &computed;
    }
    return code == DUET_OK && !add_unit(work, known, cell)
               ? study_page_wrong(number, reterr)
               : code;
}

static enum duet_code run_model(struct work *work, uint64_t first_unit,
                                struct study_sequential_cell *cell,
                                struct duet_error *reterr)
{
    const struct study_sequential_plan *plan = work->plan;
    uint64_t size = work->unit_samples;
    enum duet_code code = DUET_OK;
    memset(work->decided_with, 0, (runs_of(plan) + 1) * sizeof *work->decided_with);
    for (uint64_t first = 0; first < plan->samples && code == DUET_OK; first += size) {
        uint64_t left = plan->samples - first;
        size_t count = (size_t)(left < size ? left : size);
        if (work->progress != NULL &&
            !work->progress(work->context, work->done, work->planned)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code = take_unit(work, first_unit + first / size, first, count, cell, reterr);
        work->done += count;
    }
    enum duet_code closed = close_cell(plan, work->decided_with, cell, NULL);
    return code != DUET_OK ? code : closed;
}

static bool work_init(struct work *work)
{
    size_t runs = runs_of(work->plan) + 1;
    work->unit_samples = unit_samples_of(work->plan);
    work->outcomes = alloc_array((size_t)work->unit_samples, sizeof *work->outcomes);
    work->decided_with = alloc_array(runs, sizeof *work->decided_with);
    work->decided_of_unit = alloc_array(runs, sizeof *work->decided_of_unit);
    work->numbers = alloc_array(OF_UNIT + 2 * runs, sizeof *work->numbers);
    return work->outcomes != NULL && work->decided_with != NULL &&
           work->decided_of_unit != NULL && work->numbers != NULL;
}

static void work_release(struct work *work)
{
    free(work->outcomes);
    free(work->decided_with);
    free(work->decided_of_unit);
    free(work->numbers);
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
    if (!work_init(&work)) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for the study's counts");
        goto cleanup;
    }
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        ret_cells[model] = (struct study_sequential_cell){
            .model = model, .runs_median = (double)NAN, .runs_p90 = (double)NAN};
    }
    uint64_t unit = 0;
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS && code == DUET_OK; model++) {
        if (all || model == plan->model) {
            code = run_model(&work, unit, &ret_cells[model], reterr);
            unit += units_of_model(plan);
        }
    }
cleanup:
    work_release(&work);
    return code;
}
