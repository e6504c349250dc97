/* Parameters: their combinations, and what is put into a command line. */
// link: duet_session
#include "session/parameter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static void check_text(char *take_text, const char *expected)
{
    assert_string_equal(take_text, expected);
    free(take_text);
}

/* Three parameters, as -L and -P and a suite give them. */
static enum duet_code make(struct parameter_list *list, struct duet_error *error)
{
    const char *const words[] = {"x,y", "{n}"};
    enum duet_code code = parameter_add_list(list, "l", "a,,b", error);
    if (code == DUET_OK) {
        code = parameter_add_scan(list, "n", "-0.5", "0.55", "0.5", error);
    }
    return code == DUET_OK ? parameter_add_values(list, "w", words, 2, error) : code;
}

static void every_combination_once(void **state)
{
    (void)state;
    struct parameter_list list = {0};
    struct duet_error error;
    assert_int_equal(parameter_combinations(&list), 1);
    check_text(parameter_expand(&list, 0, "{l}"), "{l}");
    check_text(parameter_label(&list, 0), "");
    assert_int_equal(make(&list, &error), DUET_OK);
    assert_int_equal(parameter_combinations(&list), 3 * 3 * 2);
    check_text(parameter_label(&list, 0), "l=a, n=-0.5, w=x,y");
    check_text(parameter_label(&list, 1),
               "l=a, n=-0.5, w={n}"); /* the last varies first */
    check_text(parameter_label(&list, 9), "l=, n=0, w={n}");
    check_text(parameter_label(&list, 17), "l=b, n=0.5, w={n}");
    /* What is put in is not looked at again. */
    check_text(parameter_expand(&list, 17, "{l}{l} {{n}} {w} {no} {l"),
               "bb {0.5} {n} {no} {l");
    parameter_list_release(&list);
}

/* 2^64 and more of them are not none. */
static void very_many_combinations(void **state)
{
    (void)state;
    struct parameter_list list = {0};
    struct duet_error error;
    for (int i = 0; i < 70; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(parameter_add_list(&list, name, "a,b", &error), DUET_OK);
        assert_true(parameter_combinations(&list) > (size_t)i);
    }
    assert_true(parameter_combinations(&list) == SIZE_MAX);
    parameter_list_release(&list);
}

static void mistakes_add_nothing(void **state)
{
    static const char *const scans[][3] = {{"2", "1", NULL},      {"1", "2", "0"},
                                           {"1", "2", "-1"},      {"0", "10000", NULL},
                                           {"one", "2", NULL},    {"1", "nan", NULL},
                                           {"1", "2", "0.00001"}, {"1", "2", "x"}};
    (void)state;
    struct parameter_list list = {0};
    struct duet_error error = {0};
    assert_int_equal(parameter_add_list(&list, "x", "1", &error), DUET_OK);
    for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++) {
        assert_int_equal(parameter_add_scan(&list, "y", scans[i][0], scans[i][1],
                                            scans[i][2], &error),
                         DUET_E_USAGE);
    }
    assert_int_equal(parameter_add_list(&list, "x", "2", &error), DUET_E_USAGE);
    assert_string_equal(error.message, "parameter 'x' is given twice");
    assert_int_equal(parameter_add_list(&list, "", "2", &error), DUET_E_USAGE);
    assert_int_equal(parameter_add_values(&list, "{a", NULL, 0, &error), DUET_E_USAGE);
    assert_int_equal(list.count, 1);
    assert_int_equal(parameter_add_scan(&list, "y", "1", "10000", NULL, &error),
                     DUET_OK);
    assert_int_equal(parameter_combinations(&list), 10000);
    parameter_list_release(&list);
}

static void memory_may_be_short_anywhere(void **state)
{
    (void)state;
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    while (code == DUET_E_NOMEM) {
        struct parameter_list list = {0};
        struct duet_error error = {0};
        alloc_fail_at(++n);
        code = make(&list, &error);
        char *text = code == DUET_OK ? parameter_expand(&list, 0, "{l}{n}") : NULL;
        char *label = text != NULL ? parameter_label(&list, 0) : NULL;
        alloc_fail_at(0);
        code = code == DUET_OK && label == NULL ? DUET_E_NOMEM : code;
        free(text);
        free(label);
        parameter_list_release(&list);
    }
    assert_int_equal(code, DUET_OK);
    assert_true(n > 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_once),
        cmocka_unit_test(very_many_combinations),
        cmocka_unit_test(mistakes_add_nothing),
        cmocka_unit_test(memory_may_be_short_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
