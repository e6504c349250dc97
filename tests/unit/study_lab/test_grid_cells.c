/* Which groups a study draws, and going on where an earlier call ended. */
// link: duet_study_simulate
#include "study/lab/grid_cells.h"

#include "unit/study/dataset_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

static struct duet_error error;

static void the_paper_decides_what_is_not_asked(void **state)
{
    (void)state;
    struct study_grid_plan plan = {.cell_count = 99};
    struct grid_wish wish = {.samplings = 0};
    grid_cells_make(&wish, false, &plan);
    assert_int_equal(plan.cell_count, 2 * 7 * 4);
    grid_cells_make(&wish, true, &plan);
    assert_int_equal(plan.cell_count, 3 * 7 * 4);
    wish.few_trials = true;
    grid_cells_make(&wish, true, &plan);
    assert_int_equal(plan.cell_count, 3 * 7);
    for (size_t i = 0; i < plan.cell_count; i++) {
        bool other_instances = plan.cells[i].sampling == STUDY_SAMPLING_INSTANCES;
        assert_int_equal(plan.cells[i].trials, other_instances ? 1 : 5);
    }
}

static void what_is_asked_counts(void **state)
{
    (void)state;
    struct study_grid_plan plan = {.cell_count = 0};
    struct grid_wish wish = {.instances = {{4, 6}, 2},
                             .trials = {{3}, 1},
                             .samplings = 1U << STUDY_SAMPLING_TRIALS,
                             .few_trials = true};
    grid_cells_make(&wish, true, &plan);
    assert_int_equal(plan.cell_count, 2);
    assert_int_equal(plan.cells[1].sampling, STUDY_SAMPLING_TRIALS);
    assert_int_equal(plan.cells[1].instances, 6);
    assert_int_equal(plan.cells[1].trials, 3);
}

static void every_size_that_can_be_asked_for_has_a_cell(void **state)
{
    (void)state;
    static struct study_grid_plan plan;
    struct grid_wish wish = {.instances = {.count = STUDY_SIZES_MAX},
                             .trials = {.count = STUDY_SIZES_MAX}};
    for (size_t i = 0; i < STUDY_SIZES_MAX; i++) {
        wish.instances.sizes[i] = wish.trials.sizes[i] = i + 1;
    }
    grid_cells_make(&wish, true, &plan);
    assert_int_equal(plan.cell_count, 3 * STUDY_SIZES_MAX * STUDY_SIZES_MAX);
    assert_int_equal(plan.cells[plan.cell_count - 1].sampling, STUDY_SAMPLING_PAIRS);
    assert_int_equal(plan.cells[plan.cell_count - 1].instances, STUDY_SIZES_MAX);
}

/* Ends after so many calls. */
struct patience {
    size_t calls;
    size_t most;
};

static bool go_on(void *context, const struct study_progress *progress)
{
    struct patience *patience = context;
    assert_true(progress->done <= progress->planned);
    return ++patience->calls <= patience->most;
}

static const struct grid_wish small = {.instances = {{2, 3}, 2},
                                       .trials = {{1}, 1},
                                       .samplings = 1U << STUDY_SAMPLING_INSTANCES};

static struct study_grid_plan small_plan(void)
{
    struct study_grid_plan plan = {.detector = {.delta_least = 0.33,
                                                .replicates = 20,
                                                .slowdown_count = 1,
                                                .confidence = 0.95,
                                                .corrected = 1},
                                   .tests = 1U << STUDY_TEST_RANKSUM,
                                   .draws = 10,
                                   .false_most = 0.05,
                                   .seed = 1,
                                   .threads = 1};
    grid_cells_make(&small, false, &plan);
    return plan;
}

static enum duet_code draw(const struct model_dataset *dataset, const char *path,
                           size_t most, struct study_grid_cell *cells)
{
    static struct study_grid_plan plan;
    plan = small_plan();
    struct patience patience = {.most = most};
    const struct study_share share = {.resume = path};
    struct study_session session = {
        .go_on = go_on, .context = &patience, .share = path == NULL ? NULL : &share};
    return grid_cells_draw(dataset, &plan, &session, cells, &error);
}

static void it_goes_on_where_it_ended(void **state)
{
    (void)state;
    char path[] = "/tmp/duet-cells-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    struct model_dataset dataset = sample_of(0.1, 0.3, 0.3, 8, 4, 10, 1);
    struct study_grid_cell whole[2] = {{.done = false}};
    struct study_grid_cell part[2] = {{.done = false}};
    struct study_grid_cell rest[2] = {{.done = false}};
    assert_int_equal(draw(&dataset, NULL, SIZE_MAX, whole), DUET_OK);
    assert_int_equal(draw(&dataset, path, 1, part), DUET_E_INTERRUPTED);
    assert_int_equal(part[0].done + part[1].done, 1);
    assert_int_equal(draw(&dataset, path, SIZE_MAX, rest), DUET_OK);
    assert_memory_equal(rest, whole, sizeof whole);
    model_dataset_release(&dataset);
    unlink(path);
}

static void a_file_of_another_kind_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/duet-cells-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "nothing", 7), 7);
    close(file);
    struct model_dataset dataset = sample_of(0.1, 0.3, 0.3, 8, 4, 10, 1);
    struct study_grid_cell cells[2] = {{.done = false}};
    assert_int_equal(draw(&dataset, path, SIZE_MAX, cells), DUET_E_FORMAT);
    unlink(path);
    /* And a folder that is not there fails what was drawn. */
    assert_int_equal(draw(&dataset, "/nowhere/at/all", SIZE_MAX, cells), DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    model_dataset_release(&dataset);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.1, 0.3, 0.3, 8, 4, 10, 1);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code != DUET_OK && n < 1000; n++) {
        struct study_grid_cell cells[2] = {{.done = false}};
        alloc_fail_at(n);
        code = draw(&dataset, NULL, SIZE_MAX, cells);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
    }
    assert_int_equal(code, DUET_OK);
    model_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_decides_what_is_not_asked),
        cmocka_unit_test(what_is_asked_counts),
        cmocka_unit_test(every_size_that_can_be_asked_for_has_a_cell),
        cmocka_unit_test(it_goes_on_where_it_ended),
        cmocka_unit_test(a_file_of_another_kind_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
