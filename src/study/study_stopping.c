#include "study/study_stopping.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "study/study_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS_PART = 3 };

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
    size_t places = plan->starts == STUDY_STARTS_ALL
                        ? series->test_points
                        : series->test_points / STARTS_PART + 1;
    return (places + plan->every - 1) / plan->every;
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

/* What all series together have done. */
struct run {
    bool (*progress)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t done;
    uint64_t planned;
};

/* The cells are set when the series is done. */
static enum duet_code run_series(struct work *work, struct run *run,
                                 struct study_stopping_cell *ret_cells,
                                 struct duet_error *reterr)
{
    size_t cells = study_stopping_cells(work->plan, 1);
    size_t starts = starts_of(work->plan, work->series);
    struct study_stopping_cell *counted = alloc_array(cells, sizeof *counted);
    if (counted == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the study's counts");
    }
    size_t batch = (size_t)thread_count(work->plan);
    enum duet_code code = work_init(work, reterr);
    for (size_t first = 0; first < starts && code == DUET_OK; first += batch) {
        size_t count = starts - first < batch ? starts - first : batch;
        if (run->progress != NULL &&
            !run->progress(run->context, run->done, run->planned)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code = simulate_batch(work, first, count, reterr);
        for (size_t i = 0; i < count && code == DUET_OK; i++) {
            count_test(work, work->stops + i * cells, counted);
        }
        run->done += count;
    }
    if (code == DUET_OK) {
        memcpy(ret_cells, counted, cells * sizeof *counted);
    }
    work_release(work);
    free(counted);
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
