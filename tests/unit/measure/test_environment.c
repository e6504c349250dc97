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
    struct environment *environment = environment_new("text", false);
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
    struct environment *environment = environment_new("text", false);
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

/* One length for all seeds; whoever has chosen one keeps it. */
static void test_hash_seeds(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("PYTHONHASHSEED"), 0);
    assert_int_equal(setenv("PERL_HASH_SEED", "7", 1), 0);
    struct environment *environment = environment_new("text", true);
    assert_non_null(environment);
    size_t bytes = bytes_of(environment);
    environment_set_hash_seed(environment, UINT32_MAX);
    assert_int_equal(times_named(environment, "PYTHONHASHSEED=4294967295"), 1);
    environment_set_hash_seed(environment, 42);
    assert_int_equal(times_named(environment, "PYTHONHASHSEED=0000000042"), 1);
    assert_int_equal(bytes_of(environment), bytes);
    assert_int_equal(times_named(environment, "PERL_HASH_SEED="), 1);
    assert_int_equal(times_named(environment, "PERL_HASH_SEED=7"), 1);
    environment_free(environment);

    assert_int_equal(unsetenv("PERL_HASH_SEED"), 0);
    environment = environment_new("text", true);
    assert_non_null(environment);
    environment_set_hash_seed(environment, 0xabc);
    assert_int_equal(times_named(environment, "PERL_HASH_SEED=0x00000abc"), 1);
    environment_free(environment);

    environment = environment_new("text", false);
    assert_non_null(environment);
    environment_set_hash_seed(environment, 1);
    assert_int_equal(times_named(environment, "PYTHONHASHSEED="), 0);
    assert_int_equal(times_named(environment, "PERL_HASH_SEED="), 0);
    environment_free(environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ours_come_once_and_the_rest_is_inherited),
        cmocka_unit_test(test_an_offset_is_a_length),
        cmocka_unit_test(test_hash_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
