// link: duet_harness_parts
/* Named parts of an iteration. */
#include "harness/harness_regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void visits_add_up(void **state)
{
    (void)state;
    struct harness_regions regions = {0};
    bool added = false;
    harness_regions_begin(&regions);
    assert_null(harness_regions_enter(&regions, "a", 100, 10, &added));
    assert_true(added);
    assert_null(harness_regions_enter(&regions, "b", 107, 12, &added));
    assert_true(added);
    assert_null(harness_regions_enter(&regions, "a", 110, 13, &added));
    assert_false(added);
    assert_null(harness_regions_enter(&regions, NULL, 120, 20, &added));
    assert_false(added);
    harness_regions_leave(&regions, 999, 999); /* none is open */
    assert_int_equal(regions.count, 2);
    assert_int_equal(regions.visits[0].first_ns, 100);
    assert_int_equal(regions.visits[0].spent_ns, 17);
    assert_int_equal(regions.visits[0].spent_cpu_ns, 9);
    assert_int_equal(regions.visits[1].first_ns, 107);
    assert_int_equal(regions.visits[1].spent_ns, 3);
    harness_regions_begin(&regions);
    assert_false(regions.visits[0].any);
    assert_int_equal(regions.count, 2);
}

/* One buffer may hold one name after the other, and one name may lie in two places. */
static void names_are_compared_not_addresses(void **state)
{
    (void)state;
    struct harness_regions regions = {0};
    bool added = false;
    char name[8] = "one";
    const char other[] = "one";
    assert_null(harness_regions_enter(&regions, name, 1, 0, &added));
    (void)snprintf(name, sizeof name, "two");
    assert_null(harness_regions_enter(&regions, name, 2, 0, &added));
    assert_true(added);
    assert_int_equal(regions.open, 2);
    assert_null(harness_regions_enter(&regions, other, 3, 0, &added));
    assert_false(added);
    assert_int_equal(regions.open, 1);
    (void)snprintf(name, sizeof name, "one");
    assert_null(harness_regions_enter(&regions, name, 4, 0, &added));
    assert_int_equal(regions.open, 1);
    assert_int_equal(regions.count, 2);
}

static void wrong_names_are_told(void **state)
{
    (void)state;
    struct harness_regions regions = {0};
    bool added = false;
    char name[SYNC_REGION_BYTES + 1];
    memset(name, 'x', sizeof name);
    name[SYNC_REGION_BYTES] = '\0';
    assert_non_null(harness_regions_enter(&regions, name, 1, 0, &added));
    assert_non_null(harness_regions_enter(&regions, "", 1, 0, &added));
    for (unsigned i = 0; i < SYNC_REGIONS_MAX; i++) {
        (void)snprintf(name, sizeof name, "%u", i);
        assert_null(harness_regions_enter(&regions, name, 1, 0, &added));
    }
    assert_non_null(harness_regions_enter(&regions, "more", 1, 0, &added));
    assert_false(added);
    assert_null(harness_regions_enter(&regions, "3", 1, 0, &added));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_add_up),
        cmocka_unit_test(names_are_compared_not_addresses),
        cmocka_unit_test(wrong_names_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
