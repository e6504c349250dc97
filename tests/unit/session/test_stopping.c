/* When a comparison has said enough, by what is asked of it. */
// link: duet_session
#include "session/comparison/stopping.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct question {
    double max_slowdown;
    unsigned fail_on;
    double low;
    double high;
    bool enough;
};

static void what_is_asked_has_to_be_known(void **state)
{
    (void)state;
    const double none = (double)NAN;
    const unsigned slower = MODEL_FAIL_ON_SLOWER;
    const unsigned faster = MODEL_FAIL_ON_FASTER;
    const struct question questions[] = {
        /* a verdict */
        {none, 0, 1.01, 1.03, true},
        {none, slower, 0.97, 0.99, true},
        {none, slower, 0.98, 1.03, false},
        {none, slower, 0.995, 1.005, true}, /* within 1 % */
        {none, 0, (double)NAN, 1.0, false},
        /* a limit alone: that it is below says all */
        {0.05, 0, 0.98, 1.03, true},
        {0.05, 0, 1.06, 1.09, true},
        {0.05, 0, 1.02, 1.07, false},
        /* both: below the limit the verdict is still asked for */
        {0.05, slower, 0.98, 1.03, false},
        {0.05, slower, 1.01, 1.03, true},
        {0.05, slower, 0.995, 1.005, true},
        {0.05, slower, 0.96, 0.98, true},
        {0.05, slower, 1.02, 1.07, true}, /* fails, whatever the limit says */
        {0.05, slower, 0.98, 1.07, false},
        {0.05, faster, 1.02, 1.07, false},
        {0.05, faster, 0.98, 1.03, false},
        {0.05, faster, 0.96, 0.98, true},
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct question *asked = &questions[i];
        const struct stopping stopping = {.until = MODEL_UNTIL_DECIDED,
                                          .same_within = 0.01,
                                          .max_slowdown = asked->max_slowdown,
                                          .fail_on = asked->fail_on};
        const struct model_interval interval = {.low = asked->low, .high = asked->high};
        if (stopping_satisfied(&stopping, &interval) != asked->enough) {
            fail_msg("question %zu", i);
        }
    }
}

static void the_size_of_a_slowdown(void **state)
{
    (void)state;
    const struct question questions[] = {
        {0, 0, 1.01, 7.0, false}, {0, 0, 1.01, 1.04, false},
        {0, 0, 1.02, 1.06, true}, {0, 0, 1.25, 1.95, true},
        {0, 0, 0.5, 0.99, true},  {0, 0, 1.5, (double)INFINITY, false},
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct stopping stopping = {.until = MODEL_UNTIL_DECIDED,
                                          .same_within = 0.01,
                                          .max_slowdown = (double)NAN,
                                          .size_known = true};
        const struct model_interval interval = {.low = questions[i].low,
                                                .high = questions[i].high};
        if (stopping_satisfied(&stopping, &interval) != questions[i].enough) {
            fail_msg("question %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_has_to_be_known),
        cmocka_unit_test(the_size_of_a_slowdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
