#include "base/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum fruit { APPLE, PEAR };

struct basket {
    const char *name;
    bool ripe;
    uint64_t grams;
    size_t pieces;
    int price;
    uint64_t age_ns;
    uint64_t rest_ns;
    double size;
    double rotten;
    double share;
    double growth;
    enum fruit fruit;
    enum fruit second;
};

static const char *const fruits[] = {"apple", "pear", NULL};

static const char *fruit_name(unsigned fruit)
{
    return fruits[fruit];
}

#define AT struct basket
static const struct field fields[] = {
    FIELD_TEXT("--name", AT, name),
    FIELD_FLAG("--ripe", AT, ripe),
    FIELD_WHOLE("--grams", AT, grams, 1, 1000),
    FIELD_SIZE("--pieces", AT, pieces, 0, 9),
    FIELD_INT("--price", AT, price, 2, 20),
    FIELD_DURATION("--age", AT, age_ns),
    FIELD_DURATION_OR_0("--rest", AT, rest_ns),
    FIELD_DOUBLE("--size", FIELD_IS_POSITIVE, AT, size),
    FIELD_DOUBLE("--rotten", FIELD_IS_FRACTION, AT, rotten),
    FIELD_DOUBLE("--share", FIELD_IS_SHARE, AT, share),
    FIELD_DOUBLE("--growth", FIELD_IS_CHANGE, AT, growth),
    FIELD_WORD("--fruit", AT, fruit, fruits),
    FIELD_NAMED("--second", AT, second, fruit_name, 2),
    FIELD_END};
#undef AT

static void every_kind_is_taken(void **state)
{
    (void)state;
    static const char *const given[][2] = {
        {"name", "n"},    {"ripe", NULL},   {"grams", "1000"}, {"pieces", "0"},
        {"price", "20"},  {"age", "2ms"},   {"size", "0.5"},   {"rotten", "100%"},
        {"share", "0.5"}, {"growth", "2%"}, {"fruit", "pear"}, {"second", "pear"},
        {"rest", "0"}};
    struct basket basket = {.pieces = 3, .rest_ns = 7};
    struct duet_error error;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        enum duet_code code = DUET_E_INTERNAL;
        assert_true(
            field_take(fields, &basket, given[i][0], given[i][1], &code, &error));
        assert_int_equal(code, DUET_OK);
    }
    assert_string_equal(basket.name, "n");
    assert_true(basket.ripe);
    assert_int_equal(basket.grams, 1000);
    assert_int_equal(basket.pieces, 0);
    assert_int_equal(basket.price, 20);
    assert_int_equal(basket.age_ns, 2000000);
    assert_int_equal(basket.rest_ns, 0);
    assert_true(basket.size == 0.5 && basket.rotten == 1.0 && basket.share == 0.5 &&
                basket.growth == 0.02);
    assert_int_equal(basket.fruit, PEAR);
    assert_int_equal(basket.second, PEAR);
}

static void wrong_values_change_nothing(void **state)
{
    (void)state;
    static const char *const given[][2] = {
        {"grams", "0"},  {"grams", "1001"}, {"pieces", "10"}, {"price", "1"},
        {"age", "many"}, {"age", "0s"},     {"size", "0"},    {"rotten", "x"},
        {"share", "0"},  {"share", "100%"}, {"growth", "2"},  {"fruit", "plum"}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        struct basket basket = {.price = 7, .share = 0.25, .fruit = PEAR};
        struct basket before = basket;
        struct duet_error error = {0};
        enum duet_code code = DUET_OK;
        assert_true(
            field_take(fields, &basket, given[i][0], given[i][1], &code, &error));
        assert_int_equal(code, DUET_E_USAGE);
        assert_non_null(strstr(error.message, given[i][0]));
        assert_memory_equal(&basket, &before, sizeof basket);
    }
}

static void words_are_named(void **state)
{
    (void)state;
    struct basket basket = {.fruit = APPLE};
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    assert_true(field_take(fields, &basket, "fruit", "plum", &code, &error));
    assert_string_equal(error.message, "--fruit plum: expected one of apple, pear");
    assert_true(field_take(fields, &basket, "second", "plum", &code, &error));
    assert_string_equal(error.message, "--second plum: expected one of apple, pear");
    assert_true(field_take(fields, &basket, "age", "0", &code, &error));
    assert_string_equal(error.message,
                        "--age 0: it must be above 0; leave it out for its default");
}

static void others_are_none(void **state)
{
    (void)state;
    struct basket basket = {.fruit = APPLE};
    enum duet_code code = DUET_E_INTERNAL;
    assert_false(field_take(fields, &basket, "nam", "x", &code, NULL));
    assert_false(field_take(fields, &basket, "--name", "x", &code, NULL));
    assert_int_equal(code, DUET_E_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_taken),
        cmocka_unit_test(wrong_values_change_nothing),
        cmocka_unit_test(words_are_named),
        cmocka_unit_test(others_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
