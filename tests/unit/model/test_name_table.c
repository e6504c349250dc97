/* Numbers of names, whatever bytes they have, in bounded memory. */
#include "model/name_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t find(struct model_name_table *table, const char *name, size_t length)
{
    uint32_t number = 0;
    assert_int_equal(model_name_table_find(table, name, length, &number, NULL),
                     DUET_OK);
    return number;
}

static void names_have_numbers_in_their_order(void **state)
{
    (void)state;
    struct model_name_table table = {0};
    assert_int_equal(find(&table, "a", 1), 0);
    assert_int_equal(find(&table, "ab", 2), 1);
    assert_int_equal(find(&table, "abc", 2), 1);
    assert_int_equal(find(&table, "a", 1), 0);
    assert_int_equal(find(&table, "", 0), 2);
    assert_int_equal(table.bytes, 3);
    model_name_table_release(&table);
}

/* Behind the NUL there is nothing of the known name to be compared with. */
static void a_nul_is_no_end(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    struct model_name_table table = {0};
    char *name = calloc(BYTES, 1);
    assert_non_null(name);
    name[0] = 'a';
    assert_int_equal(find(&table, "a", 1), 0);
    assert_int_equal(find(&table, name, BYTES), 1);
    free(name);
    model_name_table_release(&table);
}

static void names_that_take_too_much_are_refused(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20, MOST = 64 };
    struct model_name_table table = {0};
    struct duet_error error = {0};
    uint32_t number = 0;
    char *name = malloc(BYTES);
    assert_non_null(name);
    memset(name, 'a', BYTES);
    for (int i = 0; i < MOST; i++) {
        name[0] = (char)('0' + i);
        assert_int_equal(find(&table, name, BYTES), i);
    }
    name[0] = 'z';
    assert_int_equal(model_name_table_find(&table, name, BYTES, &number, &error),
                     DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "64 MiB"));
    name[0] = '0';
    assert_int_equal(find(&table, name, BYTES), 0); /* what is there is found */
    free(name);
    model_name_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_numbers_in_their_order),
        cmocka_unit_test(a_nul_is_no_end),
        cmocka_unit_test(names_that_take_too_much_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
