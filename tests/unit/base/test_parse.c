#include "base/parse.h"

#include "support/alloc_fail.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void duration_takes_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        {"0", 0},
        {"2", 2000000000},
        {"1.5", 1500000000},
        {".5", 500000000},
        {"2.", 2000000000},
        {"+3s", 3000000000},
        {"100ns", 100},
        {"20us", 20000},
        {"20\xC2\xB5s", 20000},
        {"20\xCE\xBCs", 20000},
        {"500ms", 500000000},
        {"0.1ms", 100000},
        {"2s", 2000000000},
        {"1e-3s", 1000000},
        {"1E2ms", 100000000},
        {"1.5min", UINT64_C(90000000000)},
        {"2h", UINT64_C(7200000000000)},
        {"1d", UINT64_C(86400000000000)},
        {"0.4ns", 0},
        {"0.5ns", 1},
        {"1.4ns", 1},
        {"0.3s", 300000000},
        {"1234567.890123456s", UINT64_C(1234567890123456)},
        {"4503599627370495ns", UINT64_C(4503599627370495)},
        {"106751d", UINT64_C(9223286400000000000)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t ns = 77;
        assert_int_equal(parse_duration_ns(cases[i].text, "--time", &ns, NULL),
                         DUET_OK);
        assert_true(ns == cases[i].ns);
    }
}

static void duration_refuses_the_rest(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",     "s",     "ms",    "-1s",   "-0",  " 1s",    "1s ",        "1 s",
        "1,5s", "0x10s", "infs",  "nan",   "1e",  "1e+",    ".",          ".s",
        "+",    "1m",    "1sec",  "1S",    "1ss", "1e400",  "1e5000days", "293000d",
        "1e19", "-ns",   "1_000", "1000y", "--1", "1e4000h"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t ns = 77;
        struct duet_error error = {.code = DUET_OK};
        assert_int_equal(parse_duration_ns(bad[i], "--time", &ns, &error),
                         DUET_E_USAGE);
        assert_true(ns == 77);
        assert_int_equal(error.code, DUET_E_USAGE);
        assert_true(strncmp(error.message, "--time: '", 9) == 0);
        assert_non_null(strstr(error.message, bad[i]));
    }
}

static void duration_message_names_the_unit(void **state)
{
    (void)state;
    uint64_t ns = 0;
    struct duet_error error;
    assert_int_equal(parse_duration_ns("5m", "--timeout", &ns, &error), DUET_E_USAGE);
    assert_string_equal(
        error.message,
        "--timeout: '5m' has an unknown unit 'm': write a number and one of ns, us, ms, s, min, h, d, "
        "as in 500ms");
}

static void fraction_takes_percent_and_plain(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double fraction;
    } cases[] = {
        {"2%", 0.02},
        {"0.02", 0.02},
        {"0", 0},
        {"0%", 0},
        {"100%", 1},
        {"1", 1},
        {"0.1%", 0.001},
        {"150%", 1.5},
        {"1e-3", 1e-3},
        {"0.7%", 0.007},
        {"33.3%", 0.333},
        {"1e1%", 0.1},
        {"0.00000000000000000000000000000000000000000000000000000000000000001%", 1e-67},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double fraction = -1;
        assert_int_equal(parse_fraction(cases[i].text, "--within", &fraction, NULL),
                         DUET_OK);
        assert_true(fraction == cases[i].fraction);
    }
}

static void words_refuse_an_assignment(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"FOO=1 cmd x", "command 'FOO=1 cmd x': 'FOO=1' needs a shell: "
                        "type 'env FOO=1 cmd x', or add -S default"},
        {" _a9=",
         "command ' _a9=': '_a9=' needs a shell: type 'env _a9=', or add -S default"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char **words = NULL;
        struct duet_error error;
        assert_int_equal(parse_command_words(bad[i].text, &words, &error),
                         DUET_E_USAGE);
        assert_null(words);
        assert_string_equal(error.message, bad[i].message);
    }
    static const char *const good[] = {"./a=b", "9a=b", "=b", "cmd a=b", "a-b=c", "a"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char **words = NULL;
        assert_int_equal(parse_command_words(good[i], &words, NULL), DUET_OK);
        free(words);
    }
}

static void fraction_refuses_the_rest(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "%",     "-1%",   "-0.5",
                                      "2 %",  "2%%",   "2%x",   "nan",
                                      "inf%", "0x1p3", "1e400", "1e4000%"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double fraction = -7;
        struct duet_error error;
        assert_int_equal(parse_fraction(bad[i], "--within", &fraction, &error),
                         DUET_E_USAGE);
        assert_true(fraction == -7);
        assert_true(strncmp(error.message, "--within: '", 11) == 0);
    }
}

static void change_needs_its_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double fraction;
    } good[] = {{"2%", 0.02}, {"0.7%", 0.007}, {"0%", 0},
                {"0", 0},     {"0.0", 0},      {"150%", 1.5}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double fraction = -1;
        assert_int_equal(parse_change(good[i].text, "--within", &fraction, NULL),
                         DUET_OK);
        assert_true(fraction == good[i].fraction);
    }
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"2", "--within: '2' has no unit: type 2%"},
        {"0.02", "--within: '0.02' has no unit: type 2% or 0.02%, whichever is meant"},
        {"1e-3",
         "--within: '1e-3' has no unit: type 0.1% or 1e-3%, whichever is meant"},
        {"2 %", "--within: '2 %' is not a percentage of 0 or more: type it as in 2%"},
        {"", "--within: '' is not a percentage of 0 or more: type it as in 2%"},
        {"-1%", "--within: '-1%' is not a percentage of 0 or more: type it as in 2%"},
        {"inf", "--within: 'inf' is not a percentage of 0 or more: type it as in 2%"},
        {"1e400%",
         "--within: '1e400%' is not a percentage of 0 or more: type it as in 2%"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double fraction = -7;
        struct duet_error error;
        assert_int_equal(parse_change(bad[i].text, "--within", &fraction, &error),
                         DUET_E_USAGE);
        assert_true(fraction == -7);
        assert_string_equal(error.message, bad[i].message);
    }
}

static void whole_keeps_to_its_range(void **state)
{
    (void)state;
    uint64_t value = 77;
    assert_int_equal(parse_whole("0", "-r", 0, 9, &value, NULL), DUET_OK);
    assert_true(value == 0);
    assert_int_equal(parse_whole("007", "-r", 7, 7, &value, NULL), DUET_OK);
    assert_true(value == 7);
    assert_int_equal(
        parse_whole("18446744073709551615", "-r", 0, UINT64_MAX, &value, NULL),
        DUET_OK);
    assert_true(value == UINT64_MAX);

    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "x",
                                      "1x",
                                      "1.0",
                                      "1e3",
                                      "0x1",
                                      "1",
                                      "11",
                                      "18446744073709551616",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct duet_error error;
        value = 77;
        assert_int_equal(parse_whole(bad[i], "-r", 2, 10, &value, &error),
                         DUET_E_USAGE);
        assert_true(value == 77);
        assert_non_null(strstr(error.message, "from 2 to 10"));
    }
    struct duet_error error;
    assert_int_equal(parse_whole("0", "-r", 1, UINT64_MAX, &value, &error),
                     DUET_E_USAGE);
    assert_string_equal(error.message, "-r: '0' is not a whole number of 1 or more");
    assert_int_equal(parse_whole("0", "-r", 1, INT64_MAX, &value, &error),
                     DUET_E_USAGE);
    assert_string_equal(error.message, "-r: '0' is not a whole number of 1 or more");
    assert_int_equal(
        parse_whole("9223372036854775808", "-r", 1, INT64_MAX, &value, &error),
        DUET_E_USAGE);
    assert_string_equal(error.message,
                        "-r: '9223372036854775808' is not a whole number from 1 to "
                        "9223372036854775807");
}

static void number_is_all_of_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1.01", 1.01}, {"-3", -3},
                {"+.5", 0.5},   {"1e10", 1e10},
                {"0.1", 0.1},   {"5e-324", 5e-324},
                {"1e-400", 0},  {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = 77;
        assert_int_equal(parse_number(good[i].text, "--scale", &value, NULL), DUET_OK);
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",    " 1",  "1 ",   "x",     "1x",
                                      "inf", "nan", "0x8",  "1e309", "-1e309",
                                      "1,5", "1e",  "1..2", "-",     "e5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 77;
        struct duet_error error;
        assert_int_equal(parse_number(bad[i], "--scale", &value, &error), DUET_E_USAGE);
        assert_true(value == 77);
        assert_true(strncmp(error.message, "--scale: '", 10) == 0);
    }
}

static void sizes_and_positive_numbers_are_numbers_in_a_range(void **state)
{
    (void)state;
    size_t size = 77;
    double value = 77;
    struct duet_error error;
    assert_int_equal(parse_size("12", "--tests", 1, 12, &size, NULL), DUET_OK);
    assert_int_equal(size, 12);
    assert_int_equal(parse_size("13", "--tests", 1, 12, &size, &error), DUET_E_USAGE);
    assert_int_equal(size, 12);
    assert_non_null(strstr(error.message, "--tests: '13'"));
    assert_int_equal(parse_positive("0.25", "--price", &value, NULL), DUET_OK);
    assert_true(value == 0.25);
    static const char *const bad[] = {"0", "-1", "1e-400", "nan", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse_positive(bad[i], "--price", &value, &error),
                         DUET_E_USAGE);
        assert_true(value == 0.25);
        assert_true(strncmp(error.message, "--price", 7) == 0);
    }
}

/* Any double survives printing with 17 digits and reading. */
static void number_rounds_correctly(void **state)
{
    (void)state;
    double value = 1.0 / 3;
    for (int i = 0; i < 600; i++) {
        char text[64];
        double read = 0;
        (void)snprintf(text, sizeof text, "%.17g", value);
        assert_int_equal(parse_number(text, "x", &read, NULL), DUET_OK);
        assert_true(read == value);
        value = i < 300 ? value * 7.3 : value / 11.7;
    }
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "de_DE", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; set == NULL && i < sizeof names / sizeof names[0]; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (set == NULL) {
        print_message("SKIP: no locale with a decimal comma is installed\n");
        skip();
    }
    double value = 0;
    uint64_t ns = 0;
    enum duet_code number = parse_number("1.5", "x", &value, NULL);
    enum duet_code duration = parse_duration_ns("1.5s", "x", &ns, NULL);
    enum duet_code comma = parse_number("1,5", "x", &value, NULL);
    setlocale(LC_ALL, "C");
    assert_int_equal(number, DUET_OK);
    assert_int_equal(duration, DUET_OK);
    assert_int_equal(comma, DUET_E_USAGE);
    assert_true(value == 1.5);
    assert_true(ns == 1500000000);
}

static void cpu_list_is_as_given(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        unsigned cpus[6];
    } good[] = {
        {"0", 1, {0}},
        {"0-2,5", 4, {0, 1, 2, 5}},
        {"7,1", 2, {7, 1}},
        {"3-3", 1, {3}},
        {"4-5,0-1,9,8", 6, {4, 5, 0, 1, 9, 8}},
        {"4294967295", 1, {4294967295U}},
        {"4294967290-4294967295",
         6,
         {4294967290U, 4294967291U, 4294967292U, 4294967293U, 4294967294U,
          4294967295U}},
        {"0-1\n", 2, {0, 1}},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        unsigned cpus[6];
        size_t count = 77;
        assert_int_equal(parse_cpu_list(good[i].text, "--cpus", cpus, 6, &count, NULL),
                         DUET_OK);
        assert_int_equal(count, good[i].count);
        assert_memory_equal(cpus, good[i].cpus, count * sizeof cpus[0]);
    }
}

static void cpu_list_refuses_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } bad[] = {
        {"", "0-2,5"},
        {"\n", "0-2,5"},
        {",", "0-2,5"},
        {"1,", "0-2,5"},
        {",1", "0-2,5"},
        {"1,,2", "0-2,5"},
        {"1-", "0-2,5"},
        {"-1", "0-2,5"},
        {"2-1", "0-2,5"},
        {"1 2", "0-2,5"},
        {"1, 2", "0-2,5"},
        {"a", "0-2,5"},
        {"0-3:2", "0-2,5"},
        {"1\n2", "0-2,5"},
        {"4294967296", "0-2,5"},
        {"0-99999999999999999999", "0-2,5"},
        {"0-4", "more than the 4"},
        {"0-4294967295", "more than the 4"},
        {"0,1,2,3,4", "more than the 4"},
        {"1,1", "names CPU 1 twice"},
        {"0-1,1-2", "names CPU 1 twice"},
        {"2,0-3", "more than the 4"},
        {"2,1-3", "names CPU 2 twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        unsigned cpus[4] = {91, 92, 93, 94};
        size_t count = 77;
        struct duet_error error;
        assert_int_equal(parse_cpu_list(bad[i].text, "--cpus", cpus, 4, &count, &error),
                         DUET_E_USAGE);
        assert_non_null(strstr(error.message, bad[i].says));
        assert_true(strncmp(error.message, "--cpus: '", 9) == 0);
        assert_int_equal(count, 77);
        assert_int_equal(cpus[0], 91);
    }
    size_t count = 77;
    assert_int_equal(parse_cpu_list("0", "--cpus", NULL, 0, &count, NULL),
                     DUET_E_USAGE);
}

/* What a shell makes of each; printf '<%s>' in dash gave the same words. */
static void command_words_are_a_shells(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words[6];
    } good[] = {
        {"true", {"true"}},
        {"  xz\t-9   -c file ", {"xz", "-9", "-c", "file"}},
        {"a 'b c' \"d e\"", {"a", "b c", "d e"}},
        {"a'b'\"c\"d", {"abcd"}},
        {"'' \"\" a''", {"", "", "a"}},
        {"'a\\b' \"a\\b\" a\\b", {"a\\b", "a\\b", "ab"}},
        {"\"\\\"\\\\\\$\\`\" \\'", {"\"\\$`", "'"}},
        {"'|&;<>()$`' \"|&;<>()$`\" \\|\\&", {"|&;<>()$`", "|&;<>()$`", "|&"}},
        {"a\\ b", {"a b"}},
        {"a \\\n b", {"a", "b"}},
        {"a\\\nb \"c\\\nd\"", {"ab", "cd"}},
        {"\\\na", {"a"}},
        {"\n a b\n\n", {"a", "b"}},
        {"'a\nb' \"c\nd\"", {"a\nb", "c\nd"}},
        {"* ~ # a=b [x] {y} !", {"*", "~", "#", "a=b", "[x]", "{y}"}},
        {"\xC3\xA9 \xE2\x82\xAC", {"\xC3\xA9", "\xE2\x82\xAC"}},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char **words = NULL;
        assert_int_equal(parse_command_words(good[i].text, &words, NULL), DUET_OK);
        for (size_t w = 0; w < 6 && good[i].words[w] != NULL; w++) {
            assert_non_null(words[w]);
            assert_string_equal(words[w], good[i].words[w]);
            if (w < 5 && good[i].words[w + 1] == NULL) {
                assert_null(words[w + 1]);
            }
        }
        free(words);
    }
}

static void command_words_refuse_what_needs_a_shell(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } bad[] = {
        {"a | b", "'|' needs a shell"},
        {"a&", "'&' needs a shell"},
        {"a;b", "';' needs a shell"},
        {"a <b", "'<' needs a shell"},
        {"a >b", "'>' needs a shell"},
        {"(a)", "'(' needs a shell"},
        {"a )", "')' needs a shell"},
        {"a $b", "'$' needs a shell"},
        {"a `b`", "'`' needs a shell"},
        {"a\nb", "a line break needs a shell"},
        {"a 'b", "quote ' is never"},
        {"a \"b", "quote \" is never"},
        {"a \"b\\", "quote \" is never"},
        {"a\\", "ends in a backslash"},
        {"\\", "ends in a backslash"},
        {"", "is empty"},
        {" \t\n", "is empty"},
        {"\\\n", "is empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char **words = NULL;
        struct duet_error error;
        assert_int_equal(parse_command_words(bad[i].text, &words, &error),
                         DUET_E_USAGE);
        assert_null(words);
        assert_non_null(strstr(error.message, bad[i].says));
    }
    struct duet_error error;
    char **words = NULL;
    assert_int_equal(parse_command_words("a | b", &words, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "-S"));
}

/* Every way to quote gives back the text it was made from: '...' around each word. */
static void command_words_round_trip(void **state)
{
    (void)state;
    enum { WORDS = 2000 };
    size_t capacity = WORDS * 8L + 1;
    char *line = calloc(capacity, 1);
    assert_non_null(line);
    size_t length = 0;
    for (int i = 0; i < WORDS; i++) {
        length += (size_t)snprintf(line + length, capacity - length, "'%d' ", i);
    }
    char **words = NULL;
    assert_int_equal(parse_command_words(line, &words, NULL), DUET_OK);
    for (int i = 0; i < WORDS; i++) {
        assert_int_equal(strtol(words[i], NULL, 10), i);
    }
    assert_null(words[WORDS]);
    free(words);
    free(line);
}

static void command_words_of_one_character_fit(void **state)
{
    (void)state;
    char line[2 * 500];
    for (size_t count = 1; count <= 500; count++) {
        for (size_t i = 0; i < count; i++) {
            line[2 * i] = 'x';
            line[2 * i + 1] = i + 1 < count ? ' ' : '\0';
        }
        char **words = NULL;
        assert_int_equal(parse_command_words(line, &words, NULL), DUET_OK);
        assert_string_equal(words[count - 1], "x");
        assert_null(words[count]);
        free(words);
    }
}

static void command_words_say_when_memory_is_short(void **state)
{
    (void)state;
    char **words = NULL;
    struct duet_error error;
    alloc_fail_at(1);
    assert_int_equal(parse_command_words("a b", &words, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_null(words);
    assert_int_equal(error.code, DUET_E_NOMEM);
}

static void words_between_commas(void **state)
{
    (void)state;
    static const char *const known[] = {"one", "two", "three", NULL};
    struct duet_error error = {0};
    unsigned set = 77;
    assert_int_equal(parse_word_set("three,one,one", "--set", known, &set, &error),
                     DUET_OK);
    assert_int_equal(set, 5);
    static const char *const wrong[] = {
        "",         "one,", ",one",
        "one, two", "four", "one-that-is-longer-than-any-that-is-known,one"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(parse_word_set(wrong[i], "--set", known, &set, &error),
                         DUET_E_USAGE);
        assert_non_null(strstr(error.message, "expected one of one, two, three"));
        assert_non_null(strstr(error.message, wrong[i]));
    }
    assert_int_equal(set, 5);
    const char *rest = "a,,b";
    char word[PARSE_WORD_BYTES];
    assert_true(parse_next_word(&rest, word) && strcmp(word, "a") == 0);
    assert_true(parse_next_word(&rest, word) && strcmp(word, "") == 0);
    assert_true(parse_next_word(&rest, word) && strcmp(word, "b") == 0);
    assert_false(parse_next_word(&rest, word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration_takes_units),
        cmocka_unit_test(duration_refuses_the_rest),
        cmocka_unit_test(duration_message_names_the_unit),
        cmocka_unit_test(fraction_takes_percent_and_plain),
        cmocka_unit_test(fraction_refuses_the_rest),
        cmocka_unit_test(change_needs_its_unit),
        cmocka_unit_test(words_refuse_an_assignment),
        cmocka_unit_test(whole_keeps_to_its_range),
        cmocka_unit_test(number_is_all_of_the_text),
        cmocka_unit_test(sizes_and_positive_numbers_are_numbers_in_a_range),
        cmocka_unit_test(number_rounds_correctly),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(cpu_list_is_as_given),
        cmocka_unit_test(cpu_list_refuses_the_rest),
        cmocka_unit_test(command_words_are_a_shells),
        cmocka_unit_test(command_words_refuse_what_needs_a_shell),
        cmocka_unit_test(command_words_round_trip),
        cmocka_unit_test(command_words_of_one_character_fit),
        cmocka_unit_test(command_words_say_when_memory_is_short),
        cmocka_unit_test(words_between_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
