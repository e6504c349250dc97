// link: duet_session
/* What two lists of benchmarks come to, as a suite's file. */
#include "session/suite/benchmark_list.h"
#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1000 };

static char folder[] = "/tmp/duet-benchmark-list-XXXXXX";
static char paths[MODEL_SIDES][64];
static char suite_path[64];

struct told {
    size_t count;
    char last[TEXT_BYTES];
};

static void notice(void *context, bool warning, const char *line)
{
    struct told *told = context;
    assert_false(warning);
    told->count++;
    (void)snprintf(told->last, sizeof told->last, "%s", line);
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(paths[MODEL_OLD], sizeof paths[0], "%s/old", folder);
    (void)snprintf(paths[MODEL_NEW], sizeof paths[0], "%s/new", folder);
    (void)snprintf(suite_path, sizeof suite_path, "%s/suite.yaml", folder);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    (void)unlink(paths[MODEL_OLD]);
    (void)unlink(paths[MODEL_NEW]);
    (void)unlink(suite_path);
    return 0;
}

static int tear_down(void **state)
{
    (void)clean(state);
    return rmdir(folder);
}

/* NULL: the file is missing. */
static void write_lists(const char *old, const char *new)
{
    const char *const texts[] = {old, new};
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (texts[side] != NULL) {
            FILE *file = fopen(paths[side], "w");
            assert_non_null(file);
            assert_true(fputs(texts[side], file) >= 0);
            assert_int_equal(fclose(file), 0);
        }
    }
}

static enum duet_code make(struct told *told, struct duet_error *reterr)
{
    const struct benchmark_lists lists = {.paths = {paths[MODEL_OLD], paths[MODEL_NEW]},
                                          .labels = {"v1", "v2"},
                                          .suite = "go-test",
                                          .hint = "write some"};
    const struct listener listener = {.notice = notice, .context = told};
    return benchmark_list_suite(&lists, suite_path, &listener, reterr);
}

static void assert_suite(const char *expected)
{
    char text[TEXT_BYTES] = "";
    FILE *file = fopen(suite_path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void what_both_have_is_compared(void **state)
{
    (void)state;
    struct told told = {0};
    struct duet_error error = {0};
    write_lists("a\told a\nb\told 'b'\ngone\tx\n",
                "b\tnew b\nadded 1\ty\na\tnew a\tz\nadded 2\ty\n"
                "a\tanother a\n");
    assert_int_equal(make(&told, &error), DUET_OK);
    assert_suite("name: 'go-test'\nbenchmarks:\n"
                 "  - name: 'b'\n    old: 'old ''b'''\n    new: 'new b'\n"
                 "  - name: 'a'\n    old: 'old a'\n    new: 'new a\tz'\n");
    assert_int_equal(told.count, 2);
    assert_string_equal(told.last, "only in v2, not compared: added 1, added 2");
}

static void nothing_to_compare_is_an_error(void **state)
{
    const struct {
        const char *old;
        const char *new;
        enum duet_code code;
        const char *message;
    } cases[] = {
        {"", NULL, DUET_E_NOT_FOUND, "no benchmark that takes part: write some"},
        {"a\tb\n", NULL, DUET_E_NOT_FOUND, "v1 and v2 have no benchmark in common"},
        {"a\tb\n", "c\td\n", DUET_E_NOT_FOUND, "v1 and v2 have no benchmark in common"},
        {"a\tb\n", "a b\n", DUET_E_FORMAT,
         "expected NAME, a tab and a command, got 'a b'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct told told = {0};
        struct duet_error error = {0};
        (void)clean(state);
        write_lists(cases[i].old, cases[i].new);
        assert_int_equal(make(&told, &error), cases[i].code);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_int_not_equal(access(suite_path, F_OK), 0);
    }
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    write_lists("a\told a\nb\told b\n", "a\tnew a\nb\tnew b\n");
    for (unsigned long n = 1; n < 1000; n++) {
        struct told told = {0};
        struct duet_error error = {0};
        alloc_fail_at(n);
        enum duet_code code = make(&told, &error);
        bool reached = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        if (!reached) {
            assert_int_equal(code, DUET_OK);
            assert_true(n > 8);
            return;
        }
        assert_int_equal(code, DUET_E_NOMEM);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_both_have_is_compared, clean),
        cmocka_unit_test_teardown(nothing_to_compare_is_an_error, clean),
        cmocka_unit_test_teardown(no_memory_is_an_error, clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
