/* Plain numbers, units, and numbers as text. */
#include "foreign_file.h"

#include "formats/numbers.h"
#include "support/alloc_fail.h"

static enum duet_code read_text(const char *text, struct formats_gather *gather,
                                struct duet_error *error)
{
    const struct formats_unit unit = {.ns = 1};
    struct formats_source *source = file_of(text);
    enum duet_code code =
        formats_numbers_read(source, &unit, MODEL_OLD, NULL, gather, error);
    formats_source_close(source);
    return code;
}

static void test_lines(void **state)
{
    (void)state;
    struct formats_gather *gather = gather_new();
    struct formats_data data = {0};
    struct duet_error error = {0};
    const struct formats_record other = {.side = MODEL_NEW, .ns = 9};
    assert_int_equal(
        read_text("# times\n1.5\r\n\n  2e1 # slow\n\t0.003\n7", gather, &error),
        DUET_OK);
    assert_int_equal(formats_gather_add(gather, &other, NULL), DUET_OK);
    assert_int_equal(formats_gather_finish(gather, FORMATS_PAIRING_AUTO, &data, &error),
                     DUET_OK);
    assert_false(data.values.paired);
    assert_false(data.has_runs);
    assert_int_equal(data.values.run_count, 1);
    assert_string_equal(run_text(&data, 0), "1.5 20 0.003 7 | 9");
    formats_data_release(&data);
    formats_gather_free(gather);
}

static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *text;
        enum duet_code code;
        const char *message;
    } cases[] = {
        {"", DUET_E_TOO_FEW, "holds no number"},
        {"# nothing\n\n", DUET_E_TOO_FEW, "holds no number"},
        {"1\n2\n  x3\n", DUET_E_FORMAT, "f:3:3: 'x3' is not a number"},
        {"1 2\n", DUET_E_FORMAT, "f:1:1: "},
        {"nan\n", DUET_E_FORMAT, "f:1:1: "},
        {"inf\n", DUET_E_FORMAT, "f:1:1: "},
        {"0x10\n", DUET_E_FORMAT, "f:1:1: "},
        {"1e999\n", DUET_E_FORMAT, "'1e999' is not a number up to 1.79769e+308"},
        {"1e\n", DUET_E_FORMAT, "f:1:1: "},
        {"1\n-2\n", DUET_E_FORMAT, "f:2:1: '-2' is not a time: it must be positive"},
        {"0\n", DUET_E_FORMAT, "it must be positive"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct formats_gather *gather = gather_new();
        struct duet_error error = {0};
        assert_int_equal(read_text(cases[i].text, gather, &error), cases[i].code);
        if (strstr(error.message, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].text, error.message);
        }
        formats_gather_free(gather);
    }
}

/* Numbers are those of strtod(), whichever way they were read. */
static void test_numbers_are_exact(void **state)
{
    (void)state;
    const char *const texts[] = {"0.1",
                                 "123456789012345",
                                 "1234567890123456789",
                                 "0.000001",
                                 "1e22",
                                 "1.7976931348623157e308",
                                 "4.9e-324",
                                 "0.30000000000000004",
                                 "999999999999999e-5",
                                 "+5",
                                 "-12.5",
                                 ".5",
                                 "5.",
                                 "3.14159265358979"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 0;
        double expected = strtod(texts[i], NULL);
        assert_true(formats_scan_number(texts[i], strlen(texts[i]), &value));
        assert_memory_equal(&value, &expected, sizeof value);
    }
    const char *const wrong[] = {"", ".", "-", "e5", "1e+", "1.2.3", "1,5", "0x1p3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value = 7;
        assert_false(formats_scan_number(wrong[i], strlen(wrong[i]), &value));
        assert_true(value > 6.9 && value < 7.1);
    }
    uint64_t whole = 0;
    assert_true(formats_scan_whole("18446744073709551615", 20, &whole));
    assert_true(whole == UINT64_MAX);
    assert_false(formats_scan_whole("18446744073709551616", 20, &whole));
    assert_false(formats_scan_whole("-1", 2, &whole));
    assert_false(formats_scan_whole("", 0, &whole));
}

static void test_units(void **state)
{
    (void)state;
    double ns = 0;
    assert_true(formats_unit_from_suffix("time_ns", &ns) && ns < 1.1);
    assert_true(formats_unit_from_suffix("real (ms)", &ns) && ns > 1e5 && ns < 1e7);
    assert_true(formats_unit_from_suffix("ms", &ns) && ns > 1e5);
    assert_false(formats_unit_from_suffix("s", &ns));
    assert_false(formats_unit_from_suffix("times", &ns));
    /* The smallest of several times is called so, too. */
    assert_false(formats_unit_from_suffix("time_min", &ns));
    assert_false(formats_unit_from_suffix("Min", &ns));
    assert_true(formats_unit_is_unclear("time_min") && formats_unit_is_unclear("Min"));
    assert_false(formats_unit_is_unclear("time_ms") ||
                 formats_unit_is_unclear("admin"));
    assert_true(formats_unit_from_suffix("time [min]", &ns) && ns > 59e9 && ns < 61e9);
    assert_true(formats_unit_from_suffix("time_minutes", &ns) && ns > 59e9);
    assert_true(formats_unit_from_name("US", &ns) && ns > 999 && ns < 1001);
    assert_false(formats_unit_from_name("parsec", &ns));
    /* 4 operations in a millisecond: 250,000 ns each; twice as many take half. */
    const struct formats_unit rate = {.ns = 1e6, .throughput = true};
    assert_true(formats_unit_apply(&rate, 4, &ns) && fabs(ns - 250000) < 1e-6);
    const struct formats_unit none = {.ns = 0};
    assert_true(formats_unit_apply(&none, 2, &ns) && fabs(ns - 2e9) < 1e-3);
    assert_false(formats_unit_apply(&none, 1e305, &ns));
    assert_string_equal(formats_unit_wanted(&none, 1e305).text,
                        "time: it must be at most 1.79769e+299");
    assert_false(formats_unit_apply(&rate, 0, &ns));
    assert_string_equal(formats_unit_wanted(&rate, 0).text,
                        "throughput: it must be positive");
    assert_false(formats_unit_apply(&rate, 1e-305, &ns));
    assert_string_equal(formats_unit_wanted(&rate, 1e-305).text,
                        "throughput: it must be at least 5.56268e-303");
}

static void test_no_memory(void **state)
{
    (void)state;
    enum duet_code code = DUET_E_NOMEM;
    size_t failures = 0;
    for (unsigned long nth = 1; code != DUET_OK; nth++) {
        struct formats_source *source = file_of("1\n2\n3\n4\n5\n");
        const struct formats_unit unit = {.ns = 1};
        struct formats_gather *gather = gather_new();
        struct formats_data data = {0};
        alloc_fail_at(nth);
        code = formats_numbers_read(source, &unit, MODEL_OLD, NULL, gather, NULL);
        if (code == DUET_OK) {
            code = formats_gather_add(
                gather, &(struct formats_record){.side = MODEL_NEW, .ns = 1}, NULL);
        }
        if (code == DUET_OK) {
            code = formats_gather_finish(gather, FORMATS_PAIRING_AUTO, &data, NULL);
        }
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        failures += code == DUET_E_NOMEM;
        formats_data_release(&data);
        formats_gather_free(gather);
        formats_source_close(source);
    }
    assert_true(failures >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_numbers_are_exact), cmocka_unit_test(test_units),
        cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
