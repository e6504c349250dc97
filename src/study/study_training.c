#include "study/study_training.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t test_streams = UINT64_C(0xEA02) << 48U;

/* A configuration being tested. */
struct work {
    const struct study_training_plan *plan;
    const struct study_configuration *configuration;
    size_t number;
    double *twice; /* its values, twice in a row */
    struct analysis_stopper *stoppers[ANALYSIS_STOP_RULES];
};

/* What one test found, by training. */
struct found {
    double means[STUDY_TRAINING_TRUTH];
    size_t points[STUDY_TRAINING_TRUTH];
};

const char *study_training_name(size_t training)
{
    if (training == STUDY_TRAINING_POINTS) {
        return "points";
    }
    if (training == STUDY_TRAINING_TRUTH) {
        return "truth";
    }
    return analysis_stop_rule_name(
        (enum analysis_stop_rule)(training - STUDY_TRAINING_RULES));
}

bool study_training_has(const struct study_training_plan *plan, size_t training)
{
    return training == STUDY_TRAINING_POINTS || training == STUDY_TRAINING_TRUTH ||
           plan->rules[training - STUDY_TRAINING_RULES];
}

static void work_release(struct work *work)
{
    free(work->twice);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        analysis_stopper_free(work->stoppers[r]);
    }
}

static enum duet_code work_init(struct work *work, struct duet_error *reterr)
{
    const struct study_training_plan *plan = work->plan;
    size_t count = work->configuration->count;
    enum duet_code code = DUET_OK;
    work->twice = alloc_array(2 * count, sizeof *work->twice);
    if (work->twice == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for tests");
    }
    memcpy(work->twice, work->configuration->values, count * sizeof *work->twice);
    memcpy(work->twice + count, work->configuration->values,
           count * sizeof *work->twice);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES && code == DUET_OK; r++) {
        struct analysis_stop_question question = {
            .rule = (enum analysis_stop_rule)r,
            .statistic = {STATS_STATISTIC_MEAN, 0.0},
            .errors = {plan->error},
            .error_count = 1,
            .confidence = plan->confidence,
            .interval = work->configuration->interval,
            .replicates = plan->replicates};
        if (plan->rules[r]) {
            code = analysis_stopper_new(&question, count, &work->stoppers[r], reterr);
        }
    }
    return code;
}

/* One test, by all means. */
static enum duet_code run_test(const struct work *work, uint64_t test,
                               struct found *ret_found, struct duet_error *reterr)
{
    const struct study_training_plan *plan = work->plan;
    const struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    size_t count = work->configuration->count;
    struct random_stream stream = random_stream_at(
        plan->seed, test_streams + ((uint64_t)work->number << 32U) + test);
    const double *from = work->twice + random_below(&stream, (uint32_t)count);
    uint64_t seed = random_u64(&stream);
    struct analysis_stop stop = {.points = plan->points};
    enum duet_code code = analysis_stop_statistic(
        &mean, from, plan->points, &ret_found->means[STUDY_TRAINING_POINTS], reterr);
    ret_found->points[STUDY_TRAINING_POINTS] = plan->points;
    for (size_t r = 0; r < ANALYSIS_STOP_RULES && code == DUET_OK; r++) {
        if (plan->rules[r]) {
            code = analysis_stopper_find(work->stoppers[r], from, count, seed, &stop,
                                         reterr);
            ret_found->means[STUDY_TRAINING_RULES + r] = stop.result;
            ret_found->points[STUDY_TRAINING_RULES + r] = stop.points;
        }
    }
    return code;
}

struct batch {
    const struct work *work;
    size_t first;
    struct found *found;
};

static enum duet_code run_some(void *context, size_t first, size_t end, size_t thread,
                               struct duet_error *reterr)
{
    (void)thread;
    const struct batch *batch = context;
    for (size_t i = first; i < end; i++) {
        struct duet_error error = {0};
        enum duet_code code =
            run_test(batch->work, batch->first + i, &batch->found[i], &error);
        if (code != DUET_OK) {
            const struct study_configuration *configuration =
                batch->work->configuration;
            return error_set(reterr, code, "%s on %s: %s", configuration->benchmark,
                             configuration->name, error.message);
        }
    }
    return DUET_OK;
}

static enum duet_code run_tests(const struct work *work, size_t first, size_t count,
                                struct found *ret_found, struct duet_error *reterr)
{
    struct batch batch = {work, first, ret_found};
    const struct threads_loop loop = {.count = count,
                                      .chunk = 1,
                                      .threads = threads_wanted(work->plan->threads),
                                      .body = run_some,
                                      .context = &batch};
    return threads_for(&loop, reterr);
}

enum duet_code study_training_run(const struct study_training_plan *plan,
                                  const struct study_configuration *configuration,
                                  size_t number, size_t first, size_t count,
                                  struct study_trained *ret_trained,
                                  struct duet_error *reterr)
{
    struct work work = {.plan = plan, .configuration = configuration, .number = number};
    struct found *found = alloc_array(count, sizeof *found);
    enum duet_code code = found == NULL
                              ? error_set(reterr, DUET_E_NOMEM, "no memory for tests")
                              : work_init(&work, reterr);
    if (code == DUET_OK) {
        code = run_tests(&work, first, count, found, reterr);
    }
    for (size_t t = 0; t < STUDY_TRAINING_TRUTH && code == DUET_OK; t++) {
        for (size_t i = 0; i < count && study_training_has(plan, t); i++) {
            ret_trained->means[t * plan->tests + first + i] = found[i].means[t];
            ret_trained->points[t] += found[i].points[t];
        }
    }
    work_release(&work);
    free(found);
    return code;
}
