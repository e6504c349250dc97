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

/* Samples between two calls of `progress`. */
enum { BATCH = 64 };

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

static void count_outcome(struct study_coverage_cell *cell,
                          const struct outcome *outcome, double *width_sum)
{
    cell->samples++;
    cell->covered += outcome->covered && outcome->bounded ? 1 : 0;
    cell->unbounded += outcome->bounded ? 0 : 1;
    *width_sum += outcome->bounded ? outcome->width_pct : 0.0;
}

struct batch {
    const struct study_coverage_plan *plan;
    const struct study_coverage_cell *cell;
    uint64_t first;
    struct outcome outcomes[BATCH];
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
static enum duet_code run_batch(const struct study_coverage_plan *plan,
                                struct study_coverage_cell *cell, uint64_t first,
                                size_t count, double *width_sum,
                                struct duet_error *reterr)
{
    struct batch batch = {.plan = plan, .cell = cell, .first = first};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 4,
                                      .threads = threads_wanted(plan->threads),
                                      .body = simulate_some,
                                      .context = &batch};
    enum duet_code code = threads_for(&loop, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        count_outcome(cell, &batch.outcomes[i], width_sum);
    }
    return code;
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

enum duet_code study_coverage_run(const struct study_coverage_plan *plan,
                                  bool (*progress)(void *context, uint64_t done,
                                                   uint64_t planned),
                                  void *context, struct study_coverage_cell *ret_cells,
                                  struct duet_error *reterr)
{
    size_t cells = study_coverage_cells();
    bool all = plan->model == STUDY_MODELS;
    uint64_t planned = plan->samples * (all ? cells : cells / STUDY_MODELS);
    uint64_t done = 0;
    enum duet_code code = DUET_OK;
    if (plan->samples == 0 || plan->samples > UINT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a study of coverage needs 1 to 2^32 - 1 samples");
    }
    name_cells(ret_cells);
    for (size_t c = 0; c < cells && code == DUET_OK; c++) {
        struct study_coverage_cell *cell = &ret_cells[c];
        double width_sum = 0.0;
        bool wanted = all || cell->model == plan->model;
        while (wanted && cell->samples < plan->samples && code == DUET_OK) {
            uint64_t left = plan->samples - cell->samples;
            size_t count = left < BATCH ? (size_t)left : BATCH;
            if (progress != NULL && !progress(context, done, planned)) {
                code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
                break;
            }
            code = run_batch(plan, cell, cell->samples, count, &width_sum, reterr);
            done += (uint64_t)count;
        }
        if (cell->samples > cell->unbounded) {
            cell->width_pct = width_sum / (double)(cell->samples - cell->unbounded);
        }
    }
    return code;
}
