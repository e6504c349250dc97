// labels: soakvalgrind
/* Suites' files: what is read, and where errors are said to be. */
#include "formats/suite_file.h"

#include "base/text.h"
#include "formats/suite_settings.h"
#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static enum duet_code parse(const char *text, struct model_suite *suite,
                            struct duet_error *error)
{
    return formats_suite_parse(text, strlen(text), "dir/s.yaml", suite, error);
}

static const char whole[] = "name: all\n"
                            "description: of it\n"
                            "setup: make\n"
                            "cleanup: make clean\n"
                            "variables:\n"
                            "  opt: -3\n"
                            "  old: {build: a}\n"
                            "  new: {build: b, extra: c}\n"
                            "defaults:\n"
                            "  runs: 20\n"
                            "  confidence: 0.95\n"
                            "  parameters: {x: [1, 2]}\n"
                            "benchmarks:\n"
                            "  - name: one\n"
                            "    command: '{build}/one {x}'\n"
                            "    usage: false\n"
                            "    shell: true\n"
                            "    until: decided\n"
                            "    parameters:\n"
                            "      level: {from: 1, to: 9, step: 2}\n"
                            "      word: [a b, c]\n"
                            "    variables: {old: {opt: -4}}\n"
                            "    check:\n"
                            "      exit: 3\n"
                            "      matches: ^[0-9]+$\n"
                            "      command: cat\n"
                            "      file: out\n"
                            "  - name: two\n"
                            "    description: the second\n"
                            "    new: n\n"
                            "    old: o\n";

static void check_whole(const struct model_suite *suite)
{
    assert_string_equal(suite->name, "all");
    assert_string_equal(suite->description, "of it");
    assert_string_equal(suite->setup, "make");
    assert_string_equal(suite->cleanup, "make clean");
    assert_int_equal(suite->variables.count, 3);
    assert_string_equal(suite->variables.items[0].values[MODEL_OLD], "-3");
    assert_string_equal(suite->variables.items[0].values[MODEL_NEW], "-3");
    assert_string_equal(suite->variables.items[1].values[MODEL_OLD], "a");
    assert_string_equal(suite->variables.items[1].values[MODEL_NEW], "b");
    assert_null(suite->variables.items[2].values[MODEL_OLD]);
    assert_int_equal(suite->defaults.count, 2);
    assert_string_equal(suite->defaults.items[0].name, "runs");
    assert_string_equal(suite->defaults.items[0].value, "20");
    assert_int_equal(suite->defaults.items[0].position.line, 10);
    assert_int_equal(suite->defaults.items[0].position.column, 9);
    assert_int_equal(suite->parameters.count, 1);
    assert_string_equal(suite->parameters.items[0].values[1], "2");
    assert_int_equal(suite->count, 2);
}

static void test_everything(void **state)
{
    (void)state;
    struct model_suite suite = {0};
    struct duet_error error = {0};
    if (parse(whole, &suite, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    check_whole(&suite);
    const struct model_suite_benchmark *one = &suite.benchmarks[0];
    assert_true(one->one_command);
    assert_string_equal(one->commands[MODEL_OLD], "{build}/one {x}");
    assert_string_equal(one->commands[MODEL_NEW], "{build}/one {x}");
    assert_int_equal(one->settings.count, 3);
    assert_string_equal(one->settings.items[0].value, "false");
    assert_string_equal(one->parameters.items[0].scan[0], "1");
    assert_string_equal(one->parameters.items[0].scan[2], "2");
    assert_string_equal(one->parameters.items[1].values[0], "a b");
    assert_null(one->variables.items[0].values[MODEL_NEW]);
    assert_true(one->check.given);
    assert_int_equal(one->check.exit_status, 3);
    assert_string_equal(one->check.file, "out");
    const struct model_suite_benchmark *two = &suite.benchmarks[1];
    assert_false(two->one_command);
    assert_false(two->check.given);
    assert_string_equal(two->commands[MODEL_OLD], "o");
    assert_string_equal(two->commands[MODEL_NEW], "n");
    assert_int_equal(two->position.line, 28);
    assert_int_equal(two->position.column, 5);
    model_suite_release(&suite);
}

static void test_name_of_the_file(void **state)
{
    (void)state;
    struct model_suite suite = {0};
    struct duet_error error = {0};
    assert_int_equal(parse("benchmarks: [{name: a, command: b}]", &suite, &error),
                     DUET_OK);
    assert_string_equal(suite.name, "s");
    assert_string_equal(suite.path, "dir/s.yaml");
    model_suite_release(&suite);
    model_suite_release(&suite); /* an empty one */
    model_suite_release(NULL);
}

/* An anchor is its value wherever it is named. */
static void test_aliases(void **state)
{
    (void)state;
    struct model_suite suite = {0};
    struct duet_error error = {0};
    assert_int_equal(parse("benchmarks:\n"
                           "- {name: a, command: &c run, runs: &n 4}\n"
                           "- {name: b, command: *c, runs: *n}\n",
                           &suite, &error),
                     DUET_OK);
    assert_string_equal(suite.benchmarks[1].commands[MODEL_NEW], "run");
    assert_string_equal(suite.benchmarks[1].settings.items[0].value, "4");
    model_suite_release(&suite);
}

#define ONE "benchmarks: [{name: a, command: b, "

static const struct {
    const char *text;
    const char *message; /* its beginning */
} wrong[] = {
    {"", "dir/s.yaml:1:1: the file is empty"},
    {"# nothing\n", "dir/s.yaml:1:1: the file is empty"},
    {"- a\n", "dir/s.yaml:1:1: a suite is a mapping"},
    {"a: [\n", "dir/s.yaml:2:1: "},
    {"a: b\n  c: d\n", "dir/s.yaml:2:4: mapping values are not allowed"},
    {"a: \"\\q\"\n", "dir/s.yaml:1:"},
    {"\xff\xff", "dir/s.yaml: byte 0: "},
    {"name: a\n", "dir/s.yaml:1:1: it needs 'benchmarks'"},
    {"benchmarks:\n", "dir/s.yaml:1:12: benchmarks: a list is needed here"},
    {"benchmarks: []\n", "dir/s.yaml:1:13: benchmarks: 0 elements"},
    {"benchmarks: {a: b}\n", "dir/s.yaml:1:13: benchmarks: a list is needed"},
    {"benchmarks: [a]\n", "dir/s.yaml:1:14: benchmarks[0]: a mapping is needed here"},
    {"benchmarks: [{command: b}]\n",
     "dir/s.yaml:1:14: benchmarks[0]: it needs a 'name'"},
    {"benchmarks: [{name: b}]\n",
     "dir/s.yaml:1:14: benchmarks[0]: it needs 'command', or both 'old' and 'new'"},
    {"benchmarks: [{name: b, old: x}]\n", "dir/s.yaml:1:14: benchmarks[0]: it needs"},
    {"benchmarks: [{name: b, old: x, command: y}]\n",
     "dir/s.yaml:1:41: benchmarks[0].command: either 'command', or"},
    {"benchmarks: [{name: b, command: y, new: x}]\n",
     "dir/s.yaml:1:41: benchmarks[0].new: either 'command', or"},
    {"benchmarks:\n- {name: a, command: b}\n- name: a\n  command: b\n",
     "dir/s.yaml:3:3: benchmarks[1]: the name 'a' is already used in line 2"},
    {"benchmarks: [{name: a, command: b, runs: 3, runs: 4}]\n",
     "dir/s.yaml:1:45: benchmarks[0].runs: the key is given twice"},
    {ONE "run: 3}]\n",
     "dir/s.yaml:1:36: benchmarks[0].run: unknown key; did you mean 'runs'?"},
    {ONE "zzzzzz: 3}]\n",
     "dir/s.yaml:1:36: benchmarks[0].zzzzzz: unknown key (docs/suite.md)"},
    {ONE "runs: }]\n", "dir/s.yaml:1:42: benchmarks[0].runs: it has no value"},
    {ONE "runs: ~}]\n", "dir/s.yaml:1:42: benchmarks[0].runs: it has no value"},
    {ONE "runs: [1]}]\n",
     "dir/s.yaml:1:42: benchmarks[0].runs: one value is needed here, not a list"},
    {ONE "runs: {a: 1}}]\n",
     "dir/s.yaml:1:42: benchmarks[0].runs: one value is needed here, not a mapping"},
    {ONE "usage: yes}]\n",
     "dir/s.yaml:1:43: benchmarks[0].usage: 'yes' is neither true nor false"},
    {ONE "confidence: 0.9}]\n",
     "dir/s.yaml:1:36: benchmarks[0].confidence: this key is for all benchmarks"},
    {ONE "parameters: {x: 1}}]\n",
     "dir/s.yaml:1:52: benchmarks[0].parameters.x: a list is needed here"},
    {ONE "parameters: {x: []}}]\n", "dir/s.yaml:1:52: benchmarks[0].parameters.x: 0 "},
    {ONE "parameters: {x: {from: 1}}}]\n",
     "dir/s.yaml:1:52: benchmarks[0].parameters.x: it needs 'from' and 'to'"},
    {ONE "parameters: {x: {from: one, to: 2}}}]\n",
     "dir/s.yaml:1:59: benchmarks[0].parameters.x.from: 'one' is not a number"},
    {ONE "parameters: {x: {form: 1, to: 2}}}]\n",
     "dir/s.yaml:1:53: benchmarks[0].parameters.x.form: unknown key; did you "
     "mean 'from'?"},
    {ONE "parameters: {'x y': [1]}}]\n",
     "dir/s.yaml:1:49: benchmarks[0].parameters.x y: a name must not contain blanks"},
    {ONE "variables: {'{x}': 1}}]\n",
     "dir/s.yaml:1:48: benchmarks[0].variables.{x}: a name must not contain blanks"},
    {ONE "variables: {old: x}}]\n",
     "dir/s.yaml:1:53: benchmarks[0].variables.old: a mapping is needed here"},
    {ONE "check: {exit: 256}}]\n",
     "dir/s.yaml:1:50: benchmarks[0].check.exit: '256' is not an exit status"},
    {ONE "check: {sha256: ABC}}]\n",
     "dir/s.yaml:1:52: benchmarks[0].check.sha256: a SHA-256 is 64"},
    {ONE "check: {matches: '('}}]\n",
     "dir/s.yaml:1:53: benchmarks[0].check.matches: not a regular expression"},
    {ONE "check: {file: x}}]\n", "dir/s.yaml:1:43: benchmarks[0].check: 'file' needs"},
    {ONE "? [x]\n : y}]\n", "dir/s.yaml:1:38: benchmarks[0].?: a key must be a word"},
    {ONE "description: \"a\\0b\"}]\n",
     "dir/s.yaml:1:49: benchmarks[0].description: there is a NUL"},
    {"benchmarks: [{name: a, command: b}]\n---\nx: y\n",
     "dir/s.yaml:3:1: a second document"},
    {"benchmarks: [&a [*a]]\n", "dir/s.yaml:1:14: benchmarks[0]: a mapping is needed"},
    {"benchmarks: &a [{name: a, command: b, variables: {old: *a}}]\n",
     "dir/s.yaml:1:13: benchmarks[0].variables.old: a mapping is needed"},
};

static void test_errors_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model_suite suite = {0};
        struct duet_error error = {0};
        enum duet_code code = parse(wrong[i].text, &suite, &error);
        if (code != DUET_E_FORMAT ||
            strncmp(error.message, wrong[i].message, strlen(wrong[i].message)) != 0) {
            fail_msg("%s\nwanted: %s\nfound:  %s", wrong[i].text, wrong[i].message,
                     error.message);
        }
        assert_null(suite.benchmarks);
    }
}

static void assert_refused(char *take_text, const char *message)
{
    struct model_suite suite = {0};
    struct duet_error error = {0};
    enum duet_code code = parse(take_text, &suite, &error);
    if (code != DUET_E_FORMAT || strstr(error.message, message) == NULL) {
        fail_msg("code %d: %s\nwanted: %s", (int)code, error.message, message);
    }
    free(take_text);
}

/* head, `count` times `again` with its number for '#', tail. */
static char *repeated(const char *head, const char *again, size_t count,
                      const char *tail)
{
    struct text text = {0};
    text_append(&text, head);
    for (size_t i = 0; i < count; i++) {
        const char *number = strchr(again, '#');
        text_append_n(&text, again, strcspn(again, "#"));
        if (number != NULL) {
            text_append_format(&text, "%zu%s", i, number + 1);
        }
    }
    text_append(&text, tail);
    assert_false(text_failed(&text));
    return text_take(&text);
}

/* Small files that took seconds, gigabytes or the stack. */
static void test_exhausting_ones_are_refused(void **state)
{
    (void)state;
    assert_refused(repeated("a: ", "[", 100000, ""),
                   "dir/s.yaml:1:23: more than 20 levels of nesting");
    assert_refused(repeated("a: ", "{b: ", 100000, ""), "more than 20 levels");
    assert_refused(repeated("", "- ", 100000, ""), "more than 20 levels");
    assert_refused(repeated("a: [", "&a# b,", 50000, "]"), "more than 1000 anchors");
    assert_refused(repeated("a: [", "b,", 300000, "]"), "more than 200000 values");
    char *matches = repeated(ONE "check: {matches: '", "(", 2000, "'}}]\n");
    assert_refused(matches, "benchmarks[0].check.matches: not a regular expression: "
                            "parentheses are too deeply nested");
    char *head = repeated("variables: &v {", "v#: b,", 1000, "}\nbenchmarks:\n");
    assert_refused(repeated(head, "- {name: n#, command: c, variables: *v}\n", 700, ""),
                   ": its aliases make more than 8 MiB of this file");
    free(head);
}

static void test_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 10000; n++) {
        struct model_suite suite = {0};
        struct duet_error error = {0};
        alloc_fail_at(n);
        enum duet_code code = parse(whole, &suite, &error);
        unsigned long seen = alloc_fail_seen();
        alloc_fail_at(0);
        if (seen < n) {
            assert_int_equal(code, DUET_OK);
            model_suite_release(&suite);
            return;
        }
        assert_int_equal(code, DUET_E_NOMEM);
    }
    fail_msg("too many allocations");
}

static void test_files(void **state)
{
    (void)state;
    struct model_suite suite = {0};
    struct duet_error error = {0};
    assert_int_equal(formats_suite_read("/nonexistent/s.yaml", &suite, &error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(formats_suite_read("/", &suite, &error), DUET_E_FORMAT);
    char path[] = TEST_BINARY_DIR "/suite-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, whole, sizeof whole - 1), sizeof whole - 1);
    assert_int_equal(formats_suite_read(path, &suite, &error), DUET_OK);
    assert_int_equal(suite.count, 2);
    model_suite_release(&suite);
    for (size_t bytes = 0; bytes <= 2 * FORMATS_SUITE_BYTES_MAX;
         bytes += sizeof whole) {
        assert_true(write(fd, whole, sizeof whole - 1) > 0);
    }
    assert_int_equal(formats_suite_read(path, &suite, &error), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "above 1 MiB"));
    (void)close(fd);
    (void)remove(path);
}

static void test_settings(void **state)
{
    (void)state;
    size_t count = 0;
    const struct suite_setting_key *keys = suite_setting_keys(&count);
    assert_true(count > 30);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(suite_setting_find(keys[i].name), &keys[i]);
    }
    assert_null(suite_setting_find("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_name_of_the_file),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_errors_have_places),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_exhausting_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
