/* Data sets: kept trial by trial, read back to the last bit. */
#include "store_fixture.h"

#include "support/alloc_fail.h"

/* Two benchmarks, two environments (one unnamed), trials of different lengths. */
static struct model_dataset sample(bool paired)
{
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    assert_ok(model_dataset_builder_new(paired, &builder, &fixture_error));
    static const char *const instances[] = {"vm-0", "vm-1", "m\xc3\xa4"};
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < 3; i++) {
            for (size_t t = 0; t < 2; t++) {
                double values[3] = {1.0 / 3.0 + (double)b, 1e-300, 7e18};
                double olds[3] = {0.1, 0.2 + (double)i, 0.3 + (double)t};
                const struct model_name names[MODEL_LEVELS] = {
                    {b == 0 ? "far" : "n\"ear", b == 0 ? 3 : 5},
                    {i == 2 ? "-" : "cloud", i == 2 ? 1 : 5},
                    {instances[i], strlen(instances[i])},
                    {t == 0 ? "" : "second", t == 0 ? 0 : 6}};
                assert_ok(model_dataset_builder_add_trial(
                    builder, names, values, olds, 1 + t + i % 2, &fixture_error));
            }
        }
    }
    assert_ok(model_dataset_builder_finish(builder, &dataset, &fixture_error));
    model_dataset_builder_free(builder);
    return dataset;
}

static const struct store_dataset origin = {
    .rows_read = 50, .rows_filtered = 20, .values_missing = 3};

static int64_t import_sample(struct store *store, bool paired)
{
    struct model_dataset dataset = sample(paired);
    int64_t experiment = fixture_begin(store);
    assert_ok(
        store_dataset_import(store, experiment, &dataset, &origin, &fixture_error));
    model_dataset_release(&dataset);
    return experiment;
}

static enum duet_code load(struct store *store, int64_t experiment, bool paired,
                           struct model_dataset *ret_dataset, struct duet_error *error)
{
    struct model_dataset_builder *builder = NULL;
    enum duet_code code = model_dataset_builder_new(paired, &builder, error);
    if (code == DUET_OK) {
        code = store_dataset_load(store, experiment, "given", builder, error);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, error);
    }
    model_dataset_builder_free(builder);
    return code;
}

static void assert_alike(const struct model_dataset *a, const struct model_dataset *b)
{
    assert_int_equal(a->value_count, b->value_count);
    assert_int_equal(a->configuration_count, b->configuration_count);
    assert_int_equal(a->instance_count, b->instance_count);
    assert_int_equal(a->trial_count, b->trial_count);
    assert_memory_equal(a->values, b->values, a->value_count * sizeof *a->values);
    assert_true((a->olds == NULL) == (b->olds == NULL));
    if (a->olds != NULL) {
        assert_memory_equal(a->olds, b->olds, a->value_count * sizeof *a->olds);
    }
    for (size_t c = 0; c < a->configuration_count; c++) {
        assert_string_equal(model_dataset_benchmark(a, c),
                            model_dataset_benchmark(b, c));
        assert_int_equal(a->configurations[c].count, b->configurations[c].count);
    }
    for (size_t i = 0; i < a->instance_count; i++) {
        assert_string_equal(a->instance_names[a->instances[i].name],
                            b->instance_names[b->instances[i].name]);
        assert_int_equal(a->instances[i].count, b->instances[i].count);
    }
    for (size_t t = 0; t < a->trial_count; t++) {
        assert_string_equal(a->trial_names[a->trials[t].name],
                            b->trial_names[b->trials[t].name]);
        assert_int_equal(a->trials[t].count, b->trials[t].count);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int paired = 0; paired < 2; paired++) {
        struct store *store = fixture_open();
        struct model_dataset before = sample(paired != 0);
        struct model_dataset after = {0};
        (void)import_sample(store, false); /* another one beside it */
        int64_t experiment = import_sample(store, paired != 0);
        store_close(store);
        store = fixture_open();
        assert_ok(load(store, experiment, paired != 0, &after, &fixture_error));
        assert_alike(&before, &after);
        assert_string_equal(model_dataset_environment(&before, 1), "-");
        assert_string_equal(model_dataset_environment(&after, 1), "given");
        struct duet_error error = {0};
        assert_int_equal(load(store, experiment, paired == 0, &after, &error),
                         DUET_E_USAGE);
        model_dataset_release(&before);
        model_dataset_release(&after);
        store_close(store);
    }
}

static void test_what_is_said_of_it(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t plain = fixture_begin(store);
    int64_t id = import_sample(store, true);
    struct store_experiment *list = NULL;
    size_t count = 0;
    assert_ok(store_experiment_list(store, &list, &count, &fixture_error));
    assert_int_equal(count, 2);
    assert_int_equal(list[0].id, id);
    assert_int_equal(list[1].id, plain);
    assert_int_equal(list[1].dataset.trials, 0);
    const struct store_dataset *dataset = &list[0].dataset;
    assert_int_equal(dataset->trials, 12);
    assert_int_equal(dataset->benchmarks, 2);
    assert_int_equal(dataset->environments, 2);
    assert_int_equal(dataset->iterations, 22);
    assert_true(dataset->paired);
    assert_int_equal(dataset->rows_read, 50);
    assert_int_equal(dataset->rows_filtered, 20);
    assert_int_equal(dataset->values_missing, 3);
    for (size_t i = 0; i < count; i++) {
        store_experiment_release(&list[i]);
    }
    free(list);
    struct store_dataset_part *parts = NULL;
    assert_ok(store_dataset_parts(store, id, &parts, &count, &fixture_error));
    assert_int_equal(count, 2);
    assert_string_equal(parts[0].environment, "-");
    assert_int_equal(parts[0].instances, 1);
    assert_int_equal(parts[0].iterations, 6);
    assert_string_equal(parts[1].environment, "cloud");
    assert_int_equal(parts[1].benchmarks, 2);
    assert_int_equal(parts[1].instances, 2);
    assert_int_equal(parts[1].trials, 8);
    free(parts);
    store_close(store);
}

static void test_nothing_stays_of_a_failure(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_dataset dataset = sample(false);
    struct duet_error error = {0};
    int64_t id = import_sample(store, false);
    assert_int_equal(store_dataset_import(store, id + 1, &dataset, &origin, &error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_dataset_import(store, id, &dataset, &origin, &error),
                     DUET_E_INTERNAL);
    int64_t empty = fixture_begin(store);
    alloc_fail_at(0);
    assert_ok(store_dataset_import(store, empty, &dataset, &origin, &fixture_error));
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations > 0);
    for (unsigned long n = 1; n <= allocations; n++) {
        int64_t other = fixture_begin(store);
        alloc_fail_at(n);
        enum duet_code code =
            store_dataset_import(store, other, &dataset, &origin, &error);
        alloc_fail_at(0);
        assert_int_equal(code, DUET_E_NOMEM);
    }
    model_dataset_release(&dataset);
    store_close(store);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM dataset"), 2);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM trial"), 24);
}

static void test_damage_is_seen(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE trial SET iterations = iterations + 1 WHERE id = 3",
        "UPDATE trial SET new_values = x'00' WHERE id = 3",
        "UPDATE trial SET iterations = 0, new_values = x'', old_values = x''"};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct store *store = fixture_open();
        int64_t id = import_sample(store, true);
        struct model_dataset dataset = {0};
        struct duet_error error = {0};
        store_close(store);
        fixture_sql(fixture_path, damages[i]);
        store = fixture_open();
        assert_int_equal(load(store, id, true, &dataset, &error), DUET_E_FORMAT);
        store_close(store);
        fixture_sql(fixture_path, "PRAGMA foreign_keys = ON; DELETE FROM experiment");
        assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM trial"), 0);
    }
}

/* A store from before data sets. */
static void test_older_store(void **state)
{
    (void)state;
    size_t count = 0;
    (void)store_schema_steps(&count);
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    store_close(store);
    fixture_go_back(fixture_path, "data sets of instances");
    store = fixture_open();
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), count);
    assert_int_equal(import_sample(store, true), 2);
    store_close(store);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM experiment"),
                     2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_said_of_it, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_nothing_stays_of_a_failure, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_damage_is_seen, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_older_store, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
