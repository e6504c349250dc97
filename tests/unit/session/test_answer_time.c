/* What the answer of a stored experiment says of the time that it took. */
#include "unit/store/store_fixture.h"

#include "session/comparison/answer.h"
#include "store/store_resume.h"

enum { RUNS = 4, ITERATIONS = 4 };

/* Four runs, too few for a verdict, with a pause behind the second one. */
static int64_t measure(struct store *store)
{
    int64_t id = fixture_begin(store);
    struct model_sink sink = store_sink(store, id);
    for (uint64_t r = 0; r < RUNS; r++) {
        if (r == RUNS / 2) {
            assert_ok(store_experiment_resume(store, id, NULL, &fixture_error));
        }
        assert_ok(fixture_save_run(sink, r, ITERATIONS));
    }
    assert_ok(store_experiment_end(store, id, STORE_DONE, NULL, NULL, &fixture_error));
    return id;
}

/* 4 times some milliseconds are less than the least that is suggested. */
static void assert_short(struct store *store, int64_t id)
{
    struct answer answer;
    struct model_analysis analysis = fixture_analysis;
    analysis.interval = MODEL_INTERVAL_ANYTIME; /* four runs bound nothing */
    assert_ok(answer_make(store, id, &analysis, &answer, &fixture_error));
    const struct model_comparison *comparison = &answer.comparison;
    assert_int_equal(comparison->verdict, MODEL_VERDICT_UNSURE);
    if (strstr(comparison->advice.options, "time=10s") == NULL) {
        fail_msg("'%s'", comparison->advice.options);
    }
    answer_release(&answer);
}

static void a_pause_is_not_measuring(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = measure(store);
    assert_short(store, id);
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 1000000000000, "
                              "ended_ns = ended_ns + 1000000000000 WHERE idx >= 2");
    assert_short(store, id);
    store_close(store);
}

/* The clock begins anew: the last run ends before the first one began. */
static void the_machine_was_restarted(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = measure(store);
    fixture_sql(fixture_path, "UPDATE run SET started_ns = started_ns + 1000000000000, "
                              "ended_ns = ended_ns + 1000000000000 WHERE idx < 2");
    assert_short(store, id);
    store_close(store);
}

int main(void)
{
#define CASE(test) \
    cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_pause_is_not_measuring),
        CASE(the_machine_was_restarted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
