// link: -Wl,--wrap=fcntl
/* Plans, read back; experiments that were interrupted. */
#include "store_fixture.h"

#include "store/store_resume.h"

#include <fcntl.h>

/* What happens right before the next experiment is locked. NULL: nothing. */
static void (*before_lock)(void);

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_OFD_SETLK && before_lock != NULL) {
        void (*act)(void) = before_lock;
        before_lock = NULL;
        act();
    }
    return __real_fcntl(fd, command, argument);
}

static const char *const words[] = {"xz", "-9", NULL};

/* With something in every member. */
static struct model_plan full_plan(void)
{
    struct model_plan plan = {
        .name = "all \"of\" it",
        .schedule = MODEL_SCHEDULE_TIMESLICE,
        .choose_schedule = true,
        .seed = UINT64_C(18446744073709551615),
        .iterations = 3,
        .run_time_ns = 25000000,
        .adapt_run_time = true,
        .warmup = 2,
        .runs = 7,
        .min_runs = 4,
        .max_runs = 100000,
        .budget_ns = UINT64_C(600000000000),
        .until = MODEL_UNTIL_PRECISION,
        .precision_ratio = 0.0123456789012345678,
        .timeout_ns = 5000000000,
        .layout = MODEL_LAYOUT_INDEPENDENT,
        .ignore_failure = true,
        .fill = {MODEL_FILL_KILL, MODEL_FILL_ON},
        .usage = true,
        .shell = "/bin/sh",
        .input = {.kind = MODEL_STREAM_FILE, .path = "in put"},
        .output = {.kind = MODEL_STREAM_INHERIT},
        .error_output = {.kind = MODEL_STREAM_PIPE},
        .cpus = {{.cpus = {0, 12, 3}, .count = 3}, {.cpus = {1}, .count = 1}}};
    plan.sides[MODEL_OLD] = (struct model_workload){.name = "old",
                                                    .command = "xz -9",
                                                    .argv = words,
                                                    .setup = "s",
                                                    .prepare = "p",
                                                    .conclude = "co",
                                                    .cleanup = "cl"};
    plan.sides[MODEL_NEW] =
        (struct model_workload){.name = "new", .command = "xz -9", .argv = words};
    return plan;
}

static int64_t begin(struct store *store, const struct model_plan *plan)
{
    int64_t id = 0;
    assert_ok(
        store_experiment_begin(store, plan, NULL, NULL, "1", &id, &fixture_error));
    return id;
}

/* What is read back is what was stored: the text of both is the same. */
static void test_plan_comes_back(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_analysis analysis = model_analysis_default();
    struct model_plan plan = full_plan();
    char text[256] = "untouched";
    plan.analysis = &analysis;
    int64_t id = begin(store, &plan);
    struct store_plan read = {0};
    assert_ok(store_plan_read(store, id, &read, &fixture_error));
    assert_null(read.plan.sides[MODEL_OLD].argv);
    assert_null(read.plan.sides[MODEL_NEW].setup);
    read.plan.sides[MODEL_OLD].argv = read.plan.sides[MODEL_NEW].argv = words;
    read.plan.analysis = &analysis;
    assert_ok(store_plan_difference(store, id, &read.plan, text, sizeof text,
                                    &fixture_error));
    assert_string_equal(text, "");
    read.plan.runs = 8;
    assert_ok(store_plan_difference(store, id, &read.plan, text, sizeof text,
                                    &fixture_error));
    assert_string_equal(text, "runs was 7 and is 8");
    read.plan.runs = 7;
    read.plan.sides[MODEL_OLD].setup = NULL;
    assert_ok(store_plan_difference(store, id, &read.plan, text, sizeof text,
                                    &fixture_error));
    assert_string_equal(text, "sides[0].setup was 's' and is nothing");
    read.plan.sides[MODEL_OLD].setup = "s";
    analysis.confidence = 0.5;
    assert_ok(store_plan_difference(store, id, &read.plan, text, sizeof text,
                                    &fixture_error));
    assert_non_null(strstr(text, "confidence was 0.99"));
    store_plan_release(&read);
    assert_int_equal(store_plan_read(store, 99, &read, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
}

/* A plan that says nothing cannot be carried out. */
static void test_plan_that_is_none(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_plan read = {0};
    int64_t id = fixture_begin(store);
    fixture_sql(fixture_path, "UPDATE experiment SET plan = '{}'");
    assert_int_equal(store_plan_read(store, id, &read, &fixture_error), DUET_E_FORMAT);
    store_close(store);
}

static enum duet_code note_first(void *context, struct store_run_reader *reader,
                                 const struct model_run *run, struct duet_error *reterr)
{
    uint64_t *first = context;
    (void)reterr;
    if (store_runs_resumed(reader)) {
        *first = run->index;
    }
    return DUET_OK;
}

/* The pause is no part of the time, and the run behind it is known. */
static void test_resumed(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_experiment found = {0};
    uint64_t before_ns = 0;
    uint64_t after_ns = 0;
    uint64_t first = 0;
    int64_t id = fixture_begin(store);
    struct model_sink sink = store_sink(store, id);
    assert_ok(fixture_save_run(sink, 0, 2));
    assert_ok(fixture_save_run(sink, 1, 2));
    assert_ok(store_experiment_elapsed(store, id, &before_ns, &fixture_error));
    assert_ok(
        store_experiment_end(store, id, STORE_INTERRUPTED, NULL, "x", &fixture_error));
    assert_ok(store_unfinished_find(store, NULL, &found, &fixture_error));
    assert_int_equal(found.id, id);
    store_experiment_release(&found);
    assert_ok(store_experiment_resume(store, id, NULL, &fixture_error));
    assert_ok(fixture_save_run(sink, 2, 2));
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 1000000000000, "
                              "ended_ns = ended_ns + 1000000000000 WHERE idx = 2");
    assert_ok(store_experiment_elapsed(store, id, &after_ns, &fixture_error));
    assert_true(after_ns > before_ns && after_ns < before_ns + 1000000000000U);
    assert_ok(store_runs_replay(store, id, note_first, &first, &fixture_error));
    assert_int_equal(first, 2);
    assert_ok(store_experiment_end(store, id, STORE_DONE, NULL, NULL, &fixture_error));
    assert_int_equal(store_unfinished_find(store, NULL, &found, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_unfinished_find(store, "1", &found, &fixture_error),
                     DUET_E_USAGE);
    store_close(store);
}

/* Only the whole experiment is resumed; a region of it has paused then, too. */
static void test_resumed_region(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    uint64_t whole_ns = 0;
    uint64_t region_ns = 0;
    int64_t whole = fixture_begin(store);
    int64_t region = fixture_begin(store);
    const int64_t both[] = {whole, region};
    for (uint64_t run = 0; run < 4; run++) {
        if (run == 2) {
            assert_ok(store_experiment_resume(store, whole, NULL, &fixture_error));
        }
        for (size_t i = 0; i < 2; i++) {
            assert_ok(fixture_save_run(store_sink(store, both[i]), run, 2));
        }
    }
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 1000000000000, "
                              "ended_ns = ended_ns + 1000000000000 WHERE idx < 2");
    fixture_sql(fixture_path, "UPDATE experiment SET region_of = 1 WHERE id = 2");
    assert_ok(store_experiment_elapsed(store, whole, &whole_ns, &fixture_error));
    assert_ok(store_experiment_elapsed(store, region, &region_ns, &fixture_error));
    assert_true(whole_ns > 0 && whole_ns < 1000000000000U);
    assert_int_equal(region_ns, whole_ns);
    store_close(store);
}

/* Two handles stand for two processes: their descriptions of the file are two. */
static void test_one_at_a_time(void **state)
{
    (void)state;
    struct store *mine = fixture_open();
    struct store *other = fixture_open();
    struct store_experiment found = {0};
    int64_t id = fixture_begin(mine);
    assert_int_equal(store_unfinished_find(other, NULL, &found, &fixture_error),
                     DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "another process is measuring"));
    assert_ok(store_experiment_end(mine, id, STORE_FAILED, NULL, "x", &fixture_error));
    assert_ok(store_unfinished_find(other, NULL, &found, &fixture_error));
    store_experiment_release(&found);
    store_close(other);
    store_close(mine);
}

static void end_it(void)
{
    fixture_sql(fixture_path, "UPDATE experiment SET state = 'done'");
}

/* Another process ends it between the look at it and its lock. */
static void test_ended_meanwhile(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_experiment found = {0};
    int64_t id = fixture_begin(store);
    assert_ok(
        store_experiment_end(store, id, STORE_INTERRUPTED, NULL, NULL, &fixture_error));
    before_lock = end_it;
    assert_int_equal(store_unfinished_find(store, "1", &found, &fixture_error),
                     DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "is complete"));
    struct store *other = fixture_open();
    assert_false(store_experiment_is_locked(other, id));
    store_close(other);
    store_close(store);
}

static void nobody_sees_it(void)
{
    fixture_expect_text("SELECT count(*) FROM experiment", "0");
}

/* Else it would look for a moment as if who measures it had died. */
static void test_locked_before_it_is_seen(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    before_lock = nobody_sees_it;
    (void)fixture_begin(store);
    assert_true(before_lock == NULL);
    store_close(store);
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {CASE(test_plan_comes_back),
                                       CASE(test_plan_that_is_none),
                                       CASE(test_resumed),
                                       CASE(test_resumed_region),
                                       CASE(test_one_at_a_time),
                                       CASE(test_ended_meanwhile),
                                       CASE(test_locked_before_it_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
