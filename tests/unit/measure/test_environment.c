/* The environment that programs start with. */
#include "measure/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static size_t bytes_of(const struct environment *environment)
{
    size_t bytes = 0;
    for (const char *const *entry = environment_entries(environment); *entry != NULL;
         entry++) {
        bytes += strlen(*entry) + 1;
    }
    return bytes;
}

static size_t times_named(const struct environment *environment, const char *prefix)
{
    size_t found = 0;
    for (const char *const *entry = environment_entries(environment); *entry != NULL;
         entry++) {
        found += strncmp(*entry, prefix, strlen(prefix)) == 0;
    }
    return found;
}

static void test_ours_come_once_and_the_rest_is_inherited(void **state)
{
    (void)state;
    assert_int_equal(setenv("DUET_ATTACH", "of another duet", 1), 0);
    assert_int_equal(setenv("DUET_ENVIRONMENT_OFFSET", "xx", 1), 0);
    assert_int_equal(setenv("DUET_ATTACHED_TOO", "kept", 1), 0);
    struct environment *environment = environment_new("text");
    assert_non_null(environment);
    assert_int_equal(times_named(environment, "DUET_ATTACH="), 1);
    assert_int_equal(times_named(environment, "DUET_ATTACH=text"), 1);
    assert_int_equal(times_named(environment, "DUET_ENVIRONMENT_OFFSET="), 1);
    assert_int_equal(times_named(environment, "DUET_ATTACHED_TOO=kept"), 1);
    environment_free(environment);
}

static void test_an_offset_is_a_length(void **state)
{
    (void)state;
    struct environment *environment = environment_new("text");
    size_t bytes = bytes_of(environment);
    environment_set_offset(environment, ENVIRONMENT_OFFSET_MAX);
    assert_int_equal(bytes_of(environment), bytes + ENVIRONMENT_OFFSET_MAX);
    environment_set_offset(environment, 16);
    assert_int_equal(bytes_of(environment), bytes + 16);
    environment_set_offset(environment, 0);
    assert_int_equal(bytes_of(environment), bytes);
    environment_set_offset(environment, UINT32_MAX); /* no further than there is room */
    assert_int_equal(bytes_of(environment), bytes + ENVIRONMENT_OFFSET_MAX);
    environment_free(environment);
    environment_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ours_come_once_and_the_rest_is_inherited),
        cmocka_unit_test(test_an_offset_is_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
