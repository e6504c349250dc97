/* Which interrupted experiment goes on, where, and by which plan. */
#include "unit/store/store_fixture.h"

#include "session/comparison/resume.h"
#include "support/alloc_fail.h"

static struct session session = {.cancel_fd = -1};

static int setup(void **state)
{
    if (fixture_setup(state) != 0 ||
        machine_open(NULL, &session.machine, &fixture_error) != DUET_OK) {
        return -1;
    }
    session.store = fixture_open();
    return 0;
}

static int teardown(void **state)
{
    store_close(session.store);
    machine_free(session.machine);
    return fixture_teardown(state);
}

/* On the CPUs that this process has. */
static struct model_plan plan_here(void)
{
    struct model_plan plan = fixture_plan();
    struct model_cpu_set allowed;
    machine_cpus_allowed(session.machine, &allowed);
    assert_true(allowed.count > 0);
    for (int position = 0; position < 2; position++) {
        plan.cpus[position] =
            (struct model_cpu_set){.cpus = {allowed.cpus[0]}, .count = 1};
    }
    plan.shell = NULL;
    plan.seed = 77;
    plan.input = (struct model_stream){.kind = MODEL_STREAM_NULL};
    return plan;
}

static struct model_host host_here(const struct model_plan *plan)
{
    struct model_host host;
    machine_describe(session.machine, plan->cpus, &host);
    return host;
}

static int64_t interrupt(const struct model_plan *plan, const struct model_host *host)
{
    int64_t id = 0;
    assert_ok(store_experiment_begin(session.store, plan, host, NULL, "0.1.0", &id,
                                     &fixture_error));
    assert_ok(store_experiment_end(session.store, id, STORE_INTERRUPTED, NULL, NULL,
                                   &fixture_error));
    return id;
}

static void expect_refused(enum duet_code expected, const char *which,
                           const char *words)
{
    struct resume resume = {.benchmark = {.resumed = 77}};
    assert_int_equal(resume_open(&session, which, &resume, &fixture_error), expected);
    assert_int_equal(resume.benchmark.resumed, 77);
    if (strstr(fixture_error.message, words) == NULL) {
        fail_msg("'%s' does not say '%s'", fixture_error.message, words);
    }
}

/* The newest where none is named; its commands are words again. */
static void it_goes_on_by_its_own_plan(void **state)
{
    (void)state;
    struct model_plan plan = plan_here();
    struct model_host host = host_here(&plan);
    int64_t first = interrupt(&plan, &host);
    plan.shell = "/bin/sh";
    plan.runs = 4;
    int64_t second = interrupt(&plan, &host);
    struct resume resume = {0};
    assert_ok(resume_open(&session, NULL, &resume, &fixture_error));
    assert_int_equal(resume.benchmark.resumed, second);
    assert_int_equal(resume.benchmark.plan.runs, 4);
    assert_true(resume.benchmark.analysis.confidence == fixture_analysis.confidence);
    const char *const *argv = resume.benchmark.plan.sides[MODEL_OLD].argv;
    assert_string_equal(argv[0], "/bin/sh");
    assert_string_equal(argv[2], "xz -9");
    resume_release(&resume);

    char number[32];
    (void)snprintf(number, sizeof number, "%lld", (long long)first);
    resume = (struct resume){0};
    assert_ok(resume_open(&session, number, &resume, &fixture_error));
    assert_int_equal(resume.benchmark.resumed, first);
    argv = resume.benchmark.plan.sides[MODEL_NEW].argv;
    assert_string_equal(argv[0], "xz");
    assert_string_equal(argv[1], "-6");
    assert_null(argv[2]);
    resume_release(&resume);
}

static void nothing_goes_on_elsewhere(void **state)
{
    (void)state;
    struct model_plan plan = plan_here();
    struct model_host host = host_here(&plan);
    expect_refused(DUET_E_NOT_FOUND, NULL, "nothing to resume");
    struct model_host other = fixture_host();
    (void)interrupt(&plan, &other);
    if (host.uuid[0] != '\0') {
        expect_refused(DUET_E_UNSUITABLE, NULL, "measured on another machine ('lab')");
    }
    /* Where one of the two is not known, nothing is wrong with it. */
    other.uuid[0] = '\0';
    int64_t unknown = interrupt(&plan, &other);
    struct resume resume = {0};
    assert_ok(resume_open(&session, NULL, &resume, &fixture_error));
    assert_int_equal(resume.benchmark.resumed, unknown);
    resume_release(&resume);
    plan.cpus[1] = (struct model_cpu_set){.cpus = {MODEL_CPUS_MAX - 1}, .count = 1};
    (void)interrupt(&plan, &host);
    expect_refused(DUET_E_UNSUITABLE, NULL, "CPU 1023, on which experiment 3 was");
}

/* A plan on the command line must be the stored one. */
static void another_plan_is_refused(void **state)
{
    (void)state;
    struct model_plan plan = plan_here();
    struct model_host host = host_here(&plan);
    struct model_analysis analysis = benchmark_describe(&fixture_analysis, &plan);
    plan.analysis = &analysis;
    (void)interrupt(&plan, &host);
    struct resume resume = {0};
    assert_ok(resume_open(&session, NULL, &resume, &fixture_error));
    struct run_request request = {.seed_given = true, .cpus = "0,1"};
    struct benchmark same = {.plan = plan, .analysis = analysis};
    assert_ok(resume_check(&session, &resume, &request, &same, &fixture_error));

    struct benchmark other = same;
    other.plan.runs = 5;
    assert_int_equal(resume_check(&session, &resume, &request, &other, &fixture_error),
                     DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "(runs was 3 and is 5)"));
    assert_non_null(strstr(fixture_error.message, "duet run --resume=1"));

    /* A seed and CPUs that were not given are the stored ones. */
    other = same;
    other.plan.seed++;
    other.plan.cpus[0] = (struct model_cpu_set){.cpus = {7, 8}, .count = 2};
    assert_int_equal(resume_check(&session, &resume, &request, &other, &fixture_error),
                     DUET_E_USAGE);
    request = (struct run_request){.seed_given = false};
    assert_ok(resume_check(&session, &resume, &request, &other, &fixture_error));
    resume_release(&resume);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct model_plan plan = plan_here();
    struct model_host host = host_here(&plan);
    struct model_analysis analysis = benchmark_describe(&fixture_analysis, &plan);
    plan.analysis = &analysis;
    (void)interrupt(&plan, &host);
    const struct run_request request = {.seed_given = true};
    struct resume resume = {0};
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        resume = (struct resume){.benchmark = {.resumed = 77}};
        alloc_fail_at(n);
        code = resume_open(&session, NULL, &resume, &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || resume.benchmark.resumed == 77);
    }
    assert_ok(code);
    code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        struct benchmark same = {.plan = plan, .analysis = analysis};
        alloc_fail_at(n);
        code = resume_check(&session, &resume, &request, &same, &fixture_error);
        alloc_fail_at(0);
    }
    assert_ok(code);
    resume_release(&resume);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_goes_on_by_its_own_plan),
        TEST(nothing_goes_on_elsewhere),
        TEST(another_plan_is_refused),
        TEST(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
