/* Which measurements a study makes in which order, or finds in the store. */
// link: -Wl,--wrap=study_lab_fit,--wrap=study_lab_measure,--wrap=store_experiment_list
// link: -Wl,--wrap=study_load_start,--wrap=study_load_stop,--wrap=store_sides_alike
#include "study/lab/study_conditions.h"

#include "base/alloc.h"
#include "study/lab/study_load.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc_fail.h"

static struct duet_error error;
static char log_bytes[1000]; /* what was asked for, a line each */
static char names[2][8] = {"one", "two"};
static struct study_workload workloads[2];
static struct study_lab_options options;
static struct study_session session;
static struct study_lab lab;
static struct study_measured_list lists[2];
static uint64_t failing; /* the measurement that does; 0: none */
static uint64_t measured;

static struct {
    const char *name;
    const char *new_command;
    enum model_schedule schedule;
    enum store_state state;
    uint64_t runs;
} stored[8]; /* the newest first; ids from 8 on downwards */
static size_t stored_count;

enum duet_code __wrap_study_lab_fit(struct study_lab *of, double weight,
                                    struct duet_error *reterr);
enum duet_code __wrap_study_lab_measure(struct study_lab *of,
                                        const struct study_measurement *measurement,
                                        int64_t *ret_experiment,
                                        struct duet_error *reterr);
enum duet_code __wrap_store_experiment_list(struct store *store,
                                            struct store_experiment **ret_list,
                                            size_t *ret_count,
                                            struct duet_error *reterr);
enum duet_code __wrap_store_sides_alike(struct store *store, int64_t experiment,
                                        bool *ret_alike, struct duet_error *reterr);
enum duet_code __wrap_study_load_start(uint64_t period_ns, struct study_load *ret_load,
                                       struct duet_error *reterr);
enum duet_code __wrap_study_load_stop(struct study_load *load, enum duet_code code,
                                      struct duet_error *reterr);

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    size_t length = strlen(log_bytes);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(log_bytes + length, sizeof log_bytes - length, format, args);
    va_end(args);
}

enum duet_code __wrap_study_lab_fit(struct study_lab *of, double weight,
                                    struct duet_error *reterr)
{
    (void)reterr;
    note("fit %g of %" PRIu64 "\n", weight, of->planned);
    return DUET_OK;
}

enum duet_code __wrap_study_lab_measure(struct study_lab *of,
                                        const struct study_measurement *measurement,
                                        int64_t *ret_experiment,
                                        struct duet_error *reterr)
{
    assert_ptr_equal(of, &lab);
    note("%s%s %s\n", measurement->workload->name, measurement->condition,
         model_schedule_name(measurement->schedule));
    if (++measured == failing) {
        return error_set(reterr, DUET_E_INTERRUPTED, "as planned");
    }
    *ret_experiment = (int64_t)measured;
    return DUET_OK;
}

enum duet_code __wrap_store_experiment_list(struct store *store,
                                            struct store_experiment **ret_list,
                                            size_t *ret_count,
                                            struct duet_error *reterr)
{
    assert_null(store);
    *ret_list = calloc(stored_count + 1, sizeof **ret_list);
    *ret_count = stored_count;
    assert_non_null(*ret_list);
    (void)reterr;
    for (size_t i = 0; i < stored_count; i++) {
        (*ret_list)[i] = (struct store_experiment){
            .id = (int64_t)(8 - i),
            .name = strdup(stored[i].name),
            .commands = {strdup("a"), strdup(stored[i].new_command)},
            .schedule = stored[i].schedule,
            .state = stored[i].state,
            .message = stored[i].state == STORE_FAILED ? strdup("it broke") : NULL,
            .runs = stored[i].runs};
    }
    return DUET_OK;
}

/* Those of equal words that differ in other ways are called `apart`. */
enum duet_code __wrap_store_sides_alike(struct store *store, int64_t experiment,
                                        bool *ret_alike, struct duet_error *reterr)
{
    assert_null(store);
    (void)reterr;
    *ret_alike = strcmp(stored[8 - experiment].name, "apart") != 0;
    return DUET_OK;
}

enum duet_code __wrap_study_load_start(uint64_t period_ns, struct study_load *ret_load,
                                       struct duet_error *reterr)
{
    (void)reterr;
    note("load %" PRIu64 "\n", period_ns);
    *ret_load = (struct study_load){.pid = 1, .profile = "waves", .condition = " busy"};
    return DUET_OK;
}

enum duet_code __wrap_study_load_stop(struct study_load *load, enum duet_code code,
                                      struct duet_error *reterr)
{
    (void)reterr;
    note("%s", load->pid == 1 ? "stop\n" : "");
    return code;
}

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        workloads[i] = (struct study_workload){.name = names[i]};
    }
    options = (struct study_lab_options){.budget_ns = 7200};
    session = (struct study_session){.cancel_fd = -1};
    lab = (struct study_lab){.options = &options,
                             .session = &session,
                             .workloads = workloads,
                             .workload_count = 2};
    *log_bytes = '\0';
    failing = measured = stored_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l].count; i++) {
            free(lists[l].items[i].name);
        }
        free(lists[l].items);
        lists[l] = (struct study_measured_list){0};
    }
    text_release(&lab.failures);
    text_release(&session.table);
    return 0;
}

static void keep(const char *name, const char *new_command,
                 enum model_schedule schedule, enum store_state state, uint64_t runs)
{
    stored[stored_count].name = name;
    stored[stored_count].new_command = new_command;
    stored[stored_count].schedule = schedule;
    stored[stored_count].state = state;
    stored[stored_count++].runs = runs;
}

static void assert_found(const struct study_measured *item, const char *name,
                         int64_t together, int64_t alone)
{
    assert_string_equal(item->name, name);
    assert_int_equal(item->experiments[STUDY_TOGETHER], together);
    assert_int_equal(item->experiments[STUDY_ALONE], alone);
    assert_int_equal(item->experiments[STUDY_SLICED], 0);
}

/* ---- Tests ---- */

static void each_workload_is_measured_in_the_chosen_ways(void **state)
{
    (void)state;
    static const bool ways[STUDY_WAYS] = {true, true, false};
    assert_int_equal(study_measure_or_find(&lab, ways, &lists[0], &error), DUET_OK);
    assert_string_equal(log_bytes, "fit 3 of 4\none duet\none interleaved\n"
                                   "two duet\ntwo interleaved\n");
    assert_int_equal(lists[0].count, 2);
    assert_found(&lists[0].items[0], "one", 1, 2);
    assert_found(&lists[0].items[1], "two", 3, 4);
}

static void ways_share_the_budget_by_what_they_take(void **state)
{
    (void)state;
    static const bool ways[][STUDY_WAYS] = {{true, false, false}, {true, true, true}};
    static const char *const fits[] = {"fit 1 of 1\n", "fit 5 of 3\n"};
    lab.workload_count = 1;
    for (size_t i = 0; i < 2; i++) {
        *log_bytes = '\0';
        lab.planned = 0;
        assert_int_equal(study_measure_or_find(&lab, ways[i], &lists[i], &error),
                         DUET_OK);
        assert_memory_equal(log_bytes, fits[i], strlen(fits[i]));
    }
    assert_int_equal(lists[1].items[0].experiments[STUDY_SLICED], 4);
}

static void an_interruption_keeps_what_was_measured(void **state)
{
    (void)state;
    static const bool ways[STUDY_WAYS] = {true, true, false};
    failing = 3;
    assert_int_equal(study_measure_or_find(&lab, ways, &lists[0], &error),
                     DUET_E_INTERRUPTED);
    assert_int_equal(lists[0].count, 2);
    assert_found(&lists[0].items[0], "one", 1, 2);
    assert_found(&lists[0].items[1], "two", 0, 0);
}

static void without_workloads_the_newest_are_found(void **state)
{
    (void)state;
    static const bool ways[STUDY_WAYS] = {true, true, true};
    lab.workload_count = 0;
    keep("two", "a", MODEL_SCHEDULE_DUET, STORE_FAILED, 0);
    keep("one", "b", MODEL_SCHEDULE_DUET, STORE_DONE, 9); /* compares two commands */
    keep("one (busy: x)", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 9);
    keep("one", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 1); /* too few runs */
    keep("one", "a", MODEL_SCHEDULE_INTERLEAVED, STORE_DONE, 2);
    keep("one", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 2);
    keep("one", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 2);
    keep("apart", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 9);
    assert_int_equal(study_measure_or_find(&lab, ways, &lists[0], &error), DUET_OK);
    assert_string_equal(log_bytes, "");
    assert_int_equal(lists[0].count, 2);
    assert_found(&lists[0].items[0], "one", 3, 4);
    assert_found(&lists[0].items[1], "two", 0, 0);
    assert_string_equal(text_string(&lab.failures), "two: it broke\n");
    /* Both conditions. */
    text_release(&lab.failures);
    assert_int_equal(teardown(NULL), 0);
    assert_int_equal(study_sharing_measure(&lab, false, lists, &error), DUET_OK);
    assert_found(&lists[STUDY_QUIET].items[0], "one", 3, 4);
    assert_int_equal(lists[STUDY_BUSY].count, 1);
    assert_found(&lists[STUDY_BUSY].items[0], "one", 6, 0);
}

static void a_store_without_them_says_so(void **state)
{
    (void)state;
    static const bool ways[STUDY_WAYS] = {true, false, false};
    lab.workload_count = 0;
    assert_int_equal(study_measure_or_find(&lab, ways, &lists[0], &error),
                     DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "of a command with itself; name commands"));
    keep("one", "a", MODEL_SCHEDULE_DUET, STORE_DONE, 2);
    assert_int_equal(study_sharing_measure(&lab, false, lists, &error), DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "with itself under load; name commands"));
}

static void sharing_is_measured_quiet_and_then_under_load(void **state)
{
    (void)state;
    assert_int_equal(study_sharing_measure(&lab, false, lists, &error), DUET_OK);
    /* A workload has 3600 ns; its shortest measurement, a ninth of that, four waves. */
    assert_string_equal(log_bytes, "fit 9 of 8\none duet\none interleaved\n"
                                   "two duet\ntwo interleaved\nload 100\n"
                                   "one busy duet\none busy interleaved\n"
                                   "two busy duet\ntwo busy interleaved\nstop\n");
    assert_string_equal(text_string(&session.table), "Load: waves\n\n");
    assert_found(&lists[STUDY_BUSY].items[1], "two", 7, 8);
    assert_int_equal(teardown(NULL), 0);
    *log_bytes = '\0';
    failing = measured + 7; /* the first under load */
    assert_int_equal(study_sharing_measure(&lab, true, lists, &error),
                     DUET_E_INTERRUPTED);
    assert_memory_equal(log_bytes, "fit 15 of 12\n", 13);
    assert_non_null(strstr(log_bytes, "one busy duet\nstop\n"));
    assert_int_equal(lists[STUDY_BUSY].count, 1);
}

static void only_artificial_workloads_need_a_load(void **state)
{
    (void)state;
    struct study_ratio ratio = {.cells = NULL};
    assert_int_equal(study_ratio_measure(&lab, &ratio, lists, &error), DUET_OK);
    assert_string_equal(log_bytes, "fit 3 of 4\none duet\none interleaved\n"
                                   "two duet\ntwo interleaved\n");
    assert_int_equal(session.table.length, 0);
    study_ratio_release(&ratio);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const bool ways[STUDY_WAYS] = {true, false, false};
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 1;
    for (; code != DUET_OK && n < 100; n++) {
        *log_bytes = '\0';
        assert_int_equal(teardown(NULL), 0);
        alloc_fail_at(n);
        code = study_measure_or_find(&lab, ways, &lists[0], &error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
    }
    assert_true(n > 4 && code == DUET_OK);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_workload_is_measured_in_the_chosen_ways),
        CASE(ways_share_the_budget_by_what_they_take),
        CASE(an_interruption_keeps_what_was_measured),
        CASE(without_workloads_the_newest_are_found),
        CASE(a_store_without_them_says_so),
        CASE(sharing_is_measured_quiet_and_then_under_load),
        CASE(only_artificial_workloads_need_a_load),
        CASE(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
