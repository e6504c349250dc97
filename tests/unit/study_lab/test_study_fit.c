/* How many iterations fit into a budget, of workloads that take a known time on a clock
 * of this test's own. */
// link: -Wl,--wrap=study_lab_try,--wrap=study_lab_values,--wrap=clock_gettime
// link: -Wl,--wrap=store_open_scratch,--wrap=store_close
#include "study/lab/study_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { TRIES_MAX = 8 };

/* What a workload does: how long its first, its second and its third measurement take.
 */
struct program {
    double took_s[3];
    double iteration_ns;     /* the mean of an operation in the second */
    double operations;       /* 0: one each */
    enum duet_code codes[4]; /* of the measurements; of reading the second */
};

static struct study_lab_options options;
static struct study_workload workloads[2];
static struct program programs[2];
static struct study_lab lab;
static struct duet_error error;
static double now_s;

static struct {
    size_t workload;
    uint64_t iterations;
} tries[TRIES_MAX];
static size_t try_count;
/* Stores, of which only the addresses matter. */
static struct store *const kept = (struct store *)&options;
static struct store *const scratch = (struct store *)&programs;
static size_t scratches; /* that are open */
static enum duet_code scratch_code;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now);
enum duet_code __wrap_store_open_scratch(struct store **ret_store,
                                         struct duet_error *reterr);
void __wrap_store_close(struct store *store);
enum duet_code __wrap_study_lab_try(struct study_lab *of, struct store *store,
                                    const struct study_measurement *measurement,
                                    uint64_t runs, uint64_t iterations,
                                    int64_t *ret_experiment, struct duet_error *reterr);
enum duet_code __wrap_study_lab_values(struct study_lab *of, int64_t experiment,
                                       struct model_values *ret_values,
                                       struct study_accuracy_plan *ret_plan,
                                       struct duet_error *reterr);

enum duet_code __wrap_store_open_scratch(struct store **ret_store,
                                         struct duet_error *reterr)
{
    if (scratch_code != DUET_OK) {
        return error_set(reterr, scratch_code, "as planned");
    }
    scratches++;
    *ret_store = scratch;
    return DUET_OK;
}

void __wrap_store_close(struct store *store)
{
    assert_true(store == NULL || store == scratch);
    scratches -= store != NULL;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    (void)clock;
    ret_now->tv_sec = (time_t)now_s;
    ret_now->tv_nsec = (long)((now_s - floor(now_s)) * 1e9);
    return 0;
}

/* Of the workload that is measured now, how often it was before. */
static size_t before(size_t workload)
{
    size_t count = 0;
    for (size_t i = 0; i < try_count; i++) {
        count += tries[i].workload == workload;
    }
    return count;
}

static enum duet_code answer(enum duet_code code, struct duet_error *reterr)
{
    return code == DUET_OK ? DUET_OK : error_set(reterr, code, "as planned");
}

enum duet_code __wrap_study_lab_try(struct study_lab *of, struct store *store,
                                    const struct study_measurement *measurement,
                                    uint64_t runs, uint64_t iterations,
                                    int64_t *ret_experiment, struct duet_error *reterr)
{
    size_t workload = (size_t)(measurement->workload - workloads);
    size_t nth = before(workload);
    assert_ptr_equal(of, &lab);
    assert_ptr_equal(of->store, kept);
    assert_ptr_equal(store, scratch); /* the user's store has none of it */
    assert_int_equal(measurement->schedule, MODEL_SCHEDULE_DUET);
    assert_string_equal(measurement->condition, "");
    assert_int_equal(runs, 1);
    assert_true(nth < 3 && try_count < TRIES_MAX);
    tries[try_count].workload = workload;
    tries[try_count++].iterations = iterations;
    now_s += programs[workload].took_s[nth];
    *ret_experiment = (int64_t)try_count;
    return answer(programs[workload].codes[nth], reterr);
}

enum duet_code __wrap_study_lab_values(struct study_lab *of, int64_t experiment,
                                       struct model_values *ret_values,
                                       struct study_accuracy_plan *ret_plan,
                                       struct duet_error *reterr)
{
    (void)ret_plan;
    const struct program *program = &programs[tries[try_count - 1].workload];
    assert_int_equal(experiment, try_count); /* the last one, from where it is */
    assert_ptr_equal(of->store, scratch);
    if (program->codes[3] != DUET_OK) {
        return answer(program->codes[3], reterr);
    }
    struct model_run_values *run = calloc(1, sizeof *run);
    assert_non_null(run);
    for (int side = 0; side < MODEL_SIDES; side++) {
        run->counts[side] = tries[try_count - 1].iterations;
        run->values[side] = calloc(run->counts[side], sizeof(double));
        assert_non_null(run->values[side]);
        for (size_t i = 0; i < run->counts[side]; i++) { /* around their mean */
            run->values[side][i] =
                program->iteration_ns * (1 + (side == 0 ? 0.1 : -0.1));
        }
        run->operations[side] = program->operations;
    }
    *ret_values = (struct model_values){.paired = true, .runs = run, .run_count = 1};
    return DUET_OK;
}

/* A workload that begins in half a second, after four the first time, and has
 * iterations of 0.1 s; 100 s for ten runs of it. */
static int setup(void **state)
{
    static char names[2][8] = {"first", "second"};
    (void)state;
    options =
        (struct study_lab_options){.budget_ns = UINT64_C(100000000000), .runs = 10};
    for (size_t i = 0; i < 2; i++) {
        workloads[i] = (struct study_workload){.name = names[i]};
        programs[i] = (struct program){.took_s = {4, 0.7, 1.5}, .iteration_ns = 100e6};
    }
    lab = (struct study_lab){.options = &options,
                             .store = kept,
                             .workloads = workloads,
                             .workload_count = 1};
    now_s = 1000;
    try_count = scratches = 0;
    scratch_code = DUET_OK;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bool as_before = lab.store == kept && scratches == 0;
    text_release(&lab.failures);
    return as_before ? 0 : -1;
}

static void assert_fits(double weight, uint64_t iterations)
{
    enum duet_code code = study_lab_fit(&lab, weight, &error);
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(workloads[0].iterations, iterations);
    assert_string_equal(text_string(&lab.failures), "");
}

static void assert_tried(size_t count, ...)
{
    va_list args;
    assert_int_equal(try_count, count);
    va_start(args, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tries[i].iterations, va_arg(args, int));
    }
    va_end(args);
}

/* ---- Tests ---- */

static void what_fits_into_a_run(void **state)
{
    (void)state;
    /* 95.3 s are left: 9.53 s a run, half a second of it its start. */
    assert_fits(1, 90);
    assert_tried(2, 1, 2);
}

static void sides_one_after_the_other_take_twice_as_long(void **state)
{
    (void)state;
    assert_fits(2, 42);
}

static void an_iteration_of_many_operations_is_all_of_them(void **state)
{
    (void)state;
    programs[0].iteration_ns = 0.1e6;
    programs[0].operations = 1000;
    assert_fits(1, 90);
}

static void more_than_the_papers_number_is_not_wanted(void **state)
{
    (void)state;
    options.budget_ns *= 10;
    assert_fits(1, 100);
}

/* The budget does not go below one iteration behind the warm-up. */
static void at_least_one_is_left(void **state)
{
    (void)state;
    static const struct {
        enum model_warmup warmup;
        uint64_t count;
        uint64_t iterations;
    } cases[] = {{MODEL_WARMUP_NONE, 0, 1},
                 {MODEL_WARMUP_STEADY, 0, 1},
                 {MODEL_WARMUP_HALF, 0, 2},
                 {MODEL_WARMUP_COUNT, 7, 8}};
    static const uint64_t budgets_s[] = {0, 5, 9};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t b = 0; b < sizeof budgets_s / sizeof budgets_s[0]; b++) {
            assert_int_equal(setup(NULL), 0);
            options.budget_ns = budgets_s[b] * 1000000000;
            workloads[0].cleaning.warmup = cases[i].warmup;
            workloads[0].cleaning.warmup_count = cases[i].count;
            assert_fits(1, cases[i].iterations);
            assert_tried(2, 1, 2); /* there is no time to try it warm */
        }
    }
}

static void a_long_warm_up_may_exceed_the_papers_number(void **state)
{
    (void)state;
    workloads[0].cleaning =
        (struct model_cleaning){.warmup = MODEL_WARMUP_COUNT, .warmup_count = 150};
    options.budget_ns *= 10;
    assert_fits(1, 151);
}

/* Of iterations that begin with 0.4 s and end at 0.1 s. */
static void a_program_that_warms_up_is_tried_for_longer(void **state)
{
    (void)state;
    programs[0] = (struct program){.took_s = {3.9, 1.3, 2.1}, .iteration_ns = 400e6};
    workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
    /* 92.7 s for 20 runs: 4.635 s each, of which 1.1 s go to start and warm-up. */
    assert_fits(2, 35);
    assert_tried(3, 1, 2, 10);
}

static void what_the_command_line_leaves_out_counts(void **state)
{
    (void)state;
    options.analysis.cleaning =
        (struct model_cleaning){.warmup = MODEL_WARMUP_HALF, .warmup_asked = true};
    assert_fits(1, 88);
    assert_tried(3, 1, 2, 10);
    assert_int_equal(setup(NULL), 0);
    workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
    options.analysis.cleaning.warmup_asked = true; /* that is: nothing */
    assert_fits(1, 90);
    assert_tried(2, 1, 2);
}

/* A longer run that took no longer says nothing about an iteration. */
static void noise_does_not_make_iterations_free(void **state)
{
    (void)state;
    programs[0].took_s[2] = 0.7;
    workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
    assert_fits(1, 89); /* 94.6 s for ten runs */
    assert_tried(3, 1, 2, 10);
}

static void a_given_number_is_taken(void **state)
{
    (void)state;
    options.iterations = 7;
    workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
    assert_fits(1, 7);
    assert_tried(2, 1, 2); /* whether it works at all */
}

static void a_start_longer_than_the_run_is_no_credit(void **state)
{
    (void)state;
    programs[0].iteration_ns = 500e6; /* both together longer than it took */
    assert_fits(1, 19);               /* 9.53 s of 0.5 s each */
}

static void workloads_share_the_budget(void **state)
{
    (void)state;
    lab.workload_count = 2;
    programs[1].iteration_ns = 200e6;
    assert_fits(1, 40);
    assert_int_equal(workloads[1].iterations, 21); /* (4.53 - 0.3) / 0.2 */
    assert_tried(4, 1, 2, 1, 2);
}

static void what_fails_is_noted_and_the_next_one_measured(void **state)
{
    (void)state;
    for (size_t at = 0; at < 4; at++) {
        assert_int_equal(setup(NULL), 0);
        lab.workload_count = 2;
        workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
        programs[0].codes[at] = DUET_E_WORKLOAD;
        assert_int_equal(study_lab_fit(&lab, 1, &error), DUET_OK);
        assert_int_equal(workloads[0].iterations, 0);
        assert_int_equal(workloads[1].iterations, 40);
        assert_string_equal(text_string(&lab.failures), "first: as planned\n");
        text_release(&lab.failures);
    }
}

static void what_no_workload_can_share_ends_it(void **state)
{
    (void)state;
    for (size_t at = 0; at < 4; at++) {
        assert_int_equal(setup(NULL), 0);
        lab.workload_count = 2;
        workloads[0].cleaning.warmup = MODEL_WARMUP_HALF;
        programs[0].codes[at] = DUET_E_INTERRUPTED;
        assert_int_equal(study_lab_fit(&lab, 1, &error), DUET_E_INTERRUPTED);
        assert_string_equal(error.message, "as planned");
        assert_ptr_equal(lab.store, kept);
        assert_int_equal(before(1), 0);
        assert_string_equal(text_string(&lab.failures), "");
    }
    scratch_code = DUET_E_IO;
    assert_int_equal(study_lab_fit(&lab, 1, &error), DUET_E_IO);
    assert_string_equal(error.message, "as planned");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_fits_into_a_run),
        CASE(sides_one_after_the_other_take_twice_as_long),
        CASE(an_iteration_of_many_operations_is_all_of_them),
        CASE(more_than_the_papers_number_is_not_wanted),
        CASE(at_least_one_is_left),
        CASE(a_long_warm_up_may_exceed_the_papers_number),
        CASE(a_program_that_warms_up_is_tried_for_longer),
        CASE(what_the_command_line_leaves_out_counts),
        CASE(noise_does_not_make_iterations_free),
        CASE(a_given_number_is_taken),
        CASE(a_start_longer_than_the_run_is_no_credit),
        CASE(workloads_share_the_budget),
        CASE(what_fails_is_noted_and_the_next_one_measured),
        CASE(what_no_workload_can_share_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
