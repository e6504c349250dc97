/* Plans of all configurations, some of which an earlier call made. */
// link: duet_study_simulate
#include "study/lab/planning_all.h"

#include "unit/study/dataset_sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct duet_error error;

static const struct study_planning planning = {.effect = 0.5,
                                               .sampling = STUDY_SAMPLING_TRIALS,
                                               .test = STUDY_TEST_INTERVALS,
                                               .confidence = 0.95,
                                               .delta_least = 0.33,
                                               .found_least = 0.9,
                                               .false_most = 0.1,
                                               .instance_cost = 10,
                                               .trial_cost = 1,
                                               .draws = 10,
                                               .replicates = 20,
                                               .seed = 1,
                                               .threads = 1};

/* Ends after so many calls. */
static bool go_on(void *context, const struct study_progress *progress)
{
    size_t *left = context;
    assert_true(progress->done < progress->planned);
    return (*left)-- > 0;
}

static enum duet_code plan(const struct model_dataset *dataset, const char *path,
                           size_t most, struct planning_row *rows)
{
    const struct planning_answer answer = {
        .dataset = dataset, .planning = &planning, .rows = rows};
    const struct study_share share = {.resume = path};
    struct study_session session = {
        .go_on = go_on, .context = &most, .share = path == NULL ? NULL : &share};
    return planning_all(&answer, &session, &error);
}

static void what_is_done_stays(void **state)
{
    (void)state;
    char path[] = "/tmp/duet-plans-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    struct model_dataset dataset = sample_of(0.02, 0.3, 0.3, 8, 4, 10, 1);
    struct planning_row whole = {.done = false};
    struct planning_row none = {.done = false};
    struct planning_row again = {.done = false};
    assert_int_equal(plan(&dataset, path, 0, &none), DUET_E_INTERRUPTED);
    assert_false(none.done);
    assert_int_equal(plan(&dataset, path, 1000, &whole), DUET_OK);
    assert_true(whole.done && !whole.too_few && whole.planned.found);
    /* It can be ended while a configuration is planned. */
    assert_int_equal(plan(&dataset, NULL, 2, &again), DUET_E_INTERRUPTED);
    assert_false(again.done);
    /* Nothing is left to do, so that nobody is asked. */
    assert_int_equal(plan(&dataset, path, 0, &again), DUET_OK);
    assert_true(again.done && again.planned.cost == whole.planned.cost);
    model_dataset_release(&dataset);
    unlink(path);
}

static void too_few_instances_are_an_error(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.02, 0.3, 0.3, 3, 4, 10, 1);
    struct planning_row row = {.done = false};
    assert_int_equal(plan(&dataset, NULL, 1, &row), DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "none has more than 3"));
    assert_true(row.done && row.too_few);
    model_dataset_release(&dataset);
}

static void a_file_that_cannot_be_written_ends_it(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.02, 0.3, 0.3, 8, 4, 10, 1);
    struct planning_row row = {.done = false};
    assert_int_equal(plan(&dataset, "/nowhere/at/all", 1, &row), DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    model_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_stays),
        cmocka_unit_test(too_few_instances_are_an_error),
        cmocka_unit_test(a_file_that_cannot_be_written_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
