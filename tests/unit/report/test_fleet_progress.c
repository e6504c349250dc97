/* How far a fleet is: the tasks in each phase, and why Slurm has not started some. */
// link: duet_report
#include "report/fleet_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 40 };

static char suite[] = "s.yaml";
static const struct model_fleet_plan plan = {.id = "0123abcd0123abcd0123abcd0123abcd",
                                             .suite = suite,
                                             .tasks = TASKS,
                                             .runs = 2,
                                             .engine = MODEL_FLEET_SLURM};

/* What is said of these tasks, which `said` is to be in. */
static void expect(const struct model_fleet_state *tasks, const char *said)
{
    const struct report_style style = {.unicode = false};
    struct model_fleet_view view = {
        .plan = &plan, .tasks = tasks, .count = TASKS, .ended = ""};
    struct text text = {.bytes = NULL};
    report_fleet_terminal(&text, &view, &style);
    if (strstr(text_string(&text), said) == NULL) {
        fail_msg("'%s' is not in:\n%s", said, text_string(&text));
    }
    text_release(&text);
}

static void wait_for(struct model_fleet_state *task, const char *reason)
{
    task->phase = MODEL_FLEET_WAITING;
    text_copy(task->message, sizeof task->message, reason);
}

static void reasons_are_told_with_their_tasks(void **state)
{
    (void)state;
    struct model_fleet_state tasks[TASKS] = {{.task = 0}};
    for (size_t i = 0; i < TASKS; i++) {
        tasks[i].phase = MODEL_FLEET_DONE;
    }
    wait_for(&tasks[2], "");
    expect(tasks, "  39 of 40 done, 1 waiting\n");
    wait_for(&tasks[3], "Priority");
    wait_for(&tasks[5], "Priority");
    wait_for(&tasks[6], "Priority");
    expect(tasks, "36 of 40 done, 4 waiting\n  waiting: 4,6-7 (Priority)\n");
    wait_for(&tasks[8], "launch failed requeued held\033");
    wait_for(&tasks[9], "Priority");
    expect(tasks, "  waiting: 4,6-7,10 (Priority)\n"
                  "  waiting: 9 (launch failed requeued held?)\n"
                  "  held tasks go on after: scontrol release "
                  "jobname=duet-0123abcd0123abcd0123abcd0123abcd\n");
}

/* A reason may name a node. */
static void many_reasons_are_cut(void **state)
{
    (void)state;
    struct model_fleet_state tasks[TASKS] = {{.task = 0}};
    for (size_t i = 0; i < TASKS; i++) {
        char reason[32];
        (void)snprintf(reason, sizeof reason, "ReqNodeNotAvail:n%zu", i + 1);
        wait_for(&tasks[i], reason);
    }
    expect(tasks, "  waiting: 10 (ReqNodeNotAvail:n10)\n  and 30 more reasons\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_are_told_with_their_tasks),
        cmocka_unit_test(many_reasons_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
