#include "study/study_prediction.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "stats/moments.h"
#include "stats/rank/order.h"
#include "stats/regression/gaussian_process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS_BATCH = 64, PREDICTIONS_BATCH = 512 };

/* The numbers of a cell in a unit. */
enum { OF_PREDICTIONS, OF_MEAN, OF_SD, OF_LOW, OF_HIGH, OF_POINTS, OF_CELL };

static const uint64_t prediction_streams = UINT64_C(0xEA03) << 48U;
static const double quantile_low = 0.05, quantile_high = 0.95;

/* A study under way. */
struct work {
    const struct study_prediction_plan *plan;
    const struct study_configuration *configurations;
    size_t count;
    struct stats_lapack lapack;
    bool *computed; /* by configuration: it is a target, and not known or left to others
                     */
    struct study_trained *trained; /* by configuration; empty where it is not needed */
    double *errors;                /* of the predictions of a cell */
    bool (*progress)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t done;
    uint64_t planned;
};

static bool is_target(const struct study_prediction_plan *plan,
                      const struct study_configuration *configuration)
{
    return plan->target == NULL || strcmp(configuration->name, plan->target) == 0;
}

static bool same_benchmark(const struct study_configuration *a,
                           const struct study_configuration *b)
{
    return strcmp(a->benchmark, b->benchmark) == 0;
}

/* Others of the same benchmark: ret_others NULL, or room for STATS_GP_POINTS_MAX. */
static size_t find_others(const struct work *work, size_t target, size_t *ret_others)
{
    size_t others = 0;
    for (size_t i = 0; i < work->count; i++) {
        if (i != target &&
            same_benchmark(&work->configurations[i], &work->configurations[target])) {
            if (ret_others != NULL) {
                ret_others[others] = i;
            }
            others++;
        }
    }
    return others;
}

static enum duet_code check_plan(const struct study_prediction_plan *plan,
                                 struct duet_error *reterr)
{
    if (plan->features == 0 || plan->features > STATS_GP_FEATURES_MAX ||
        plan->predictions < 2 || plan->predictions > UINT32_MAX ||
        plan->training.tests == 0 || plan->training.tests > UINT32_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a study of predictions needs 1 to %d features, 2 to 2^32 - 1 predictions and 1 to 2^32 - 1 tests",
            STATS_GP_FEATURES_MAX);
    }
    return DUET_OK;
}

static enum duet_code check_configuration(const struct work *work, size_t at,
                                          struct duet_error *reterr)
{
    const struct study_configuration *one = &work->configurations[at];
    size_t others = find_others(work, at, NULL);
    size_t points = work->plan->training.points;
    if (!(one->truth > 0.0 && isfinite(one->truth)) || points == 0 ||
        one->count < points || one->count > INT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "%s on %s has %zu measurements for tests and a mean of %g; "
                         "a test takes %zu, and the mean must be above 0",
                         one->benchmark, one->name, one->count, one->truth, points);
    }
    if (others < STUDY_PREDICTION_OTHERS_MIN || others > STATS_GP_POINTS_MAX) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "%s has %zu configurations; predicting one of them takes %d to %d",
            one->benchmark, others + 1, STUDY_PREDICTION_OTHERS_MIN + 1,
            STATS_GP_POINTS_MAX + 1);
    }
    return DUET_OK;
}

static enum duet_code check(const struct work *work, struct duet_error *reterr)
{
    const struct study_prediction_plan *plan = work->plan;
    enum duet_code code = check_plan(plan, reterr);
    bool any = false;
    for (size_t i = 0; i < work->count && code == DUET_OK; i++) {
        code = check_configuration(work, i, reterr);
        any = any || is_target(plan, &work->configurations[i]);
    }
    if (code == DUET_OK && !any) {
        code = error_set(reterr, DUET_E_TOO_FEW, "no configuration '%s'",
                         plan->target == NULL ? "" : plan->target);
    }
    return code;
}

/* Which targets are to be computed here. */
static bool find_computed(struct work *work)
{
    const struct study_prediction_plan *plan = work->plan;
    uint64_t unit = 0;
    work->computed = alloc_array(work->count, sizeof *work->computed);
    for (size_t i = 0; i < work->count && work->computed != NULL; i++) {
        bool target = is_target(plan, &work->configurations[i]);
        work->computed[i] = target && study_book_find(plan->book, unit) == NULL &&
                            study_book_wants(plan->book, unit);
        unit += target ? 1 : 0;
    }
    return work->computed != NULL;
}

/* Whether some target of its benchmark is predicted from it here. */
static bool is_needed(const struct work *work, size_t at)
{
    for (size_t i = 0; i < work->count; i++) {
        if (i != at &&
            same_benchmark(&work->configurations[i], &work->configurations[at]) &&
            work->computed[i]) {
            return true;
        }
    }
    return false;
}

static bool is_random(size_t training)
{
    return training != STUDY_TRAINING_TRUTH;
}

static void plan_steps(struct work *work)
{
    const struct study_prediction_plan *plan = work->plan;
    size_t trainings = 0;
    for (size_t t = 0; t < STUDY_TRAININGS; t++) {
        trainings += is_random(t) && study_training_has(&plan->training, t) ? 1 : 0;
    }
    for (size_t i = 0; i < work->count; i++) {
        work->planned += is_needed(work, i) ? plan->training.tests : 0;
        work->planned += work->computed[i] ? trainings * plan->predictions : 0;
    }
}

static enum duet_code step(struct work *work, uint64_t done, struct duet_error *reterr)
{
    if (work->progress != NULL &&
        !work->progress(work->context, work->done, work->planned)) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    work->done += done;
    return DUET_OK;
}

static enum duet_code train(struct work *work, size_t at, struct duet_error *reterr)
{
    const struct study_training_plan *plan = &work->plan->training;
    struct study_trained *trained = &work->trained[at];
    enum duet_code code = DUET_OK;
    trained->means =
        alloc_array(STUDY_TRAINING_TRUTH * plan->tests, sizeof *trained->means);
    if (trained->means == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu tests", plan->tests);
    }
    for (size_t first = 0; first < plan->tests && code == DUET_OK;
         first += TESTS_BATCH) {
        size_t left = plan->tests - first;
        size_t count = left < TESTS_BATCH ? left : TESTS_BATCH;
        code = step(work, count, reterr);
        if (code == DUET_OK) {
            code = study_training_run(plan, &work->configurations[at], at, first, count,
                                      trained, reterr);
        }
    }
    return code;
}

/* What a target is predicted from. */
struct task {
    const struct work *work;
    size_t target;
    size_t training;
    size_t others[STATS_GP_POINTS_MAX];
    size_t other_count;
    double points[STATS_GP_POINTS_MAX * STATS_GP_FEATURES_MAX];
};

static void task_init(struct task *task)
{
    const struct work *work = task->work;
    size_t features = work->plan->features;
    task->other_count = find_others(work, task->target, task->others);
    for (size_t i = 0; i < task->other_count; i++) {
        memcpy(task->points + i * features,
               work->configurations[task->others[i]].features,
               features * sizeof *task->points);
    }
}

/* (prediction - truth) / truth. */
static enum duet_code predict(const struct task *task, uint64_t number,
                              double *ret_error, struct duet_error *reterr)
{
    const struct work *work = task->work;
    const struct study_prediction_plan *plan = work->plan;
    const struct study_configuration *target = &work->configurations[task->target];
    double values[STATS_GP_POINTS_MAX];
    struct random_stream stream =
        random_stream_at(plan->training.seed,
                         prediction_streams + ((uint64_t)task->target << 32U) + number);
    for (size_t i = 0; i < task->other_count; i++) {
        size_t other = task->others[i];
        size_t test = random_below(&stream, (uint32_t)plan->training.tests);
        values[i] = log(is_random(task->training)
                            ? work->trained[other]
                                  .means[task->training * plan->training.tests + test]
                            : work->configurations[other].truth);
    }
    const struct stats_gp_data data = {task->points, values, task->other_count,
                                       plan->features};
    struct stats_gp *gp = NULL;
    double mean = 0.0;
    enum duet_code code =
        stats_gp_fit(&work->lapack, &data, plan->one_length, &gp, reterr);
    if (code == DUET_OK) {
        stats_gp_predict(gp, target->features, &mean, NULL);
        *ret_error = exp(mean) / target->truth - 1.0;
    }
    stats_gp_free(gp);
    return code;
}

struct batch {
    const struct task *task;
    uint64_t first;
};

static enum duet_code predict_some(void *context, size_t first, size_t end,
                                   size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct batch *batch = context;
    const struct task *task = batch->task;
    for (uint64_t i = batch->first + first; i < batch->first + end; i++) {
        struct duet_error error = {0};
        enum duet_code code = predict(task, i, &task->work->errors[i], &error);
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s: %s",
                             task->work->configurations[task->target].benchmark,
                             error.message);
        }
    }
    return DUET_OK;
}

static enum duet_code predict_batch(const struct task *task, uint64_t first,
                                    uint64_t count, struct duet_error *reterr)
{
    struct batch batch = {task, first};
    const struct threads_loop loop = {
        .count = (size_t)count,
        .chunk = 8,
        .threads = threads_wanted(task->work->plan->training.threads),
        .body = predict_some,
        .context = &batch};
    return threads_for(&loop, reterr);
}

/* Of the first `count` errors, which are reordered. */
static enum duet_code sum_up(const struct task *task, uint64_t count,
                             struct study_prediction_cell *ret_cell,
                             struct duet_error *reterr)
{
    const struct work *work = task->work;
    struct study_prediction_cell cell = {.predictions = count};
    struct stats_moments moments = {0};
    uint64_t points = 0;
    for (uint64_t i = 0; i < count; i++) {
        stats_moments_add(&moments, fabs(work->errors[i]));
    }
    cell.error_mean = moments.mean;
    cell.error_sd = stats_moments_sd_sample(&moments);
    for (size_t i = 0; i < task->other_count && is_random(task->training); i++) {
        points += work->trained[task->others[i]].points[task->training];
    }
    cell.points_mean =
        is_random(task->training)
            ? (double)points / (double)(task->other_count * work->plan->training.tests)
            : (double)NAN;
    enum duet_code code = stats_quantile_type7(work->errors, count, quantile_low,
                                               &cell.error_low, reterr);
    if (code == DUET_OK) {
        code = stats_quantile_type7(work->errors, count, quantile_high,
                                    &cell.error_high, reterr);
    }
    if (code == DUET_OK) {
        *ret_cell = cell;
    }
    return code;
}

static enum duet_code fill_cell(struct work *work, size_t target, size_t training,
                                struct study_prediction_cell *ret_cell,
                                struct duet_error *reterr)
{
    struct task task = {.work = work, .target = target, .training = training};
    uint64_t count = is_random(training) ? work->plan->predictions : 1;
    enum duet_code code = DUET_OK;
    task_init(&task);
    for (uint64_t first = 0; first < count && code == DUET_OK;
         first += PREDICTIONS_BATCH) {
        uint64_t left = count - first;
        uint64_t batch = left < PREDICTIONS_BATCH ? left : PREDICTIONS_BATCH;
        code = step(work, is_random(training) ? batch : 0, reterr);
        if (code == DUET_OK) {
            code = predict_batch(&task, first, batch, reterr);
        }
    }
    return code == DUET_OK ? sum_up(&task, count, ret_cell, reterr) : code;
}

/* A target's cells are set when all of them are done. */
static enum duet_code fill_target(struct work *work, size_t target,
                                  struct study_prediction_cell *ret_cells,
                                  struct duet_error *reterr)
{
    struct study_prediction_cell cells[STUDY_TRAININGS] = {{0}};
    enum duet_code code = DUET_OK;
    for (size_t t = 0; t < STUDY_TRAININGS && code == DUET_OK; t++) {
        if (study_training_has(&work->plan->training, t)) {
            code = fill_cell(work, target, t, &cells[t], reterr);
        }
    }
    if (code == DUET_OK) {
        memcpy(ret_cells, cells, sizeof cells);
    }
    return code;
}

/* Tests the configurations that this target is predicted from and is the first to need.
 */
static enum duet_code train_for(struct work *work, size_t target,
                                struct duet_error *reterr)
{
    size_t others[STATS_GP_POINTS_MAX];
    size_t count = find_others(work, target, others);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (work->trained[others[i]].means == NULL) {
            code = train(work, others[i], reterr);
        }
    }
    return code;
}

/* ---- Units ---- */

uint64_t study_prediction_units(const struct study_prediction_plan *plan,
                                const struct study_configuration *configurations,
                                size_t count)
{
    uint64_t units = 0;
    for (size_t i = 0; i < count; i++) {
        units += is_target(plan, &configurations[i]) ? 1 : 0;
    }
    return units;
}

static void pack(const struct study_prediction_cell *cells, double *numbers)
{
    for (size_t t = 0; t < STUDY_TRAININGS; t++) {
        double *of = numbers + t * OF_CELL;
        of[OF_PREDICTIONS] = (double)cells[t].predictions;
        of[OF_MEAN] = cells[t].error_mean;
        of[OF_SD] = cells[t].error_sd;
        of[OF_LOW] = cells[t].error_low;
        of[OF_HIGH] = cells[t].error_high;
        of[OF_POINTS] = cells[t].points_mean;
    }
}

static bool unpack(const struct work *work, const struct study_page *page,
                   struct study_prediction_cell *ret_cells)
{
    bool right = page->count == (size_t)STUDY_TRAININGS * OF_CELL;
    for (size_t t = 0; t < STUDY_TRAININGS && right; t++) {
        const double *of = page->numbers + t * OF_CELL;
        uint64_t predictions = 0;
        right =
            study_page_whole(page, t * OF_CELL, work->plan->predictions, &predictions);
        ret_cells[t] = (struct study_prediction_cell){.predictions = predictions,
                                                      .error_mean = of[OF_MEAN],
                                                      .error_sd = of[OF_SD],
                                                      .error_low = of[OF_LOW],
                                                      .error_high = of[OF_HIGH],
                                                      .points_mean = of[OF_POINTS]};
    }
    return right;
}

static enum duet_code take_unit(struct work *work, uint64_t unit, size_t target,
                                struct study_prediction_cell *ret_cells,
                                struct duet_error *reterr)
{
    double numbers[STUDY_TRAININGS * OF_CELL];
    struct study_book *book = work->plan->book;
    const struct study_page *known = study_book_find(book, unit);
    if (known != NULL) {
        return unpack(work, known, ret_cells) ? DUET_OK
                                              : study_page_wrong(unit, reterr);
    }
    if (!study_book_wants(book, unit)) {
        return DUET_OK;
    }
    enum duet_code code = train_for(work, target, reterr);
    if (code == DUET_OK) {
        code = fill_target(work, target, ret_cells, reterr);
    }
    if (code == DUET_OK) {
        pack(ret_cells, numbers);
        code = study_book_put(book, unit, numbers, sizeof numbers / sizeof numbers[0],
                              reterr);
    }
    return code;
}

static enum duet_code run(struct work *work, struct study_prediction_cell *ret_cells,
                          struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    uint64_t unit = 0;
    work->trained = alloc_array(work->count, sizeof *work->trained);
    work->errors = alloc_array(work->plan->predictions, sizeof *work->errors);
    if (work->trained == NULL || work->errors == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for predictions");
    }
    for (size_t i = 0; i < work->count && code == DUET_OK; i++) {
        if (is_target(work->plan, &work->configurations[i])) {
            code = take_unit(work, unit++, i, ret_cells + i * STUDY_TRAININGS, reterr);
        }
    }
    for (size_t i = 0; i < work->count && work->trained != NULL; i++) {
        free(work->trained[i].means);
    }
    free(work->trained);
    free(work->errors);
    return code;
}

enum duet_code
study_prediction_run(const struct study_prediction_plan *plan,
                     const struct study_configuration *configurations, size_t count,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_prediction_cell *ret_cells,
                     struct duet_error *reterr)
{
    struct work work = {.plan = plan,
                        .configurations = configurations,
                        .count = count,
                        .progress = progress,
                        .context = context};
    memset(ret_cells, 0, count * STUDY_TRAININGS * sizeof *ret_cells);
    enum duet_code code = check(&work, reterr);
    if (code == DUET_OK) {
        code = stats_lapack_load(&work.lapack, reterr);
    }
    if (code == DUET_OK && !find_computed(&work)) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for predictions");
    }
    if (code == DUET_OK) {
        plan_steps(&work);
        code = run(&work, ret_cells, reterr);
    }
    free(work.computed);
    return code;
}

double study_prediction_relative(const struct study_prediction_cell *cell,
                                 const struct study_prediction_cell *handful)
{
    return cell->error_mean / handful->error_mean;
}

struct study_prediction_means
study_prediction_means_of(const struct study_prediction_cell *cells, size_t count,
                          size_t training)
{
    struct study_prediction_means means = {0};
    for (size_t i = 0; i < count; i++) {
        const struct study_prediction_cell *row = cells + i * STUDY_TRAININGS;
        const struct study_prediction_cell *cell = &row[training];
        if (cell->predictions > 0) {
            means.error += cell->error_mean;
            means.relative +=
                study_prediction_relative(cell, &row[STUDY_TRAINING_POINTS]);
            means.points += cell->points_mean;
            means.configurations++;
        }
    }
    means.error /= (double)means.configurations;
    means.relative /= (double)means.configurations;
    means.points /= (double)means.configurations;
    return means;
}
