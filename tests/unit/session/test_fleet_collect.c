// link: duet_session
// link: -Wl,--wrap=fleet_result_parse
/* Parts of a study collected, once and again: what is taken, and for how many looks at
 * names. What is merged: tests/cli/test_fleet.py. */
#include "session/fleet/fleet_collect.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/fleet/fleet_result.h"
#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <cmocka.h>

enum { TASKS = 300 };

static char top[256];
static struct fleet fleet;
static struct duet_error error;
static size_t looks;

bool __real_fleet_result_parse(const char *name, struct fleet_result_name *ret_name);
bool __wrap_fleet_result_parse(const char *name, struct fleet_result_name *ret_name);

bool __wrap_fleet_result_parse(const char *name, struct fleet_result_name *ret_name)
{
    looks++;
    return __real_fleet_result_parse(name, ret_name);
}

static const char *in(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", top, name);
    return path;
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The part of a task, with the name that its content gives it; into `ret_path`. */
static void make_part(unsigned task, const char *attempt, char ret_path[512])
{
    char content[64];
    char hash[65];
    (void)snprintf(content, sizeof content, "part %u, attempt %s", task, attempt);
    write_file(in("new"), content);
    assert_int_equal(fleet_file_hash(in("new"), hash, &error), DUET_OK);
    (void)snprintf(ret_path, 512, "%s/results/0123abcd-%06u-%s-%.16s.part", top, task,
                   attempt, hash);
    assert_int_equal(rename(in("new"), ret_path), 0);
}

static int make_fleet(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "%s/collect-XXXXXX", TEST_BINARY_DIR);
    assert_non_null(mkdtemp(top));
    assert_int_equal(mkdir(in("results"), 0700), 0);
    fleet = (struct fleet){.path = top, .plan = {.study = true, .tasks = TASKS}};
    (void)snprintf(fleet.plan.id, sizeof fleet.plan.id, "0123abcd");
    return 0;
}

static int remove_fleet(void **state)
{
    (void)state;
    return remove_tree(top);
}

static void collect(struct fleet_collection *ret_collection)
{
    looks = 0;
    assert_int_equal(fleet_collect(&fleet, NULL, 0, NULL, -1, ret_collection, &error),
                     DUET_OK);
}

static void names_are_looked_at_a_few_times(void **state)
{
    (void)state;
    struct fleet_collection collection;
    char path[512];
    for (unsigned task = 1; task <= TASKS; task++) {
        make_part(task, "1", path);
    }
    for (int i = 0; i < 2; i++) {
        collect(&collection);
        assert_int_equal(collection.results, TASKS);
        assert_true(looks <= (size_t)8 * TASKS);
        fleet_collection_release(&collection);
    }
}

/* Also when it comes later, until it is no result any more. */
static void what_was_taken_stays(void **state)
{
    (void)state;
    struct fleet_collection collection;
    char first[512];
    char second[512];
    make_part(7, "2", second);
    collect(&collection);
    assert_int_equal(collection.results, 1);
    fleet_collection_release(&collection);
    make_part(7, "1", first);
    const struct timespec early[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, first, early, 0), 0);
    collect(&collection);
    assert_string_equal(collection.tasks[6].result, strrchr(second, '/') + 1);
    assert_int_equal(collection.doubled.count, 1);
    fleet_collection_release(&collection);
    write_file(second, "changed");
    collect(&collection);
    assert_int_equal(collection.damaged.count, 1);
    assert_int_equal(collection.results, 0);
    fleet_collection_release(&collection);
    collect(&collection);
    assert_string_equal(collection.tasks[6].result, strrchr(first, '/') + 1);
    fleet_collection_release(&collection);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    struct fleet_collection collection;
    char path[512];
    make_part(1, "1", path);
    collect(&collection);
    fleet_collection_release(&collection);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM || code == DUET_E_IO; n++) {
        alloc_fail_at(n);
        code = fleet_collect(&fleet, NULL, 0, NULL, -1, &collection, &error);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    assert_int_equal(collection.results, 1);
    fleet_collection_release(&collection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_looked_at_a_few_times, make_fleet,
                                        remove_fleet),
        cmocka_unit_test_setup_teardown(what_was_taken_stays, make_fleet, remove_fleet),
        cmocka_unit_test_setup_teardown(memory_may_be_short, make_fleet, remove_fleet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
