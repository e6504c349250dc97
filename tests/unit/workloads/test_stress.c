/* The competing load. Nothing here compares times that other load could move: only
 * orders and limits that hold on any machine. */
// link: duet_workloads
#include "workloads/stress.h"

#include "support/alloc_fail.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

static const atomic_bool never = false;

static void check_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%.17g is not within %g of %.17g", actual, tolerance, expected);
    }
}

/* The first CPU that we may use. */
static unsigned one_cpu(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &set)) {
        cpu++;
    }
    return cpu;
}

static struct stress_plan plan_on(const unsigned *cpu)
{
    struct stress_plan plan = stress_plan_default();
    plan.load = STRESS_LOAD_CPU;
    plan.wave = STRESS_WAVE_CONSTANT;
    plan.cpus = cpu;
    plan.cpu_count = 1;
    return plan;
}

static void default_is_the_papers(void **state)
{
    (void)state;
    struct stress_plan plan = stress_plan_default();
    assert_true(plan.period_ns == 150 * 60 * S);
    check_near(stress_level_ratio(&plan, 0), 0.0, 1e-12);
    check_near(stress_level_ratio(&plan, 75 * 60 * S), 1.0, 1e-12);
    check_near(stress_level_ratio(&plan, 150 * 60 * S), 0.0, 1e-12);
}

static void waves_move_between_zero_and_peak(void **state)
{
    (void)state;
    struct stress_plan plan = stress_plan_default();
    plan.period_ns = 8 * S;
    plan.peak_ratio = 0.8;
    plan.wave = STRESS_WAVE_TRIANGLE;
    static const double triangle[] = {0, 0.2, 0.4, 0.6, 0.8, 0.6, 0.4, 0.2, 0, 0.2};
    for (size_t i = 0; i < 10; i++) {
        check_near(stress_level_ratio(&plan, i * S), triangle[i], 1e-12);
    }
    plan.wave = STRESS_WAVE_SINE;
    check_near(stress_level_ratio(&plan, 0), 0.0, 1e-12);
    check_near(stress_level_ratio(&plan, 2 * S), 0.4, 1e-12);
    check_near(stress_level_ratio(&plan, 4 * S), 0.8, 1e-12);
    check_near(stress_level_ratio(&plan, 6 * S), 0.4, 1e-12);
    plan.wave = STRESS_WAVE_CONSTANT;
    plan.period_ns = 0;
    check_near(stress_level_ratio(&plan, 5 * S), 0.8, 1e-12);
    check_near(stress_asked_ratio(&plan, 5 * S), 0.8, 1e-12);
}

/* The closed form against the mean of the wave itself, by the midpoint rule. */
static void asked_is_the_mean_of_the_wave(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    struct stress_plan plan = stress_plan_default();
    plan.period_ns = 8 * S;
    plan.peak_ratio = 0.7;
    static const uint64_t ends_ns[] = {S / 2, S, 3 * S, 4 * S, 5 * S, 8 * S, 27 * S};
    for (int wave = STRESS_WAVE_TRIANGLE; wave <= STRESS_WAVE_CONSTANT; wave++) {
        plan.wave = (enum stress_wave)wave;
        check_near(stress_asked_ratio(&plan, 0), stress_level_ratio(&plan, 0), 0.0);
        for (size_t i = 0; i < sizeof ends_ns / sizeof ends_ns[0]; i++) {
            double sum = 0.0;
            for (uint64_t k = 0; k < STEPS; k++) {
                sum += stress_level_ratio(&plan, ends_ns[i] / STEPS * k +
                                                     ends_ns[i] / STEPS / 2);
            }
            check_near(stress_asked_ratio(&plan, ends_ns[i]), sum / STEPS, 1e-5);
        }
    }
}

static void names_are_read_back(void **state)
{
    (void)state;
    struct duet_error error = {0};
    static const char *const loads[] = {"cpu", "cache", "memory", "mix"};
    static const char *const waves[] = {"triangle", "sine", "constant"};
    for (int i = STRESS_LOAD_CPU; i <= STRESS_LOAD_MIX; i++) {
        enum stress_load load = STRESS_LOAD_CPU;
        assert_int_equal(stress_load_parse(loads[i], &load, &error), DUET_OK);
        assert_int_equal(load, i);
    }
    for (int i = STRESS_WAVE_TRIANGLE; i <= STRESS_WAVE_CONSTANT; i++) {
        enum stress_wave wave = STRESS_WAVE_TRIANGLE;
        assert_int_equal(stress_wave_parse(waves[i], &wave, &error), DUET_OK);
        assert_int_equal(wave, i);
    }
    enum stress_load load = STRESS_LOAD_MIX;
    assert_int_equal(stress_load_parse("disk", &load, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "cpu, cache, memory, mix"));
    assert_int_equal(load, STRESS_LOAD_MIX);
    enum stress_wave wave = STRESS_WAVE_SINE;
    assert_int_equal(stress_wave_parse("", &wave, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "triangle, sine, constant"));
    assert_int_equal(wave, STRESS_WAVE_SINE);
}

static void check_refused(struct stress_plan plan, enum duet_code expected,
                          const char *part)
{
    struct stress_result result = {.cpu_ns = 42};
    struct duet_error error = {0};
    plan.duration_ns = MS;
    assert_int_equal(stress_run(&plan, &never, NULL, NULL, &result, &error), expected);
    assert_non_null(strstr(error.message, part));
    assert_true(result.cpu_ns == 42);
}

static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    static const double peaks[] = {-0.1, 1.1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
        struct stress_plan plan = stress_plan_default();
        plan.peak_ratio = peaks[i];
        check_refused(plan, DUET_E_USAGE, "peak");
    }
    struct stress_plan plan = stress_plan_default();
    plan.period_ns = S - 1;
    check_refused(plan, DUET_E_USAGE, "period");
    plan = stress_plan_default();
    plan.slice_ns = MS - 1;
    check_refused(plan, DUET_E_USAGE, "slice");
    plan.slice_ns = S + 1;
    check_refused(plan, DUET_E_USAGE, "slice");
}

static void missing_cpus_are_refused(void **state)
{
    (void)state;
    const unsigned cpus[] = {one_cpu(), 8191};
    struct stress_plan plan = plan_on(cpus);
    plan.cpu_count = 2;
    check_refused(plan, DUET_E_UNSUITABLE, "CPU 8191");
    unsigned beyond = 4000000000;
    check_refused(plan_on(&beyond), DUET_E_UNSUITABLE, "CPU 4000000000");
}

static void no_load_takes_next_to_nothing(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    struct stress_plan plan = plan_on(&cpu);
    plan.peak_ratio = 0.0;
    plan.duration_ns = 500 * MS;
    plan.slice_ns = 50 * MS;
    struct stress_result result = {0};
    assert_int_equal(stress_run(&plan, &never, NULL, NULL, &result, NULL), DUET_OK);
    assert_true(result.elapsed_ns >= plan.duration_ns);
    assert_true(result.cpu_ns < result.elapsed_ns / 4);
    check_near(result.asked_ratio, 0.0, 0.0);
    assert_int_equal(result.cpu_count, 1);
}

/* How much it gets depends on who else runs; that it is something, and not more than
 * there is, does not. */
static void each_load_takes_time_but_no_more_than_there_is(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    for (int load = STRESS_LOAD_CPU; load <= STRESS_LOAD_MIX; load++) {
        struct stress_plan plan = plan_on(&cpu);
        plan.load = (enum stress_load)load;
        plan.duration_ns = 100 * MS;
        struct stress_result result = {0};
        assert_int_equal(stress_run(&plan, &never, NULL, NULL, &result, NULL), DUET_OK);
        assert_true(result.cpu_ns > 0);
        assert_true(result.achieved_ratio > 0.0 && result.achieved_ratio < 1.05);
        check_near(result.asked_ratio, 1.0, 0.0);
    }
}

static void all_allowed_cpus_are_loaded_by_default(void **state)
{
    (void)state;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    struct stress_plan plan = stress_plan_default();
    plan.load = STRESS_LOAD_CPU;
    plan.duration_ns = 50 * MS;
    struct stress_result result = {0};
    assert_int_equal(stress_run(&plan, &never, NULL, NULL, &result, NULL), DUET_OK);
    assert_int_equal(result.cpu_count, CPU_COUNT(&set));
}

static void stop_set_before_the_start_is_seen(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    struct stress_plan plan = plan_on(&cpu); /* no duration: only the flag ends it */
    atomic_bool stop = true;
    struct stress_result result = {0};
    assert_int_equal(stress_run(&plan, &stop, NULL, NULL, &result, NULL), DUET_OK);
    assert_int_equal(result.cpu_count, 1);
}

struct log {
    atomic_bool stop;
    size_t count;
    struct stress_sample last;
    pthread_t thread;
};

static void log_and_stop(const struct stress_sample *sample, void *context)
{
    struct log *log = context;
    log->count++;
    log->last = *sample;
    log->thread = pthread_self();
    atomic_store(&log->stop, true);
}

static void samples_come_on_the_callers_thread(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    struct stress_plan plan = plan_on(&cpu);
    plan.peak_ratio = 0.25;
    struct log log = {0};
    struct stress_result result = {0};
    assert_int_equal(stress_run(&plan, &log.stop, log_and_stop, &log, &result, NULL),
                     DUET_OK);
    assert_int_equal(log.count, 1);
    assert_true(log.last.elapsed_ns >= S);
    assert_true(result.elapsed_ns >= log.last.elapsed_ns);
    check_near(log.last.level_ratio, 0.25, 0.0);
    assert_true(log.last.achieved_ratio >= 0.0 && log.last.achieved_ratio < 1.05);
    assert_true(pthread_equal(log.thread, pthread_self()));
}

static atomic_bool signalled;
static atomic_bool on_main_thread;
static pthread_t main_thread;

static void on_alarm(int number)
{
    (void)number;
    atomic_store(&on_main_thread, pthread_equal(pthread_self(), main_thread) != 0);
    atomic_store(&signalled, true);
}

static void signal_handler_stops_it(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    struct stress_plan plan = plan_on(&cpu);
    main_thread = pthread_self();
    struct sigaction action = {.sa_handler = on_alarm};
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    struct stress_result result = {0};
    assert_int_equal(stress_run(&plan, &signalled, NULL, NULL, &result, NULL), DUET_OK);
    assert_true(atomic_load(&on_main_thread));
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

static void allocation_failures_are_reported(void **state)
{
    (void)state;
    unsigned cpu = one_cpu();
    struct stress_plan plan = plan_on(&cpu);
    plan.load = STRESS_LOAD_MIX;
    plan.peak_ratio = 0.0;
    plan.duration_ns = 2 * MS;
    unsigned long n = 0;
    enum duet_code code = DUET_OK;
    do {
        struct stress_result result = {.cpu_count = 42};
        struct duet_error error = {0};
        alloc_fail_at(++n);
        code = stress_run(&plan, &never, NULL, NULL, &result, &error);
        alloc_fail_at(0);
        if (code != DUET_OK) {
            assert_int_equal(code, DUET_E_NOMEM);
            assert_non_null(strstr(error.message, "no memory"));
            assert_int_equal(result.cpu_count, 42);
        }
    } while (code != DUET_OK);
    assert_int_equal(n, 6); /* the threads' table, and two for each of two workloads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_the_papers),
        cmocka_unit_test(waves_move_between_zero_and_peak),
        cmocka_unit_test(asked_is_the_mean_of_the_wave),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(missing_cpus_are_refused),
        cmocka_unit_test(no_load_takes_next_to_nothing),
        cmocka_unit_test(each_load_takes_time_but_no_more_than_there_is),
        cmocka_unit_test(all_allowed_cpus_are_loaded_by_default),
        cmocka_unit_test(stop_set_before_the_start_is_seen),
        cmocka_unit_test(samples_come_on_the_callers_thread),
        cmocka_unit_test(signal_handler_stops_it),
        cmocka_unit_test(allocation_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
