/* Cells of tables. */
#include "support/alloc_fail.h"
#include "unit/report/report_samples.h"

#include "report/columns.h"

static const int widths[] = {-6, 5, 8, 0};

static void write_row(struct text *text)
{
    columns_append(text, widths, "%s\t%d\t%.1f\t|%s\n", "a", 12, 3.25, "rest");
}

static void cells_stand_in_their_columns(void **state)
{
    (void)state;
    struct text text = {0};
    write_row(&text);
    columns_append(&text, widths, "\t\tlonger than it is wide\n");
    columns_append(&text, widths, "µs ±");
    columns_append(&text, widths + 1, "漢");
    columns_append_cell(&text, 4, "%d", 7);
    columns_append_cell(&text, -4, "%d", 7);
    columns_append_number(&text, 6, 2, 1.005);
    columns_append_number(&text, 6, 2, (double)NAN);
    columns_append_number(&text, 3, 0, (double)INFINITY);
    assert_string_equal(text_string(&text), "a        12     3.2|rest\n"
                                            "           longer than it is wide\n"
                                            "µs ±     漢   77     1.00     -  -");
    text_release(&text);
}

static void names_leave_a_blank_behind_them(void **state)
{
    (void)state;
    struct text text = {0};
    columns_append_name(&text, 8, "short");
    columns_append_name(&text, 8, "too long for it");
    columns_append_name(&text, 8, "tab\there");
    assert_string_equal(text_string(&text), "short   too… it tab…ere ");
    text_release(&text);
}

static void any_failed_allocation_is_the_tables(void **state)
{
    (void)state;
    struct text text = {0};
    alloc_fail_at(0);
    write_row(&text);
    columns_append_name(&text, 8, "name");
    unsigned long allocations = alloc_fail_seen();
    text_release(&text);
    assert_true(allocations >= 3);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        write_row(&text);
        columns_append_name(&text, 8, "name");
        alloc_fail_at(0);
        assert_true(text_failed(&text));
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_stand_in_their_columns),
        cmocka_unit_test(names_leave_a_blank_behind_them),
        cmocka_unit_test(any_failed_allocation_is_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
