/* Data sets from points in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/dataset_builder.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct model_name name_of(const char *text)
{
    return (struct model_name){text, strlen(text)};
}

static enum duet_code add(struct model_dataset_builder *builder, const char *benchmark,
                          const char *instance, const char *trial, double value)
{
    struct model_point point = {
        .names = {name_of(benchmark), name_of("e"), name_of(instance), name_of(trial)},
        .value = value,
        .old = value / 2};
    return model_dataset_builder_add(builder, &point, NULL);
}

/* The same points in order and out of order. */
static enum duet_code build(bool sorted, bool paired, struct model_dataset *ret_dataset)
{
    struct model_dataset_builder *builder = NULL;
    enum duet_code code = model_dataset_builder_new(paired, &builder, NULL);
    static const struct {
        const char *benchmark, *instance, *trial;
        double value;
    } points[] = {{"a", "i1", "t1", 1}, {"a", "i1", "t1", 2}, {"a", "i1", "t2", 3},
                  {"a", "i2", "t1", 4}, {"b", "i1", "t1", 5}, {"b", "i2", "t2", 6}};
    static const size_t mixed[] = {0, 4, 2, 3, 1, 5};
    for (size_t i = 0; i < 6 && code == DUET_OK; i++) {
        size_t p = sorted ? i : mixed[i];
        code = add(builder, points[p].benchmark, points[p].instance, points[p].trial,
                   points[p].value);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, NULL);
    }
    model_dataset_builder_free(builder);
    return code;
}

static void check(const struct model_dataset *dataset, bool paired)
{
    assert_int_equal(dataset->olds != NULL, paired);
    assert_int_equal(dataset->configuration_count, 2);
    assert_int_equal(dataset->instance_count, 4);
    assert_int_equal(dataset->trial_count, 5);
    assert_int_equal(dataset->value_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(fabs(dataset->values[i] - (double)(i + 1)) < 1e-12);
        assert_true(!paired || fabs(dataset->olds[i] - (double)(i + 1) / 2) < 1e-12);
    }
    struct model_extent extent = model_dataset_extent(dataset, 0);
    assert_int_equal(extent.first_value, 0);
    assert_int_equal(extent.values, 4);
    assert_int_equal(extent.trials, 3);
    extent = model_dataset_extent(dataset, 1);
    assert_int_equal(extent.first_trial, 3);
    assert_int_equal(extent.first_value, 4);
    assert_int_equal(extent.values, 2);
    assert_string_equal(model_dataset_benchmark(dataset, 1), "b");
    assert_string_equal(model_dataset_environment(dataset, 1), "e");
    static const char *const instances[] = {"i1", "i2", "i1", "i2"};
    static const char *const trials[] = {"t1", "t2", "t1", "t1", "t2"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(dataset->instance_names[dataset->instances[i].name],
                            instances[i]);
    }
    for (size_t t = 0; t < 5; t++) {
        assert_string_equal(dataset->trial_names[dataset->trials[t].name], trials[t]);
    }
    assert_int_equal(dataset->trials[0].count, 2);
    assert_int_equal(dataset->instances[0].count, 2);
}

static void test_any_order(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        struct model_dataset dataset = {0};
        assert_int_equal(build(which % 2 == 0, which / 2 == 1, &dataset), DUET_OK);
        check(&dataset, which / 2 == 1);
        model_dataset_release(&dataset);
        assert_null(dataset.values);
    }
}

/* A trial at once is the same as its points. */
static void test_whole_trials(void **state)
{
    (void)state;
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    static const double values[] = {1, 2};
    static const double bad[] = {1, -1};
    const struct model_name a[MODEL_LEVELS] = {name_of("a"), name_of("e"),
                                               name_of("i1"), name_of("t1")};
    assert_int_equal(model_dataset_builder_new(false, &builder, NULL), DUET_OK);
    assert_false(model_dataset_builder_is_paired(builder));
    assert_int_equal(model_dataset_builder_add_trial(builder, a, bad, NULL, 2, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(model_dataset_builder_add_trial(builder, a, values, NULL, 2, NULL),
                     DUET_OK);
    assert_int_equal(model_dataset_builder_add_trial(builder, a, values, NULL, 0, NULL),
                     DUET_OK);
    assert_int_equal(add(builder, "b", "i1", "t1", 5), DUET_OK);
    assert_int_equal(add(builder, "a", "i1", "t2", 3), DUET_OK);
    assert_int_equal(add(builder, "a", "i2", "t1", 4), DUET_OK);
    assert_int_equal(add(builder, "b", "i2", "t2", 6), DUET_OK);
    assert_int_equal(model_dataset_builder_finish(builder, &dataset, NULL), DUET_OK);
    check(&dataset, false);
    model_dataset_release(&dataset);
    model_dataset_builder_free(builder);
}

static void test_part_of_the_benchmarks(void **state)
{
    (void)state;
    for (int paired = 0; paired < 2; paired++) {
        struct model_dataset dataset = {0};
        static const bool second[] = {false, true};
        assert_int_equal(build(false, paired == 1, &dataset), DUET_OK);
        model_dataset_keep_benchmarks(&dataset, second);
        assert_int_equal(dataset.configuration_count, 1);
        assert_int_equal(dataset.benchmark_count, 1);
        assert_int_equal(dataset.environment_count, 1);
        assert_int_equal(dataset.instance_count, 2);
        assert_int_equal(dataset.trial_count, 2);
        assert_int_equal(dataset.value_count, 2);
        assert_string_equal(model_dataset_benchmark(&dataset, 0), "b");
        assert_string_equal(model_dataset_environment(&dataset, 0), "e");
        struct model_extent extent = model_dataset_extent(&dataset, 0);
        assert_int_equal(extent.first_value, 0);
        assert_int_equal(extent.first_trial, 0);
        assert_int_equal(extent.values, 2);
        assert_true(fabs(dataset.values[1] - 6) < 1e-12);
        assert_true(paired == 0 || fabs(dataset.olds[1] - 3) < 1e-12);
        assert_string_equal(dataset.instance_names[dataset.instances[1].name], "i2");
        model_dataset_release(&dataset);
    }
}

/* More names than a table begins with. */
static void test_many_names(void **state)
{
    (void)state;
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    assert_int_equal(model_dataset_builder_new(false, &builder, NULL), DUET_OK);
    for (int i = 0; i < 5000; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%d", (i * 7919) % 5000);
        assert_true(length > 0);
        assert_int_equal(add(builder, name, "i", "t", 1 + i), DUET_OK);
    }
    assert_int_equal(model_dataset_builder_finish(builder, &dataset, NULL), DUET_OK);
    assert_int_equal(dataset.configuration_count, 5000);
    for (size_t c = 0; c < 5000; c++) {
        assert_true(fabs(dataset.values[c] - (double)(c + 1)) < 1e-12);
    }
    model_dataset_release(&dataset);
    model_dataset_builder_free(builder);
}

static void test_errors(void **state)
{
    (void)state;
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    assert_int_equal(model_dataset_builder_new(false, &builder, NULL), DUET_OK);
    assert_int_equal(add(builder, "a", "i", "t", 0), DUET_E_DOMAIN);
    assert_int_equal(add(builder, "a", "i", "t", (double)INFINITY), DUET_E_DOMAIN);
    assert_int_equal(model_dataset_builder_finish(builder, &dataset, NULL),
                     DUET_E_TOO_FEW);
    model_dataset_builder_free(builder);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct model_dataset dataset = {0};
    alloc_fail_at(0);
    assert_int_equal(build(false, true, &dataset), DUET_OK);
    unsigned long allocations = alloc_fail_seen();
    model_dataset_release(&dataset);
    unsigned long failed = 0;
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        enum duet_code code = build(false, true, &dataset);
        if (code == DUET_OK) { /* giving memory back may fail */
            check(&dataset, true);
            model_dataset_release(&dataset);
        } else {
            assert_int_equal(code, DUET_E_NOMEM);
            failed++;
        }
    }
    assert_true(failed > 10);
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_whole_trials),
        cmocka_unit_test(test_part_of_the_benchmarks),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("dataset", tests, NULL, NULL);
}
