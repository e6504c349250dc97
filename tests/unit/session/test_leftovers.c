/* What is said of processes that commands left behind. */
// link: duet_session
#include "session/comparison/leftovers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static char lines[2][256];
static size_t count;

static void take(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    assert_true(count < 2);
    (void)snprintf(lines[count++], sizeof lines[0], "%s", line);
}

static void nothing_left_nothing_said(void **state)
{
    (void)state;
    const struct listener listener = {.notice = take};
    const struct measure_result result = {.runs = 7};
    count = 0;
    leftovers_warn(&listener, "name", &result);
    assert_int_equal(count, 0);
}

static void each_kind_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct measure_result result;
        const char *said[2];
    } cases[] = {
        {NULL,
         {.leftovers = 1},
         {"1 process that the commands left running was killed; let a command wait for what it "
          "starts",
          NULL}},
        {"xz",
         {.leftovers = 2},
         {"xz: 2 processes that the commands left running were killed; let a command wait for what it "
          "starts",
          NULL}},
        {"xz",
         {.leftovers = 1, .spared = 1, .spared_pid = 77},
         {"xz: 1 process that the commands left running was killed; let a command wait for what it "
          "starts",
          "xz: 1 process of another user could not be killed and may still run; "
          "end it as that user: kill -KILL 77"}},
        {NULL,
         {.spared = 3, .spared_pid = 5},
         {"3 processes of another user could not be killed and may still run; "
          "end it as that user: kill -KILL 5",
          NULL}},
        {"xz",
         {.stuck = 1, .stuck_pid = 7},
         {"xz: 1 process was killed but has not ended: waiting for a device, or frozen; "
          "see ps -o stat,wchan:30,args -p 7",
          NULL}},
        {NULL,
         {.leftovers = 2, .stuck = 2, .stuck_pid = 9},
         {"2 processes that the commands left running were killed; let a command wait for what it "
          "starts",
          "2 processes were killed but have not ended: waiting for a device, or frozen; "
          "see ps -o stat,wchan:30,args -p 9"}},
    };
    const struct listener listener = {.notice = take};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        count = 0;
        leftovers_warn(&listener, cases[i].name, &cases[i].result);
        assert_int_equal(count, cases[i].said[1] == NULL ? 1 : 2);
        for (size_t line = 0; line < count; line++) {
            assert_string_equal(lines[line], cases[i].said[line]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_left_nothing_said),
        cmocka_unit_test(each_kind_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
