#include "study/study_stopping.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "study/study_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS_PART = 3, UNIT_STARTS = 16 };

/* The numbers of a cell in a unit. */
enum {
    OF_TESTS,
    OF_STOPPED,
    OF_ACCURATE,
    OF_POINTS,
    OF_STOPPED_POINTS,
    OF_ERRORS,
    OF_ERROR_MAX,
    OF_CELL
};

/* A stream a test, of which its seed is drawn. */
static const uint64_t seed_streams = UINT64_C(0xE000) << 48U;

/* A series being studied. */
struct work {
    const struct study_stopping_plan *plan;
    const struct study_series *series;
    uint64_t number;
    double *twice; /* the test points, twice in a row */
    struct analysis_stopper *stoppers[STUDY_STATISTICS_MAX][ANALYSIS_STOP_RULES];
    double truths[STUDY_STATISTICS_MAX];
    struct analysis_stop *stops; /* a test a thread: by test, statistic, rule, error */
};

size_t study_stopping_cells(const struct study_stopping_plan *plan, size_t series_count)
{
    return series_count * plan->statistic_count * ANALYSIS_STOP_RULES *
           plan->error_count;
}

static size_t cell_at(const struct study_stopping_plan *plan, size_t statistic,
                      size_t rule, size_t error)
{
    return (statistic * ANALYSIS_STOP_RULES + rule) * plan->error_count + error;
}

static size_t starts_of(const struct study_stopping_plan *plan,
                        const struct study_series *series)
{
    size_t points = plan->starts == STUDY_STARTS_ALL
                        ? series->test_points
                        : series->test_points / STARTS_PART + 1;
    return (points + plan->every - 1) / plan->every;
}

/* At least 1; so many tests are simulated between two looks at whether to go on. */
static int thread_count(const struct study_stopping_plan *plan)
{
    return threads_wanted(plan->threads);
}

static void work_release(struct work *work)
{
    free(work->twice);
    free(work->stops);
    for (size_t s = 0; s < STUDY_STATISTICS_MAX; s++) {
        for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
            analysis_stopper_free(work->stoppers[s][r]);
        }
    }
}

static enum duet_code make_stoppers(struct work *work, size_t statistic,
                                    struct duet_error *reterr)
{
    const struct study_stopping_plan *plan = work->plan;
    struct analysis_stop_question question = {.statistic = plan->statistics[statistic],
                                              .error_count = plan->error_count,
                                              .confidence = plan->confidence,
                                              .interval = work->series->interval,
                                              .replicates = plan->replicates};
    memcpy(question.errors, plan->errors, sizeof question.errors);
    enum duet_code code = study_truth_of(work->series, &question.statistic,
                                         &work->truths[statistic], reterr);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES && code == DUET_OK; r++) {
        question.rule = (enum analysis_stop_rule)r;
        if (plan->rules[r]) {
            code = analysis_stopper_new(&question, work->series->test_points,
                                        &work->stoppers[statistic][r], reterr);
        }
    }
    return code;
}

static enum duet_code work_init(struct work *work, struct duet_error *reterr)
{
    size_t points = work->series->test_points;
    work->twice = alloc_array(2 * points, sizeof *work->twice);
    work->stops = alloc_array((size_t)thread_count(work->plan) *
                                  study_stopping_cells(work->plan, 1),
                              sizeof *work->stops);
    if (work->twice == NULL || work->stops == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the tests of %s",
                         work->series->name);
    }
    memcpy(work->twice, work->series->values, points * sizeof *work->twice);
    memcpy(work->twice + points, work->series->values, points * sizeof *work->twice);
    enum duet_code code = DUET_OK;
    for (size_t s = 0; s < work->plan->statistic_count && code == DUET_OK; s++) {
        code = make_stoppers(work, s, reterr);
    }
    return code;
}

/* One test, by all rules, for all statistics. */
static enum duet_code simulate(const struct work *work, size_t start,
                               struct analysis_stop *ret_stops,
                               struct duet_error *reterr)
{
    const struct study_stopping_plan *plan = work->plan;
    size_t points = work->series->test_points;
    size_t count = plan->starts == STUDY_STARTS_ALL ? points : points - start;
    struct random_stream stream = random_stream_at(
        plan->seed, seed_streams + (work->number << 32U) + (uint64_t)start);
    uint64_t seed = random_u64(&stream);
    enum duet_code code = DUET_OK;
    for (size_t s = 0; s < plan->statistic_count; s++) {
        for (size_t r = 0; r < ANALYSIS_STOP_RULES && code == DUET_OK; r++) {
            if (plan->rules[r]) {
                code = analysis_stopper_find(
                    work->stoppers[s][r], work->twice + start, count, seed,
                    ret_stops + cell_at(plan, s, r, 0), reterr);
            }
        }
    }
    return code;
}

struct batch {
    const struct work *work;
    size_t first;
};

static enum duet_code simulate_some(void *context, size_t first, size_t end,
                                    size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct batch *batch = context;
    const struct work *work = batch->work;
    size_t cells = study_stopping_cells(work->plan, 1);
    for (size_t i = first; i < end; i++) {
        struct duet_error error = {0};
        enum duet_code code = simulate(work, (batch->first + i) * work->plan->every,
                                       work->stops + i * cells, &error);
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s: %s", work->series->name, error.message);
        }
    }
    return DUET_OK;
}

static enum duet_code simulate_batch(const struct work *work, size_t first,
                                     size_t count, struct duet_error *reterr)
{
    struct batch batch = {work, first};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 1,
                                      .threads = thread_count(work->plan),
                                      .body = simulate_some,
                                      .context = &batch};
    return threads_for(&loop, reterr);
}

static void count_stop(const struct work *work, const struct analysis_stop *stop,
                       double truth, double allowed, struct study_stopping_cell *cell)
{
    double used =
        stop->stopped ? (double)stop->points : (double)work->series->test_points;
    cell->tests++;
    cell->points_sum += used;
    if (stop->stopped) {
        double error = fabs(stop->result - truth) / truth;
        cell->stopped++;
        cell->accurate += error < allowed ? 1 : 0;
        cell->error_sum += error;
        cell->error_max = fmax(cell->error_max, error);
        cell->points_stopped_sum += used;
    }
}

static void count_test(const struct work *work, const struct analysis_stop *stops,
                       struct study_stopping_cell *cells)
{
    const struct study_stopping_plan *plan = work->plan;
    for (size_t s = 0; s < plan->statistic_count; s++) {
        for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
            for (size_t e = 0; e < plan->error_count && plan->rules[r]; e++) {
                size_t at = cell_at(plan, s, r, e);
                count_stop(work, &stops[at], work->truths[s], plan->errors[e],
                           &cells[at]);
            }
        }
    }
}

/* ---- Units ---- */

static uint64_t units_of(const struct study_stopping_plan *plan,
                         const struct study_series *series)
{
    return (starts_of(plan, series) + UNIT_STARTS - 1) / UNIT_STARTS;
}

uint64_t study_stopping_units(const struct study_stopping_plan *plan,
                              const struct study_series *series, size_t series_count)
{
    uint64_t units = 0;
    for (size_t i = 0; i < series_count; i++) {
        units += units_of(plan, &series[i]);
    }
    return units;
}

static void pack(const struct study_stopping_cell *cells, size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        const struct study_stopping_cell *cell = &cells[i];
        double *of = numbers + i * OF_CELL;
        of[OF_TESTS] = (double)cell->tests;
        of[OF_STOPPED] = (double)cell->stopped;
        of[OF_ACCURATE] = (double)cell->accurate;
        of[OF_POINTS] = cell->points_sum;
        of[OF_STOPPED_POINTS] = cell->points_stopped_sum;
        of[OF_ERRORS] = cell->error_sum;
        of[OF_ERROR_MAX] = cell->error_max;
    }
}

/* False: these cannot be the numbers of a unit. */
static bool add_unit(const struct study_page *page, struct study_stopping_cell *cells,
                     size_t count)
{
    bool right = page->count == count * OF_CELL;
    for (size_t i = 0; i < count && right; i++) {
        const double *of = page->numbers + i * OF_CELL;
        uint64_t counts[OF_POINTS] = {0};
        for (size_t c = 0; c < OF_POINTS && right; c++) {
            right = study_page_whole(page, i * OF_CELL + c, UNIT_STARTS, &counts[c]);
        }
        cells[i].tests += counts[OF_TESTS];
        cells[i].stopped += counts[OF_STOPPED];
        cells[i].accurate += counts[OF_ACCURATE];
        cells[i].points_sum += of[OF_POINTS];
        cells[i].points_stopped_sum += of[OF_STOPPED_POINTS];
        cells[i].error_sum += of[OF_ERRORS];
        cells[i].error_max = fmax(cells[i].error_max, of[OF_ERROR_MAX]);
    }
    return right;
}

/* What all series together have done. */
struct run {
    bool (*progress)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t done;
    uint64_t planned;
    uint64_t unit; /* the next one */
};

/* Of one series. */
struct counts {
    struct study_stopping_cell *all;
    struct study_stopping_cell *unit;
    double *numbers; /* of a unit */
    size_t cells;
};

/* Starts first to end - 1, into counts->numbers. */
static enum duet_code compute_unit(const struct work *work, struct run *run,
                                   const struct counts *counts, size_t first,
                                   size_t end, struct duet_error *reterr)
{
    size_t batch = (size_t)thread_count(work->plan);
    enum duet_code code = DUET_OK;
    memset(counts->unit, 0, counts->cells * sizeof *counts->unit);
    for (; first < end && code == DUET_OK; first += batch) {
        size_t count = end - first < batch ? end - first : batch;
        if (run->progress != NULL &&
            !run->progress(run->context, run->done, run->planned)) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        code = simulate_batch(work, first, count, reterr);
        for (size_t i = 0; i < count && code == DUET_OK; i++) {
            count_test(work, work->stops + i * counts->cells, counts->unit);
        }
        run->done += count;
    }
    pack(counts->unit, counts->cells, counts->numbers);
    return code;
}

static enum duet_code take_unit(const struct work *work, struct run *run,
                                const struct counts *counts, size_t first, size_t end,
                                struct duet_error *reterr)
{
    struct study_book *book = work->plan->book;
    uint64_t number = run->unit++;
    const struct study_page computed = {counts->numbers, counts->cells * OF_CELL};
    const struct study_page *known = study_book_find(book, number);
    enum duet_code code = DUET_OK;
    if (known != NULL || !study_book_wants(book, number)) {
        run->done += end - first;
    } else {
        code = compute_unit(work, run, counts, first, end, reterr);
        known = &computed;
        if (code == DUET_OK) {
            code =
                study_book_put(book, number, computed.numbers, computed.count, reterr);
        }
    }
    return code == DUET_OK && known != NULL &&
                   !add_unit(known, counts->all, counts->cells)
               ? study_page_wrong(number, reterr)
               : code;
}

/* The cells are set when the series is done. */
static enum duet_code run_series(struct work *work, struct run *run,
                                 struct study_stopping_cell *ret_cells,
                                 struct duet_error *reterr)
{
    size_t cells = study_stopping_cells(work->plan, 1);
    size_t starts = starts_of(work->plan, work->series);
    struct counts counts = {.all = alloc_array(cells, sizeof *counts.all),
                            .unit = alloc_array(cells, sizeof *counts.unit),
                            .numbers = alloc_array(cells * OF_CELL, sizeof(double)),
                            .cells = cells};
    enum duet_code code =
        counts.all == NULL || counts.unit == NULL || counts.numbers == NULL
            ? error_set(reterr, DUET_E_NOMEM, "no memory for the study's counts")
            : work_init(work, reterr);
    for (size_t first = 0; first < starts && code == DUET_OK; first += UNIT_STARTS) {
        size_t end = starts - first < UNIT_STARTS ? starts : first + UNIT_STARTS;
        code = take_unit(work, run, &counts, first, end, reterr);
    }
    if (code == DUET_OK) {
        memcpy(ret_cells, counts.all, cells * sizeof *counts.all);
    }
    work_release(work);
    free(counts.all);
    free(counts.unit);
    free(counts.numbers);
    return code;
}

enum duet_code
study_stopping_run(const struct study_stopping_plan *plan,
                   const struct study_series *series, size_t series_count,
                   bool (*progress)(void *context, uint64_t done, uint64_t planned),
                   void *context, struct study_stopping_cell *ret_cells,
                   struct duet_error *reterr)
{
    enum duet_code code = study_stopping_check(plan, series, series_count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct run run = {.progress = progress, .context = context};
    size_t cells = study_stopping_cells(plan, 1);
    for (size_t i = 0; i < series_count; i++) {
        run.planned += starts_of(plan, &series[i]);
    }
    memset(ret_cells, 0, series_count * cells * sizeof *ret_cells);
    for (size_t i = 0; i < series_count && code == DUET_OK; i++) {
        struct work work = {.plan = plan, .series = &series[i], .number = i};
        code = run_series(&work, &run, ret_cells + i * cells, reterr);
    }
    return code;
}
