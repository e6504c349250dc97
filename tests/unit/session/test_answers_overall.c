/* Several answers in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/comparison/answers.h"
#include "support/alloc_fail.h"

#include <math.h>

static struct answer answer_of(double ratio)
{
    return (struct answer){.comparison = {.ratio = ratio,
                                          .took_s = ratio,
                                          .verdict = MODEL_VERDICT_SLOWER,
                                          .interval = {.low = ratio / 1.01,
                                                       .high = ratio * 1.01,
                                                       .confidence = 0.99}}};
}

static void answers_have_a_geometric_mean(void **state)
{
    (void)state;
    const struct answer answers[] = {answer_of(2), answer_of(8)};
    struct answers_overall overall;
    assert_int_equal(answers_sum_up(answers, 2, &overall, NULL), DUET_OK);
    assert_int_equal(overall.count, 2);
    assert_true(overall.has_geomean);
    assert_true(fabs(overall.geomean.ratio - 4) < 1e-12);
    assert_true(fabs(overall.comparisons[1].ratio - 8) < 1e-12);
    assert_true(fabs(overall.took_s - 10) < 1e-12);
    answers_overall_release(&overall);
    assert_null(overall.comparisons);
    assert_int_equal(answers_sum_up(answers, 1, &overall, NULL), DUET_OK);
    assert_false(overall.has_geomean); /* one is no mean */
    answers_overall_release(&overall);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const struct answer answers[] = {answer_of(2), answer_of(8)};
    struct answers_overall overall = {.count = 7};
    struct duet_error error = {0};
    alloc_fail_at(1);
    assert_int_equal(answers_sum_up(answers, 2, &overall, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(overall.count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_a_geometric_mean),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
