/* A warm-up that leaves nothing is noticed at the first run of each side. */
// link: duet_session
#include "session/comparison/warmup_guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "support/counting_sink.h"

#include <cmocka.h>

enum { ITERATIONS_MOST = 16 };

static struct counting_sink kept;
static const struct model_sink store = COUNTING_SINK(&kept);

static struct warmup_guard guard_of(enum model_warmup warmup, uint64_t count,
                                    uint64_t left_out)
{
    const struct model_plan plan = {.warmup = left_out};
    const struct model_cleaning cleaning = {.warmup = warmup, .warmup_count = count};
    return warmup_guard_of(&plan, &cleaning);
}

/* One run with so many iterations of each side; 0: without the side. */
static void run_through(const struct model_sink *sink, enum model_mode mode,
                        uint64_t old, uint64_t new)
{
    const struct model_run run = {.mode = mode};
    const uint64_t counts[MODEL_SIDES] = {old, new};
    struct model_iteration iterations[ITERATIONS_MOST] = {{0}};
    assert_int_equal(sink->run_begin(sink->context, &run, NULL), DUET_OK);
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (uint64_t i = 0; i < counts[side]; i++) {
            iterations[i].index = i;
        }
        assert_int_equal(sink->iterations(sink->context, (enum model_side)side,
                                          iterations, counts[side], NULL),
                         DUET_OK);
    }
    assert_int_equal(sink->run_end(sink->context, &run, NULL), DUET_OK);
}

static void all_is_handed_on(void **state)
{
    (void)state;
    struct warmup_guard guard = guard_of(MODEL_WARMUP_COUNT, 1, 0);
    const struct model_sink sink = warmup_guard_sink(&guard, &store);
    const struct model_run run = {.index = 0};
    const struct model_iteration iteration = {.index = 0};
    kept = (struct counting_sink){.answer = DUET_OK};
    run_through(&sink, MODEL_MODE_COMMAND, 1, 1);
    assert_int_equal(kept.runs, 1);
    assert_int_equal(kept.iterations, 2);
    kept.answer = DUET_E_IO;
    assert_int_equal(sink.run_begin(sink.context, &run, NULL), DUET_E_IO);
    assert_int_equal(sink.iterations(sink.context, MODEL_OLD, &iteration, 1, NULL),
                     DUET_E_IO);
    assert_int_equal(sink.run_end(sink.context, &run, NULL), DUET_E_IO);
    sink.run_abort(sink.context);
    assert_int_equal(kept.aborted, 1);
    kept.answer = DUET_OK;
}

static void nothing_left_is_noticed(void **state)
{
    (void)state;
    static const struct {
        enum model_warmup warmup;
        uint64_t count;
        uint64_t left_out; /* by the plan, of benchmark programs */
        enum model_mode mode;
        uint64_t iterations;
        const char *noticed; /* NULL: something is left */
    } cases[] = {
        {MODEL_WARMUP_COUNT, 1, 0, MODEL_MODE_COMMAND, 1, "none of 1 iteration a run"},
        {MODEL_WARMUP_COUNT, 1, 5, MODEL_MODE_COMMAND, 2, NULL},
        {MODEL_WARMUP_COUNT, 4, 2, MODEL_MODE_HARNESS, 6, "none of 4 iterations a run"},
        {MODEL_WARMUP_COUNT, 4, 2, MODEL_MODE_HARNESS, 7, NULL},
        {MODEL_WARMUP_STEADY, 0, 0, MODEL_MODE_HARNESS, 3, "needs 4 iterations a run"},
        {MODEL_WARMUP_STEADY, 0, 0, MODEL_MODE_HARNESS, 4, NULL},
        {MODEL_WARMUP_HALF, 0, 0, MODEL_MODE_COMMAND, 1, NULL},
        {MODEL_WARMUP_NONE, 0, 0, MODEL_MODE_COMMAND, 1, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int alone = 0; alone < 2; alone++) { /* sides one after the other */
            struct warmup_guard guard =
                guard_of(cases[i].warmup, cases[i].count, cases[i].left_out);
            const struct model_sink sink = warmup_guard_sink(&guard, &store);
            run_through(&sink, cases[i].mode,
                        alone == 1 ? ITERATIONS_MOST : cases[i].iterations,
                        alone == 1 ? 0 : ITERATIONS_MOST);
            assert_true(guard.code == DUET_OK || alone == 0);
            if (alone == 1) {
                run_through(&sink, cases[i].mode, 0, cases[i].iterations);
            }
            assert_int_equal(guard.code,
                             cases[i].noticed == NULL ? DUET_OK : DUET_E_TOO_FEW);
            if (cases[i].noticed != NULL) {
                assert_non_null(strstr(guard.error.message, cases[i].noticed));
            }
        }
    }
}

/* What a benchmark program is given time for can be short for once; the analysis says
 * so. */
static void only_first_runs_are_looked_at(void **state)
{
    (void)state;
    struct warmup_guard guard = guard_of(MODEL_WARMUP_COUNT, 2, 0);
    const struct model_sink sink = warmup_guard_sink(&guard, &store);
    run_through(&sink, MODEL_MODE_HARNESS, 3, 3);
    run_through(&sink, MODEL_MODE_HARNESS, 2, 2);
    assert_int_equal(guard.code, DUET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_handed_on),
        cmocka_unit_test(nothing_left_is_noticed),
        cmocka_unit_test(only_first_runs_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
