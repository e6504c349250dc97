/* The words of a study whose parts tasks have computed. */
#include "session/fleet/fleet_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static char here[4096];
static struct fleet fleet;
static struct model_fleet_state tasks[3];
static struct fleet_collection collection;
static struct model_words words;
static struct duet_error error;

static void add(struct model_words *to, const char *word)
{
    assert_int_equal(model_words_add(to, word, NULL), DUET_OK);
}

/* Of three tasks, whose parts are there; the files stand for them. */
static int setup(void **state)
{
    static char path[] = "/of/the/fleet";
    static char folder[] = TEST_BINARY_DIR;
    (void)state;
    fleet = (struct fleet){.path = path, .plan.folder = folder};
    add(&fleet.plan.options, "ratio");
    add(&fleet.plan.options, "--runs");
    add(&fleet.plan.options, "9");
    collection = (struct fleet_collection){.tasks = tasks, .count = 3, .results = 3};
    add(&collection.chosen, "/dev/null");
    add(&collection.chosen, "/");
    for (size_t i = 0; i < 3; i++) {
        tasks[i] = (struct model_fleet_state){.task = i + 1, .phase = MODEL_FLEET_DONE};
    }
    return getcwd(here, sizeof here) == NULL || chdir("/") != 0;
}

static int teardown(void **state)
{
    (void)state;
    model_words_release(&fleet.plan.options);
    model_words_release(&collection.chosen);
    model_words_release(&words);
    return chdir(here);
}

static enum duet_code begin(void)
{
    model_words_release(&words);
    return fleet_parts_begin(&fleet, &collection, &words, &error);
}

static void parts_stand_before_the_options(void **state)
{
    static const char *const expected[] = {"ratio", "--parts", "/dev/null", "--parts",
                                           "/",     "--runs",  "9"};
    char now[4096];
    (void)state;
    assert_int_equal(begin(), DUET_OK);
    assert_int_equal(words.count, 7);
    for (size_t i = 0; i < words.count; i++) {
        assert_string_equal(words.list[i], expected[i]);
    }
    assert_non_null(getcwd(now, sizeof now));
    assert_string_equal(now, TEST_BINARY_DIR);
}

static void tasks_without_a_part_are_named(void **state)
{
    (void)state;
    tasks[0].phase = MODEL_FLEET_LOST;
    tasks[2].phase = MODEL_FLEET_WAITING;
    collection.results = 1;
    assert_int_equal(begin(), DUET_E_UNSUITABLE);
    assert_non_null(strstr(error.message, "2 of 3 tasks have no result yet (1,3)"));
    assert_non_null(strstr(error.message, "duet fleet resume /of/the/fleet"));
    assert_int_equal(words.count, 0);
}

static void what_is_gone_is_named(void **state)
{
    static char nowhere[] = "/nowhere/at/all";
    (void)state;
    fleet.plan.folder = nowhere;
    assert_int_equal(begin(), DUET_E_IO);
    assert_non_null(strstr(error.message, "cannot go to '/nowhere/at/all'"));
    add(&collection.chosen, "/no/such/part");
    assert_int_equal(begin(), DUET_E_IO);
    assert_non_null(strstr(error.message, "cannot find '/no/such/part'"));
}

static void memory_may_be_short(void **state)
{
    (void)state;
    tasks[1].phase = MODEL_FLEET_LOST; /* its list is text, too */
    alloc_fail_at(1);
    assert_int_equal(begin(), DUET_E_NOMEM);
    tasks[1].phase = MODEL_FLEET_DONE;
    alloc_fail_at(0);
    assert_int_equal(begin(), DUET_OK);
    unsigned long allocations = alloc_fail_seen();
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        assert_int_equal(begin(), DUET_E_NOMEM);
    }
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_stand_before_the_options, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(tasks_without_a_part_are_named, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_gone_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_may_be_short, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
