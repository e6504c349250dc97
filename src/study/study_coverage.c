#include "study/study_coverage.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "study/study_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[STUDY_COVERAGE_SIZES] = {3, 5, 10, 20, 30};
enum { SIZE_MAX_VALUES = 30, RUNS_MAX = 2 * SIZE_MAX_VALUES };

/* Of the model's values on the logarithmic scale: small enough that a ratio and its
 * logarithm hardly differ. */
static const double scale = 0.05;

enum { UNIT_LEAST = 64, UNIT_MOST = 4096 };

/* The numbers of a unit. */
enum { OF_SAMPLES, OF_COVERED, OF_UNBOUNDED, OF_WIDTHS, OF_UNIT };

/* Streams of the samples, away from those of the analysis, which counts from the seed
 * of the sample. */
static const uint64_t sample_streams = UINT64_C(0xC000) << 48U;

size_t study_coverage_cells(void)
{
    return (size_t)STUDY_COVERAGE_SIZES * STUDY_MODELS * MODEL_INTERVAL_METHODS;
}

/* What an interval said about the truth. */
struct outcome {
    bool bounded;
    bool covered;
    double width_pct;
};

/* One simulated experiment's storage. */
struct sample {
    double drawn[MODEL_SIDES][RUNS_MAX * STUDY_ITERATIONS_MAX];
    double times[MODEL_SIDES][STUDY_ITERATIONS_MAX];
};

/* Run `run` of the experiment, in sample->times. */
static struct model_run_values fill_run(struct sample *sample,
                                        const struct study_coverage_cell *cell,
                                        size_t run, size_t drawn_run)
{
    size_t iterations = study_model_iterations(cell->model);
    bool paired = cell->method != MODEL_INTERVAL_DIFFERENCE;
    for (size_t i = 0; i < iterations; i++) {
        double old_value = sample->drawn[MODEL_OLD][drawn_run * iterations + i];
        double new_value = sample->drawn[MODEL_NEW][drawn_run * iterations + i];
        sample->times[MODEL_OLD][i] = paired ? 1e6 : 1e6 * (1.0 + scale * old_value);
        sample->times[MODEL_NEW][i] =
            1e6 * (paired ? exp(scale * new_value) : 1.0 + scale * new_value);
    }
    return (struct model_run_values){
        .run = run,
        .block = run / 2,
        .values = {sample->times[MODEL_OLD], sample->times[MODEL_NEW]},
        .counts = {iterations, iterations}};
}

static enum duet_code analyse(struct sample *sample,
                              const struct study_coverage_cell *cell,
                              const struct model_analysis *options,
                              struct outcome *ret_outcome, struct duet_error *reterr)
{
    size_t repeat = analysis_options_over_blocks(options) ? 2 : 1;
    struct analysis *analysis = NULL;
    enum duet_code code = analysis_new(
        options, cell->method != MODEL_INTERVAL_DIFFERENCE, &analysis, reterr);
    for (size_t r = 0; r < repeat * cell->size && code == DUET_OK; r++) {
        struct model_run_values values = fill_run(sample, cell, r, r / repeat);
        code = analysis_add_run(analysis, &values, reterr);
    }
    double ratio = 0;
    struct model_interval interval = {0};
    if (code == DUET_OK) {
        code = analysis_estimate(analysis, &ratio, &interval, reterr);
    }
    analysis_free(analysis);
    if (code == DUET_OK) {
        *ret_outcome =
            (struct outcome){.bounded = !isnan(interval.low) && !isnan(interval.high),
                             .covered = !(interval.low > 1.0) && !(interval.high < 1.0),
                             .width_pct = 100.0 * (interval.high - interval.low)};
    }
    return code;
}

/* Sample `index` of a cell. The same numbers for all methods: their differences are not
 * those between samples. */
static enum duet_code simulate(const struct study_coverage_plan *plan,
                               const struct study_coverage_cell *cell, uint64_t index,
                               struct sample *sample, struct outcome *ret_outcome,
                               struct duet_error *reterr)
{
    struct model_analysis options = model_analysis_default();
    uint64_t cell_number = (uint64_t)cell->model * RUNS_MAX + cell->size;
    uint64_t number = sample_streams + (cell_number << 32U) + index;
    struct random_stream stream = random_stream_at(plan->seed, number);
    options.confidence = plan->confidence;
    options.replicates = plan->replicates;
    options.interval = cell->method;
    options.interval_asked = true;
    options.winsorize = MODEL_WINSORIZE_OFF;
    options.seed = random_u64(&stream);
    study_model_draw(cell->model, &stream, sample->drawn[MODEL_NEW], cell->size);
    study_model_draw(cell->model, &stream, sample->drawn[MODEL_OLD], cell->size);
    return analyse(sample, cell, &options, ret_outcome, reterr);
}

struct batch {
    const struct study_coverage_plan *plan;
    const struct study_coverage_cell *cell;
    uint64_t first;
    struct outcome *outcomes;
};

static enum duet_code simulate_some(void *context, size_t first, size_t end,
                                    size_t thread, struct duet_error *reterr)
{
    (void)thread;
    struct batch *batch = context;
    struct sample *sample = alloc_array(1, sizeof *sample);
    enum duet_code code =
        sample == NULL ? error_set(reterr, DUET_E_NOMEM, "no memory for a sample")
                       : DUET_OK;
    for (size_t i = first; i < end && code == DUET_OK; i++) {
        code = simulate(batch->plan, batch->cell, batch->first + i, sample,
                        &batch->outcomes[i], reterr);
    }
    free(sample);
    return code;
}

/* Samples first to first + count - 1, shared among the threads; counted in order. */
static enum duet_code compute_unit(const struct study_coverage_plan *plan,
                                   const struct study_coverage_cell *cell,
                                   uint64_t first, size_t count,
                                   struct outcome *outcomes, double numbers[OF_UNIT],
                                   struct duet_error *reterr)
{
    struct batch batch = {plan, cell, first, outcomes};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 4,
                                      .threads = threads_wanted(plan->threads),
                                      .body = simulate_some,
                                      .context = &batch};
    enum duet_code code = threads_for(&loop, reterr);
    memset(numbers, 0, OF_UNIT * sizeof *numbers);
    numbers[OF_SAMPLES] = (double)count;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        const struct outcome *outcome = &outcomes[i];
        numbers[OF_COVERED] += outcome->covered && outcome->bounded ? 1.0 : 0.0;
        numbers[OF_UNBOUNDED] += outcome->bounded ? 0.0 : 1.0;
        numbers[OF_WIDTHS] += outcome->bounded ? outcome->width_pct : 0.0;
    }
    return code;
}

static bool add_unit(const struct study_page *page, struct study_coverage_cell *cell,
                     double *width_sum)
{
    uint64_t counts[OF_WIDTHS] = {0};
    bool right = page->count == OF_UNIT;
    for (size_t i = 0; i < OF_WIDTHS && right; i++) {
        right = study_page_whole(page, i, UNIT_MOST, &counts[i]);
    }
    if (right) {
        cell->samples += counts[OF_SAMPLES];
        cell->covered += counts[OF_COVERED];
        cell->unbounded += counts[OF_UNBOUNDED];
        *width_sum += page->numbers[OF_WIDTHS];
    }
    return right;
}

/* Unit `number` of the study; `first` is its first sample. */
static enum duet_code take_unit(const struct study_coverage_plan *plan, uint64_t number,
                                uint64_t first, size_t count, struct outcome *outcomes,
                                struct study_coverage_cell *cell, double *width_sum,
                                struct duet_error *reterr)
{
    double numbers[OF_UNIT];
    const struct study_page computed = {numbers, OF_UNIT};
    const struct study_page *known = study_book_find(plan->book, number);
    enum duet_code code = DUET_OK;
    if (known == NULL && !study_book_wants(plan->book, number)) {
        return DUET_OK;
    }
    if (known == NULL) {
        code = compute_unit(plan, cell, first, count, outcomes, numbers, reterr);
        known = &computed;
        if (code == DUET_OK) {
            code = study_book_put(plan->book, number, numbers, OF_UNIT, reterr);
        }
    }
    return code == DUET_OK && !add_unit(known, cell, width_sum)
               ? study_page_wrong(number, reterr)
               : code;
}

static uint64_t unit_samples_of(const struct study_coverage_plan *plan)
{
    return study_book_unit_size(plan->samples, UNIT_LEAST, UNIT_MOST);
}

static uint64_t units_of_cell(const struct study_coverage_plan *plan)
{
    uint64_t size = unit_samples_of(plan);
    return (plan->samples + size - 1) / size;
}

uint64_t study_coverage_units(const struct study_coverage_plan *plan)
{
    size_t cells = study_coverage_cells();
    return units_of_cell(plan) *
           (plan->model == STUDY_MODELS ? cells : cells / STUDY_MODELS);
}

static void name_cells(struct study_coverage_cell *cells)
{
    size_t at = 0;
    for (size_t size = 0; size < STUDY_COVERAGE_SIZES; size++) {
        for (int model = 0; model < STUDY_MODELS; model++) {
            for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
                cells[at++] = (struct study_coverage_cell){
                    .method = (enum model_interval_method)method,
                    .model = (enum study_model)model,
                    .size = sizes[size],
                    .width_pct = (double)NAN};
            }
        }
    }
}

/* All units of a cell, from `unit` of the study on. */
struct walk {
    const struct study_coverage_plan *plan;
    bool (*progress)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t done;
    uint64_t planned;
    uint64_t unit;
    struct outcome *outcomes; /* of a unit */
};

static enum duet_code run_cell(struct walk *walk, struct study_coverage_cell *cell,
                               struct duet_error *reterr)
{
    const struct study_coverage_plan *plan = walk->plan;
    uint64_t size = unit_samples_of(plan);
    double width_sum = 0.0;
    enum duet_code code = DUET_OK;
    for (uint64_t first = 0; first < plan->samples && code == DUET_OK; first += size) {
        uint64_t left = plan->samples - first;
        size_t count = (size_t)(left < size ? left : size);
        if (walk->progress != NULL &&
            !walk->progress(walk->context, walk->done, walk->planned)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code = take_unit(plan, walk->unit++, first, count, walk->outcomes, cell,
                         &width_sum, reterr);
        walk->done += count;
    }
    if (cell->samples > cell->unbounded) {
        cell->width_pct = width_sum / (double)(cell->samples - cell->unbounded);
    }
    return code;
}

enum duet_code study_coverage_run(const struct study_coverage_plan *plan,
                                  bool (*progress)(void *context, uint64_t done,
                                                   uint64_t planned),
                                  void *context, struct study_coverage_cell *ret_cells,
                                  struct duet_error *reterr)
{
    size_t cells = study_coverage_cells();
    bool all = plan->model == STUDY_MODELS;
    struct walk walk = {.plan = plan,
                        .progress = progress,
                        .context = context,
                        .planned =
                            plan->samples * (all ? cells : cells / STUDY_MODELS)};
    enum duet_code code = DUET_OK;
    if (plan->samples == 0 || plan->samples > UINT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a study of coverage needs 1 to 2^32 - 1 samples");
    }
    walk.outcomes = alloc_array((size_t)unit_samples_of(plan), sizeof *walk.outcomes);
    if (walk.outcomes == NULL) {
        return error_no_memory(reterr);
    }
    name_cells(ret_cells);
    for (size_t c = 0; c < cells && code == DUET_OK; c++) {
        if (all || ret_cells[c].model == plan->model) {
            code = run_cell(&walk, &ret_cells[c], reterr);
        }
    }
    free(walk.outcomes);
    return code;
}
