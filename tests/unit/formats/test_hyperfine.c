/* hyperfine's JSON. */
#include "foreign_file.h"

#include "formats/hyperfine.h"

static enum duet_code read_json(const char *text,
                                const struct formats_hyperfine_choice *choice,
                                struct formats_data *data, char names[MODEL_SIDES][256],
                                struct duet_error *error)
{
    struct formats_source *source = file_of(text);
    struct formats_gather *gather = gather_new();
    enum duet_code code = formats_hyperfine_read(source, choice, gather, names, error);
    if (code == DUET_OK) {
        code = formats_gather_finish(gather, FORMATS_PAIRING_AUTO, data, error);
    }
    formats_gather_free(gather);
    formats_source_close(source);
    return code;
}

static void test_two_results(void **state)
{
    (void)state;
    const char *text =
        "{\"results\": [{\"command\": \"a\", \"times\": [0.5, 1]},{\"command\": \"b\", \"times\": [2]}]}";
    struct formats_data data = {0};
    struct duet_error error = {0};
    char names[MODEL_SIDES][256] = {"", ""};
    struct formats_hyperfine_choice choice = {.one_side = false};
    assert_int_equal(read_json(text, &choice, &data, names, &error), DUET_OK);
    assert_string_equal(run_text(&data, 0), "500000000 1000000000 | 2000000000");
    assert_string_equal(names[MODEL_OLD], "a");
    assert_string_equal(names[MODEL_NEW], "b");
    formats_data_release(&data);
    choice.commands[MODEL_OLD] = "b";
    choice.commands[MODEL_NEW] = "a";
    assert_int_equal(read_json(text, &choice, &data, names, &error), DUET_OK);
    assert_string_equal(names[MODEL_OLD], "b");
    formats_data_release(&data);
    choice.commands[MODEL_NEW] = "c";
    assert_int_equal(read_json(text, &choice, &data, names, &error), DUET_E_NOT_FOUND);
}

static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"{\n \"results\": [}", "f:2:"},
        {"{\"results\": [\n{\"command\": \"a\\u0000\"}]}",
         "f:2:21: a string holds \\u0000"},
        {"{\"a\\u0000\": 1}", "a string holds \\u0000"},
        {"[]", "without results[]"},
        {"{\"results\": []}", "has 0 results where 2 are needed"},
        {"{\"results\": [{\"times\": [1]}, {\"times\": []}]}",
         "results[1] has no times"},
        {"{\"results\": [{\"times\": [1]}, {\"times\": [1, \"2\"]}]}",
         "results[1].times[1] is not a positive number"},
        {"{\"results\": [{\"times\": [0]}, {\"times\": [1]}]}", "results[0].times[0]"},
        {"{\"results\": [{\"times\": [1e300]}, {\"times\": [1]}]}",
         "results[0].times[0] is not a time: it must be at most 1.79769e+299"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct formats_data data = {0};
        struct duet_error error = {0};
        char names[MODEL_SIDES][256] = {"", ""};
        const struct formats_hyperfine_choice choice = {.one_side = false};
        assert_int_equal(read_json(cases[i].text, &choice, &data, names, &error),
                         DUET_E_FORMAT);
        if (strstr(error.message, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].text, error.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_results),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
