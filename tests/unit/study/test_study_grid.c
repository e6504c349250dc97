// link: duet_study_simulate
// labels: novalgrind soakasan
/* Groups drawn from data sets: against a plain, slow reference, and against theory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/overlap.h"
#include "stats/rank/cliff.h"
#include "stats/rank/ranksum.h"
#include "study/grid/study_critical.h"
#include "study/grid/study_grid.h"
#include "support/alloc_fail.h"

#include "dataset_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A plain reference ---- */

static const struct study_detector plain_detector = {
    .confidence = 0.95,
    .delta_least = 0.2,
    .corrected = 3,
    .replicates = 60,
    .slowdowns = {0, 0.01, 0.03, 0.1, 0.5, 10},
    .slowdown_count = 6,
};

static double *collect(const struct study_subject *subject,
                       const struct study_group *group, double scale)
{
    double *values = malloc(group->count * sizeof *values);
    size_t at = 0;
    assert_non_null(values);
    for (size_t t = 0; t < group->firsts[group->nested.units]; t++) {
        for (size_t i = 0; i < group->counts[t]; i++) {
            values[at++] = scale * subject->values[group->offsets[t] + i];
        }
    }
    assert_int_equal(at, group->count);
    return values;
}

static int plain_ranks(const struct study_subject *subject,
                       const struct study_groups *groups, double scale)
{
    struct stats_dominance dominance;
    struct stats_ranksum ranksum;
    struct stats_cliff cliff;
    double *test = collect(subject, &groups->test, scale);
    double *control = collect(subject, &groups->control, 1.0);
    assert_int_equal(stats_dominance_count(test, groups->test.count, control,
                                           groups->control.count, &dominance, NULL),
                     DUET_OK);
    assert_int_equal(stats_ranksum_test(&dominance, STATS_RANKSUM_AUTO, &ranksum, NULL),
                     DUET_OK);
    assert_int_equal(stats_cliff_delta(&dominance, 0.95, &cliff, NULL), DUET_OK);
    free(test);
    free(control);
    bool changed = ranksum.p_value * (double)plain_detector.corrected <= 0.05 &&
                   fabs(cliff.delta) >= plain_detector.delta_least;
    return !changed ? 0 : cliff.delta > 0 ? 1 : -1;
}

/* The bootstrap of scaled values, with the streams of the detector. */
static struct stats_interval plain_interval(const struct study_subject *subject,
                                            const double *values, double scale,
                                            const struct study_group *group,
                                            uint64_t seed, uint64_t stream,
                                            size_t *scratch)
{
    struct stats_interval interval;
    double means[60];
    size_t count = subject->logs == NULL ? subject->count : 2 * subject->count;
    double *scaled = malloc(count * sizeof *scaled);
    assert_non_null(scaled);
    for (size_t i = 0; i < count; i++) {
        scaled[i] = scale * values[i];
    }
    const struct stats_resampling how = {
        .seed = seed, .stream = stream << 32U, .replicates = 60};
    stats_nested_means(&group->nested, scaled, &how, scratch, means);
    assert_int_equal(stats_interval_percentile(means, 60, 0.95, &interval, NULL),
                     DUET_OK);
    free(scaled);
    return interval;
}

static int plain_overlap(const struct study_subject *subject,
                         const struct study_groups *groups, double scale, uint64_t seed)
{
    struct stats_interval test = plain_interval(
        subject, subject->values, scale, &groups->test, seed, 1, groups->scratch);
    struct stats_interval control = plain_interval(
        subject, subject->values, 1.0, &groups->control, seed, 2, groups->scratch);
    if (stats_intervals_overlap(&test, &control)) {
        return 0;
    }
    return test.low > control.high ? 1 : -1;
}

static int plain_ratio(const struct study_subject *subject,
                       const struct study_groups *groups, double scale, uint64_t seed)
{
    struct stats_interval ratio = plain_interval(
        subject, subject->logs, 1.0, &groups->test, seed, 3, groups->scratch);
    if (ratio.low + log(scale) > 0) {
        return 1;
    }
    return ratio.high + log(scale) < 0 ? -1 : 0;
}

static int seen(const struct study_outcome *outcome, enum study_test test, size_t s)
{
    if ((outcome->changed[test] >> s & 1U) == 0) {
        return 0;
    }
    return (outcome->faster[test] >> s & 1U) != 0 ? -1 : 1;
}

static void compare_draw(const struct study_subject *subject,
                         const struct study_cell *cell, uint64_t draw,
                         struct study_groups *groups,
                         struct study_detector_space *space)
{
    struct random_stream stream = random_stream_at(9, draw);
    struct study_outcome outcome;
    bool pairs = cell->sampling == STUDY_SAMPLING_PAIRS;
    study_groups_draw(subject, cell, &stream, groups);
    assert_int_equal(groups->test.nested.units, cell->instances);
    assert_int_equal(groups->control.nested.units, cell->instances);
    assert_int_equal(groups->test.firsts[cell->instances],
                     cell->instances * cell->trials);
    assert_int_equal(study_detect(&plain_detector, subject, groups, pairs ? 7 : 3, draw,
                                  space, &outcome, NULL),
                     DUET_OK);
    for (size_t s = 0; s < plain_detector.slowdown_count; s++) {
        double scale = 1.0 + plain_detector.slowdowns[s];
        assert_int_equal(seen(&outcome, STUDY_TEST_RANKSUM, s),
                         plain_ranks(subject, groups, scale));
        assert_int_equal(seen(&outcome, STUDY_TEST_INTERVALS, s),
                         plain_overlap(subject, groups, scale, draw));
        assert_int_equal(seen(&outcome, STUDY_TEST_RATIO, s),
                         pairs ? plain_ratio(subject, groups, scale, draw) : 0);
    }
}

/* A second side that shares most of the noise. */
static void add_olds(struct model_dataset *dataset, double noise)
{
    struct random_stream stream = random_stream_at(77, 0);
    dataset->olds = malloc(dataset->value_count * sizeof *dataset->olds);
    assert_non_null(dataset->olds);
    for (size_t i = 0; i < dataset->value_count; i++) {
        dataset->olds[i] =
            dataset->values[i] * (1.0 + noise * (random_uniform(&stream) - 0.5));
    }
}

/* Whole numbers tie; small and large groups; trials that lost a value. */
static void test_as_the_plain_reference(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct model_dataset dataset = sample_of(0.05, 0.3, 0.3, 12, 10, 12, 4);
        struct study_subject subject;
        struct study_groups groups;
        struct study_detector_space *space = NULL;
        for (size_t i = 0; i < dataset.value_count && kind % 2 == 1; i++) {
            dataset.values[i] = round(dataset.values[i]);
        }
        for (size_t t = 0; t < dataset.trial_count && kind == 2; t += 3) {
            dataset.trials[t].count -= t % 4;
        }
        add_olds(&dataset, 0.02);
        assert_int_equal(study_subject_init(&dataset, 0, &subject, NULL), DUET_OK);
        assert_int_equal(study_groups_init(&subject, 6, 5, &groups, NULL), DUET_OK);
        assert_int_equal(
            study_detector_space_new(&plain_detector, 6 * 5 * 12, &space, NULL),
            DUET_OK);
        uint64_t draw = 0;
        for (int s = 0; s < STUDY_SAMPLINGS; s++) {
            for (size_t size = 0; size < 4; size++) {
                const struct study_cell cell = {(enum study_sampling)s,
                                                (const size_t[]){1, 2, 4, 6}[size],
                                                (const size_t[]){1, 3, 2, 5}[size]};
                assert_true(study_cell_fits(&subject, &cell));
                for (int repeat = 0; repeat < 5; repeat++) {
                    compare_draw(&subject, &cell, draw++, &groups, space);
                }
            }
        }
        study_detector_space_free(space);
        study_groups_release(&groups);
        study_subject_release(&subject);
        model_dataset_release(&dataset);
    }
}

static void test_groups_are_disjoint(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.05, 0.3, 0.3, 8, 6, 2, 4);
    struct study_subject subject;
    struct study_groups groups;
    assert_int_equal(study_subject_init(&dataset, 0, &subject, NULL), DUET_OK);
    assert_int_equal(study_groups_init(&subject, 4, 3, &groups, NULL), DUET_OK);
    for (uint64_t draw = 0; draw < 200; draw++) {
        struct random_stream stream = random_stream_at(1, draw);
        const struct study_cell cell = {
            draw % 2 == 0 ? STUDY_SAMPLING_INSTANCES : STUDY_SAMPLING_TRIALS, 4, 3};
        bool used[48] = {false};
        unsigned test_instances = 0;
        unsigned control_instances = 0;
        study_groups_draw(&subject, &cell, &stream, &groups);
        for (size_t t = 0; t < 12; t++) {
            size_t of_test = groups.test.offsets[t] / 2;
            size_t of_control = groups.control.offsets[t] / 2;
            assert_false(used[of_test]);
            used[of_test] = true;
            assert_false(used[of_control]);
            used[of_control] = true;
            test_instances |= 1U << of_test / 6;
            control_instances |= 1U << of_control / 6;
        }
        assert_int_equal(test_instances & control_instances,
                         cell.sampling == STUDY_SAMPLING_INSTANCES ? 0
                                                                   : test_instances);
    }
    static const struct study_cell too_large[] = {{STUDY_SAMPLING_INSTANCES, 5, 1},
                                                  {STUDY_SAMPLING_INSTANCES, 1, 7},
                                                  {STUDY_SAMPLING_TRIALS, 1, 4},
                                                  {STUDY_SAMPLING_TRIALS, 9, 1},
                                                  {STUDY_SAMPLING_PAIRS, 1, 1}};
    for (size_t i = 0; i < 5; i++) {
        assert_false(study_cell_fits(&subject, &too_large[i]));
    }
    study_groups_release(&groups);
    study_subject_release(&subject);
    model_dataset_release(&dataset);
}

/* ---- Theory ---- */

static struct study_grid_plan plan_of(size_t draws)
{
    struct study_grid_plan plan = {
        .detector = {.confidence = 0.95,
                     .corrected = 1,
                     .replicates = 200,
                     .slowdown_count = 1},
        .tests = (1U << STUDY_TESTS) - 1U,
        .draws = draws,
        .false_most = 0.05,
        .seed = 3,
    };
    return plan;
}

static void add_cell(struct study_grid_plan *plan, enum study_sampling sampling,
                     size_t instances, size_t trials)
{
    plan->cells[plan->cell_count++] = (struct study_cell){sampling, instances, trials};
}

/* Independent normal values: the rank-sum test errs as often as it says; intervals that
 * must not overlap err in P(|Z| > 1.96 * sqrt(2)) = 0.56 % of the cases, somewhat more
 * with percentile intervals of 30 values. */
static void test_false_positives_of_theory(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.01, 0, 0, 250, 2, 1, 11);
    struct study_grid_plan plan = plan_of(4000);
    struct study_grid_cell cells[2] = {{.done = false}};
    add_cell(&plan, STUDY_SAMPLING_INSTANCES, 30, 1);
    add_cell(&plan, STUDY_SAMPLING_TRIALS, 30, 1);
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, cells, NULL), DUET_OK);
    for (size_t i = 0; i < 2; i++) {
        double ranks = study_grid_false_share(&plan, &cells[i], STUDY_TEST_RANKSUM);
        double overlap = study_grid_false_share(&plan, &cells[i], STUDY_TEST_INTERVALS);
        assert_true(fabs(ranks - 0.05) < 0.015);
        assert_true(overlap > 0.002 && overlap < 0.018);
        assert_int_equal(cells[i].tests, 3);
        /* As often in one direction as in the other. */
        double faster = (double)cells[i].faster[STUDY_TEST_RANKSUM][0];
        assert_true(fabs(faster / (4000.0 * ranks) - 0.5) < 0.15);
    }
    model_dataset_release(&dataset);
}

/* Four times the values find half the slowdown. */
static void test_detectable_falls_as_theory(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.03, 0, 0, 130, 1, 20, 12);
    struct study_grid_plan plan = plan_of(200);
    struct study_grid_cell cells[3] = {{.done = false}};
    double found[3];
    plan.false_most = 0.2;
    for (size_t s = 1; s < STUDY_SLOWDOWNS_MAX; s++) {
        plan.detector.slowdowns[s] = 0.001 * pow(1.15, (double)s);
    }
    plan.detector.slowdown_count = STUDY_SLOWDOWNS_MAX;
    for (size_t i = 0; i < 3; i++) {
        add_cell(&plan, STUDY_SAMPLING_INSTANCES, (size_t)4 << 2U * i, 1);
    }
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, cells, NULL), DUET_OK);
    for (int test = 0; test < STUDY_TEST_RATIO; test++) {
        for (size_t i = 0; i < 3; i++) {
            size_t least =
                study_grid_detectable(&plan, &cells[i], (enum study_test)test, 0.95);
            assert_true(least < STUDY_SLOWDOWNS_MAX);
            found[i] = plan.detector.slowdowns[least];
        }
        for (size_t i = 0; i < 2; i++) {
            double factor = found[i] / found[i + 1];
            assert_true(factor > 1.5 && factor < 2.6);
        }
    }
    /* The rank-sum test: (1.96 + 1.64) * sd * sqrt(2 / n) / 0.977, n = 80. */
    size_t least = study_grid_detectable(&plan, &cells[0], STUDY_TEST_RANKSUM, 0.95);
    double expected = 3.6 * 0.03 * sqrt(2.0 / 80.0) / 0.977;
    assert_true(fabs(plan.detector.slowdowns[least] / expected - 1.0) < 0.3);
    assert_int_equal(study_grid_detectable(&plan, &cells[0], STUDY_TEST_RATIO, 0.95),
                     STUDY_SLOWDOWNS_MAX);
    model_dataset_release(&dataset);
}

/* Pairs that share their noise show what neither of the others sees. */
static void test_pairs_see_more(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.2, 0.4, 0.3, 20, 4, 5, 13);
    struct study_grid_plan plan = plan_of(100);
    struct study_grid_cell cells[1] = {{.done = false}};
    add_olds(&dataset, 0.01);
    plan.detector.slowdowns[1] = 0.02;
    plan.detector.slowdown_count = 2;
    add_cell(&plan, STUDY_SAMPLING_PAIRS, 10, 2);
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, cells, NULL), DUET_OK);
    assert_int_equal(cells[0].tests, 7);
    assert_true(cells[0].changed[STUDY_TEST_RATIO][0] <= 10);
    assert_int_equal(cells[0].changed[STUDY_TEST_RATIO][1], 100);
    assert_true(cells[0].changed[STUDY_TEST_RANKSUM][1] < 10);
    assert_true(cells[0].changed[STUDY_TEST_INTERVALS][1] < 10);
    model_dataset_release(&dataset);
}

/* ---- Running ---- */

static void test_fewest(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.1, 0.6, 0.2, 30, 6, 10, 14);
    struct study_grid_plan plan = plan_of(100);
    struct study_grid_cell all[12] = {{.done = false}};
    struct study_grid_cell few[12] = {{.done = false}};
    static const size_t instances[] = {10, 1, 3, 5};
    plan.detector.delta_least = 0.33;
    plan.detector.corrected = 100;
    for (size_t i = 0; i < 4; i++) {
        for (size_t t = 1; t <= 3; t++) {
            add_cell(&plan, STUDY_SAMPLING_TRIALS, instances[i], t);
        }
    }
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, all, NULL), DUET_OK);
    plan.fewest = true;
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, few, NULL), DUET_OK);
    for (int test = 0; test < STUDY_TEST_RATIO; test++) {
        size_t best =
            study_grid_fewest(&plan, few, STUDY_SAMPLING_TRIALS, (enum study_test)test);
        assert_true(best < plan.cell_count);
        assert_int_equal(best, study_grid_fewest(&plan, all, STUDY_SAMPLING_TRIALS,
                                                 (enum study_test)test));
    }
    size_t skipped = 0;
    size_t alike = 0;
    for (size_t i = 0; i < plan.cell_count; i++) {
        assert_true(few[i].done);
        skipped += few[i].tests == 0;
        /* What both looked at is the same. */
        if (few[i].tests == all[i].tests) {
            assert_memory_equal(&few[i], &all[i], sizeof few[i]);
            alike++;
        }
    }
    assert_true(skipped > 0 && alike > 0);
    /* Of equal products, more trials first. */
    struct study_grid_cell even[2] = {{.done = true, .tests = 1},
                                      {.done = true, .tests = 1}};
    plan.cell_count = 0;
    add_cell(&plan, STUDY_SAMPLING_TRIALS, 5, 1);
    add_cell(&plan, STUDY_SAMPLING_TRIALS, 1, 5);
    assert_int_equal(
        study_grid_fewest(&plan, even, STUDY_SAMPLING_TRIALS, STUDY_TEST_RANKSUM), 1);
    model_dataset_release(&dataset);
}

static bool three_times(void *context, uint64_t done, uint64_t planned)
{
    int *left = context;
    assert_true(done < planned);
    return --*left >= 0;
}

/* Any number of threads, and a study that was interrupted and taken up again. */
static void test_threads_and_resuming(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.1, 0.4, 0.2, 10, 4, 6, 15);
    struct study_grid_plan plan = plan_of(50);
    struct study_grid_cell one[6] = {{.done = false}};
    struct study_grid_cell two[6] = {{.done = false}};
    for (size_t i = 1; i <= 6; i++) {
        add_cell(&plan, (enum study_sampling)(i % 2), 1 + i / 2, 1 + i % 2);
    }
    plan.threads = 1;
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, one, NULL), DUET_OK);
    plan.threads = 3;
    int left = 3;
    struct study_book book;
    assert_int_equal(study_grid_units(&dataset, &plan), 6);
    assert_int_equal(study_book_init(6, &book, NULL), DUET_OK);
    plan.book = &book;
    assert_int_equal(study_grid_run(&dataset, &plan, three_times, &left, two, NULL),
                     DUET_E_INTERRUPTED);
    assert_true(two[2].done && !two[3].done);
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, two, NULL), DUET_OK);
    assert_memory_equal(one, two, sizeof one);
    assert_int_equal(book.known, 6);
    study_book_release(&book);
    model_dataset_release(&dataset);
}

/* The smallest p value there is decides. */
static void test_sizes_that_can_look_changed(void **state)
{
    (void)state;
    const double levels[] = {0.5, 0.05, 0.05 / 100, 1e-9};
    for (size_t first = 1; first <= 12; first++) {
        for (size_t second = 1; second <= 12; second++) {
            const struct stats_dominance extreme = {.greater = (uint64_t)first * second,
                                                    .first_count = first,
                                                    .second_count = second};
            struct stats_ranksum ranksum;
            assert_int_equal(
                stats_ranksum_test(&extreme, STATS_RANKSUM_EXACT, &ranksum, NULL),
                DUET_OK);
            for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
                assert_int_equal(study_critical_is_reachable(first, second, levels[i]),
                                 ranksum.p_value <= levels[i]);
            }
        }
    }
    assert_true(study_critical_is_reachable(1000, 1000, 1e-300));
    struct model_dataset dataset = sample_of(0.05, 0.3, 0.3, 12, 4, 2, 4);
    static struct study_grid_plan plan;
    plan.detector = (struct study_detector){.confidence = 0.95, .corrected = 100};
    add_cell(&plan, STUDY_SAMPLING_INSTANCES, 3, 1);
    add_cell(&plan, STUDY_SAMPLING_INSTANCES, 4, 1);
    assert_false(study_grid_can_change(&dataset, &plan, 0, 0, STUDY_TEST_RANKSUM));
    assert_true(study_grid_can_change(&dataset, &plan, 0, 1, STUDY_TEST_RANKSUM));
    assert_true(study_grid_can_change(&dataset, &plan, 0, 0, STUDY_TEST_INTERVALS));
    model_dataset_release(&dataset);
}

static void test_errors(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.1, 0.4, 0.2, 4, 2, 3, 16);
    struct study_grid_plan plan = plan_of(2);
    struct study_grid_cell cell = {.done = false};
    add_cell(&plan, STUDY_SAMPLING_TRIALS, 2, 1);
    add_olds(&dataset, 0.1);
    plan.threads = 1;
    alloc_fail_at(0);
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, &cell, NULL), DUET_OK);
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations > 8);
    for (unsigned long n = 1; n <= allocations; n++) {
        cell.done = false;
        alloc_fail_at(n);
        assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, &cell, NULL),
                         DUET_E_NOMEM);
        assert_false(cell.done);
    }
    alloc_fail_at(0);
    plan.cells[0].instances = STUDY_SIDE_MAX + 1;
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, &cell, NULL),
                     DUET_E_DOMAIN);
    plan.cells[0].instances = 1;
    plan.detector.slowdowns[0] = 0.1;
    assert_int_equal(study_grid_run(&dataset, &plan, NULL, NULL, &cell, NULL),
                     DUET_E_DOMAIN);
    model_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_plain_reference),
        cmocka_unit_test(test_groups_are_disjoint),
        cmocka_unit_test(test_false_positives_of_theory),
        cmocka_unit_test(test_detectable_falls_as_theory),
        cmocka_unit_test(test_pairs_see_more),
        cmocka_unit_test(test_fewest),
        cmocka_unit_test(test_threads_and_resuming),
        cmocka_unit_test(test_sizes_that_can_look_changed),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("study_grid", tests, NULL, NULL);
}
