/* When executions are due, and which were missed: nobody sleeps here. */
#include "analysis/plan/timetable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const int64_t start = INT64_C(1700000000000000000);
static const int64_t minute = INT64_C(60000000000);
static const uint64_t day = UINT64_C(86400000000000);

static struct analysis_timetable table(uint64_t every_ns, double per_hour,
                                       uint64_t batch)
{
    struct analysis_timetable made;
    assert_int_equal(
        analysis_timetable_make(start, every_ns, per_hour, batch, &made, NULL),
        DUET_OK);
    return made;
}

static int64_t due_ns(const struct analysis_timetable *timetable, uint64_t batch)
{
    return analysis_timetable_next(timetable, batch, start).due_utc_ns;
}

static void test_four_an_hour_for_a_day(void **state)
{
    (void)state;
    struct analysis_timetable made = table(day, 4.0, 1);
    assert_true(made.interval_points == 96.0);
    assert_int_equal(due_ns(&made, 0), start);
    assert_int_equal(due_ns(&made, 1), start + 15 * minute);
    assert_int_equal(due_ns(&made, 96), start + (int64_t)day);
    assert_int_equal(analysis_timetable_end(&made, 21), 21 * 96);
}

static void test_batches_are_as_many_executions(void **state)
{
    (void)state;
    struct analysis_timetable made = table(day, 4.0, 4);
    assert_true(made.interval_points == 96.0);
    assert_int_equal(due_ns(&made, 24), start + (int64_t)day);
    assert_int_equal(analysis_timetable_end(&made, 1), 24);
    /* An interval need not end with a batch. */
    made = table(day, 4.0, 5);
    assert_int_equal(analysis_timetable_end(&made, 1), 20);
}

/* The batch that is next when `first` is and so many minutes have gone by. */
static struct analysis_due due(uint64_t first, int64_t minutes)
{
    struct analysis_timetable made = table(day, 4.0, 1);
    return analysis_timetable_next(&made, first, start + minutes * minute);
}

static void test_on_time(void **state)
{
    (void)state;
    assert_int_equal(due(0, 0).batch, 0);
    assert_int_equal(due(0, 0).missed, 0);
    assert_int_equal(due(1, 3).batch, 1);
    assert_int_equal(due(1, 3).due_utc_ns, start + 15 * minute);
    assert_int_equal(due(0, -5).batch, 0); /* the clock was set back */
}

static void test_late(void **state)
{
    (void)state;
    /* Up to half of the 15 minutes it takes place all the same. */
    assert_int_equal(due(1, 22).batch, 1);
    assert_int_equal(due(1, 22).missed, 0);
    assert_int_equal(due(1, 23).batch, 2);
    assert_int_equal(due(1, 23).missed, 1);
    assert_int_equal(due(1, 23).due_utc_ns, start + 30 * minute);
    /* After a night, at 3:01 and at 3:14. */
    assert_int_equal(due(1, 181).batch, 12);
    assert_int_equal(due(1, 181).missed, 11);
    assert_int_equal(due(1, 194).batch, 13);
    assert_int_equal(due(1, 194).missed, 12);
}

static void test_none_comes_twice_or_too_soon(void **state)
{
    (void)state;
    struct analysis_timetable made = table(day, 4.0, 1);
    int64_t last = INT64_MIN;
    uint64_t first = 0;
    /* Whatever the moments at which somebody looks. */
    for (int64_t now = start; now < start + 2000 * minute; now += 7 * minute) {
        struct analysis_due next = analysis_timetable_next(&made, first, now);
        assert_int_equal(next.batch, first + next.missed);
        if (next.due_utc_ns <= now) {
            assert_true(last == INT64_MIN || now - last > 15 * minute / 2);
            assert_true(now - next.due_utc_ns <= 15 * minute / 2);
            first = next.batch + 1;
            last = now;
        }
    }
    assert_in_range(first, 130, 134);
}

static void test_whole_intervals(void **state)
{
    (void)state;
    struct analysis_timetable made = table(day, 4.0, 1);
    assert_int_equal(analysis_timetable_whole(&made, 0, 95), 0);
    assert_int_equal(analysis_timetable_whole(&made, 0, 96), 1);
    assert_int_equal(analysis_timetable_whole(&made, 1, 191), 0);
    assert_int_equal(analysis_timetable_whole(&made, 1, 192), 1);
    assert_int_equal(analysis_timetable_whole(&made, 96, 96 * 4), 3);
    assert_int_equal(analysis_timetable_whole(&made, 5, 5), 0);
    /* 3.2 executions in an interval: the fifth interval ends with the 16th. */
    made = table(day / 10, 3.2 / 2.4, 1);
    assert_int_equal(analysis_timetable_whole(&made, 0, 15), 4);
    assert_int_equal(analysis_timetable_whole(&made, 0, 16), 5);
}

static void test_what_makes_no_timetable(void **state)
{
    (void)state;
    struct analysis_timetable made;
    struct duet_error error;
    assert_int_equal(analysis_timetable_make(start, day, 0.0, 1, &made, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(analysis_timetable_make(start, day, 4.0, 0, &made, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(analysis_timetable_make(start, day, 0.08, 1, &made, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(analysis_timetable_make(start, day, 1e10, 1, &made, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(analysis_timetable_make(start, 1000, 4e10, 1, &made, &error),
                     DUET_E_DOMAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_an_hour_for_a_day),
        cmocka_unit_test(test_batches_are_as_many_executions),
        cmocka_unit_test(test_on_time),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_none_comes_twice_or_too_soon),
        cmocka_unit_test(test_whole_intervals),
        cmocka_unit_test(test_what_makes_no_timetable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
