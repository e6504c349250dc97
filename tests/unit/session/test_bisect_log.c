/* The log of a search: what is read of it, and two processes that write it. */
#include "session/git/bisect_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/remove_tree.h"

static char folder[256];
static struct git_cache cache = {.folder = folder};
static struct duet_error error;

static size_t begin(bool resume, struct bisect_log *log,
                    struct bisect_entry **ret_entries)
{
    size_t count = 0;
    assert_int_equal(
        bisect_log_open(&cache, "question", resume, log, ret_entries, &count, &error),
        DUET_OK);
    return count;
}

static void add(const struct bisect_log *log, size_t at, double log_ratio)
{
    const struct bisect_entry entry = {.at = at, .log_ratio = log_ratio};
    assert_int_equal(bisect_log_add(log, &entry, &error), DUET_OK);
}

/* Each line of both is whole. */
static void two_at_once(void **state)
{
    (void)state;
    struct bisect_log first;
    struct bisect_log second;
    struct bisect_entry *entries = NULL;
    assert_int_equal(begin(false, &first, &entries), 0);
    add(&first, 1, 0.125);
    assert_int_equal(begin(false, &second, &entries), 0);
    add(&first, 2, 0.25);
    add(&second, 3, -0.5);
    add(&first, 4, 1.0);
    bisect_log_close(&first, false);
    bisect_log_close(&second, false);
    assert_int_equal(begin(true, &first, &entries), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(entries[i].at, i + 2);
    }
    free(entries);
    bisect_log_close(&first, true);
    assert_int_equal(begin(true, &first, &entries), 0);
    bisect_log_close(&first, true);
}

/* A killed process may leave half a line. */
static void half_a_line(void **state)
{
    (void)state;
    struct bisect_log log;
    struct bisect_entry *entries = NULL;
    assert_int_equal(begin(false, &log, &entries), 0);
    add(&log, 1, 0.125);
    assert_true(fputs("2 0.2", log.file) >= 0);
    bisect_log_close(&log, false);
    assert_int_equal(begin(true, &log, &entries), 1);
    free(entries);
    const struct bisect_entry skipped = {.at = 3, .skipped = true};
    assert_int_equal(bisect_log_add(&log, &skipped, &error), DUET_OK);
    bisect_log_close(&log, false);
    assert_int_equal(begin(true, &log, &entries), 2);
    assert_true(entries[0].at == 1 && entries[1].at == 3 && entries[1].skipped);
    free(entries);
    bisect_log_close(&log, true);
}

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/log-XXXXXX", TEST_BINARY_DIR);
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(half_a_line),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
