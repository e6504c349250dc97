/* How many iterations a run of a workload may have within a study's budget. */
#include "study/lab/study_lab.h"

#include <math.h>
#include <time.h>

/* The paper's number of iterations; what is measured beforehand, cold and warm. */
enum { ITERATIONS_MAX = 100, COLD_ITERATIONS = 2, WARM_ITERATIONS = 10 };

struct pace {
    double iteration_s;
    double start_s; /* of a run, beside its iterations */
};

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Measures one run of pairs. */
static enum duet_code try_run(struct study_lab *lab, struct store *scratch,
                              const struct study_workload *workload,
                              uint64_t iterations, int64_t *ret_experiment,
                              double *ret_elapsed_s, struct duet_error *reterr)
{
    const struct study_measurement measurement = {
        .workload = workload, .schedule = MODEL_SCHEDULE_DUET, .condition = ""};
    double started_s = now_s();
    enum duet_code code = study_lab_try(lab, scratch, &measurement, 1, iterations,
                                        ret_experiment, reterr);
    *ret_elapsed_s = now_s() - started_s;
    return code;
}

/* Iterations that a run needs so that one is left of it. */
static uint64_t iterations_needed(const struct model_cleaning *cleaning)
{
    switch (cleaning->warmup) {
    case MODEL_WARMUP_HALF:
        return 2;
    case MODEL_WARMUP_COUNT:
        return cleaning->warmup_count + 1;
    case MODEL_WARMUP_NONE:
    case MODEL_WARMUP_STEADY:
    case MODEL_WARMUPS:
        break;
    }
    return 1;
}

/* An iteration's of both sides, which are the same program; all of its operations. */
static double mean_s(const struct model_values *values)
{
    double means[1]; /* one run */
    study_run_means(values, means);
    double operations = (model_run_values_operations(&values->runs[0], MODEL_OLD) +
                         model_run_values_operations(&values->runs[0], MODEL_NEW)) /
                        2;
    return means[0] * operations / 1e9;
}

/* The first measurement of a workload pays for calibration and cold files, so that the
 * second one counts. */
static enum duet_code probe(struct study_lab *lab, struct store *scratch,
                            const struct study_workload *workload,
                            double *ret_elapsed_s, struct pace *ret_pace,
                            struct duet_error *reterr)
{
    struct store *kept = lab->store;
    struct model_values values = {0};
    struct study_accuracy_plan plan;
    int64_t experiment = 0;
    enum duet_code code =
        try_run(lab, scratch, workload, 1, &experiment, ret_elapsed_s, reterr);
    if (code == DUET_OK) {
        code = try_run(lab, scratch, workload, COLD_ITERATIONS, &experiment,
                       ret_elapsed_s, reterr);
    }
    if (code == DUET_OK) {
        lab->store = scratch;
        code = study_lab_values(lab, experiment, &values, &plan, reterr);
        lab->store = kept;
    }
    if (code == DUET_OK) {
        ret_pace->iteration_s = mean_s(&values);
        ret_pace->start_s =
            fmax(*ret_elapsed_s - COLD_ITERATIONS * ret_pace->iteration_s, 0);
    }
    model_values_release(&values);
    return code;
}

/* Of a program that grows faster, and does things between its iterations (a JVM that
 * collects its garbage): by what a longer run takes more. */
static enum duet_code probe_warm(struct study_lab *lab, struct store *scratch,
                                 const struct study_workload *workload, double cold_s,
                                 struct pace *pace, struct duet_error *reterr)
{
    int64_t experiment = 0;
    double elapsed_s = 0;
    enum duet_code code = try_run(lab, scratch, workload, WARM_ITERATIONS, &experiment,
                                  &elapsed_s, reterr);
    double more_s = (elapsed_s - cold_s) / (WARM_ITERATIONS - COLD_ITERATIONS);
    if (code == DUET_OK && more_s > 0) {
        pace->iteration_s = more_s;
        pace->start_s = fmax(cold_s - COLD_ITERATIONS * more_s, 0);
    }
    return code;
}

static uint64_t iterations_within(double run_s, const struct pace *pace,
                                  uint64_t needed)
{
    double fitting = (run_s - pace->start_s) / pace->iteration_s;
    uint64_t most = needed > ITERATIONS_MAX ? needed : ITERATIONS_MAX;
    if (!(fitting > (double)needed)) {
        return needed;
    }
    return fitting > (double)most ? most : (uint64_t)fitting;
}

/* `share_s`: of the budget; for so many `runs` one side after the other. */
static enum duet_code fit_one(struct study_lab *lab, struct store *scratch,
                              double share_s, double runs,
                              struct study_workload *workload,
                              struct duet_error *reterr)
{
    struct pace pace = {0};
    const struct model_cleaning *cleaning = study_lab_cleaning(lab, workload);
    const uint64_t needed = iterations_needed(cleaning);
    const double started_s = now_s();
    double cold_s = 0;
    enum duet_code code = probe(lab, scratch, workload, &cold_s, &pace, reterr);
    double run_s = (share_s - (now_s() - started_s)) / runs;
    bool fixed = lab->options->iterations != 0;
    if (code == DUET_OK && !fixed && cleaning->warmup != MODEL_WARMUP_NONE &&
        run_s > cold_s) {
        code = probe_warm(lab, scratch, workload, cold_s, &pace, reterr);
        run_s = (share_s - (now_s() - started_s)) / runs;
    }
    if (code == DUET_OK) {
        workload->iterations =
            fixed ? lab->options->iterations : iterations_within(run_s, &pace, needed);
    }
    return code;
}

enum duet_code study_lab_fit(struct study_lab *lab, double weight,
                             struct duet_error *reterr)
{
    struct store *scratch = NULL;
    enum duet_code code = store_open_scratch(&scratch, reterr);
    double share_s =
        (double)lab->options->budget_ns / 1e9 / (double)lab->workload_count;
    for (size_t i = 0; i < lab->workload_count && code == DUET_OK; i++) {
        struct study_workload *workload = &lab->workloads[i];
        struct duet_error error = {0};
        code = fit_one(lab, scratch, share_s, weight * (double)lab->options->runs,
                       workload, &error);
        code = study_lab_forgive(lab, workload->name, code, &error, reterr);
    }
    store_close(scratch);
    return code;
}
