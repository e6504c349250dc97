/* Days: written, read, and refused. */
#include "base/day.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static const int64_t begin_utc_ms = INT64_C(1795305600000); /* 2026-11-22 */

static void days_have_names(void **state)
{
    (void)state;
    char name[DAY_BYTES];
    day_name(begin_utc_ms, name);
    assert_string_equal(name, "2026-11-22");
    day_name(begin_utc_ms + 86399999, name);
    assert_string_equal(name, "2026-11-22");
    day_name(0, name);
    assert_string_equal(name, "");
    day_name(INT64_MAX, name);
    assert_string_equal(name, "");
    day_name(INT64_C(253402300800000), name); /* the year 10000 */
    assert_string_equal(name, "");
}

static void days_are_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",           "2026-11",       "2026-02-30",
                                        "2026-1-2",   "2026-11-22T10", "soon",
                                        " 2026-11-22"};
    int64_t utc_ms = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(day_read(wrong[i], &utc_ms));
        assert_int_equal(utc_ms, 7);
    }
    assert_true(day_read("2026-11-22", &utc_ms));
    assert_int_equal(utc_ms, begin_utc_ms);
}

static void moments_are_written(void **state)
{
    (void)state;
    char moment[DAY_MOMENT_BYTES];
    day_utc(begin_utc_ms + 3723004, moment);
    assert_string_equal(moment, "2026-11-22T01:02:03Z");
    day_utc(0, moment);
    assert_string_equal(moment, "1970-01-01T00:00:00Z");
    assert_int_equal(setenv("TZ", "XYZ-2", 1), 0);
    tzset();
    day_local(begin_utc_ms, moment);
    assert_string_equal(moment, "2026-11-22 02:00:00");
    day_utc(INT64_MAX, moment);
    assert_string_equal(moment, "");
    day_local(INT64_MAX, moment);
    assert_string_equal(moment, "");
    day_utc(INT64_C(253402300800000), moment); /* the year 10000 */
    assert_string_equal(moment, "");
    day_local(INT64_C(253402300800000), moment);
    assert_string_equal(moment, "");
}

static void today_is_a_day(void **state)
{
    (void)state;
    char name[DAY_BYTES];
    int64_t utc_ms = 0;
    day_today(name);
    assert_true(day_read(name, &utc_ms));
    assert_true(utc_ms > begin_utc_ms - INT64_C(86400000) * 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_have_names),
        cmocka_unit_test(days_are_read),
        cmocka_unit_test(moments_are_written),
        cmocka_unit_test(today_is_a_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
