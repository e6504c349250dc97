/* Commits of experiments and baselines: kept, read back, replaced, refused. */
#include "store/store_baseline.h"
#include "store/store_remove.h"
#include "store/store_revision.h"
#include "store_fixture.h"

static int64_t begin_named(struct store *store, const char *cpu_model)
{
    struct model_host host = {.cpu_quota = (double)NAN, .memory_bytes = (double)NAN};
    struct model_plan plan = {
        .name = "bench a..b", .schedule = MODEL_SCHEDULE_DUET, .seed = 1};
    int64_t experiment = 0;
    (void)snprintf(host.cpu_model, sizeof host.cpu_model, "%s", cpu_model);
    for (int side = 0; side < MODEL_SIDES; side++) {
        plan.sides[side] = (struct model_workload){.name = "s", .command = "c"};
    }
    assert_ok(store_experiment_begin(store, &plan, &host, NULL, "0.1.0", &experiment,
                                     &fixture_error));
    assert_ok(store_experiment_end(store, experiment, STORE_DONE, NULL, NULL,
                                   &fixture_error));
    return experiment;
}

static void save_commits(struct store *store, int64_t experiment, bool changed)
{
    char folder[] = "/project";
    char subject[] = "a subject";
    struct model_revision revisions[MODEL_SIDES] = {
        {.repository = folder,
         .subject = subject,
         .commit = "aaaa",
         .tree = "cccc",
         .committed_utc_ms = 1000},
        {.commit = "bbbb", .tree = "dddd", .changed = changed}};
    assert_ok(
        store_revisions_save(store, experiment, "bench", revisions, &fixture_error));
}

static void answer_with(struct store *store, int64_t experiment, double ratio)
{
    struct model_comparison comparison = {
        .ratio = ratio,
        .interval = {.low = 0.9 * ratio, .high = (double)NAN, .confidence = 0.99},
        .verdict = MODEL_VERDICT_SLOWER};
    (void)snprintf(comparison.metric, sizeof comparison.metric, "time");
    assert_ok(
        store_comparison_save(store, experiment, &comparison, "0.1.0", &fixture_error));
}

static void test_commits_are_read_back(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_link *links = NULL;
    size_t count = 0;
    size_t unanswered = 0;
    int64_t first = begin_named(store, "CPU");
    int64_t second = begin_named(store, "CPU");
    (void)begin_named(store, "CPU"); /* of no commits */
    save_commits(store, first, false);
    save_commits(store, second, true);
    answer_with(store, second, 1.1);
    answer_with(store, second, 1.2); /* in place of it */
    assert_ok(store_links_load(store, &links, &count, &unanswered, &fixture_error));
    assert_int_equal(count, 1);
    assert_int_equal(unanswered, 1);
    assert_int_equal(links[0].experiment, second);
    assert_string_equal(links[0].benchmark, "bench");
    assert_string_equal(links[0].cpu_model, "CPU");
    assert_true(links[0].ratio == 1.2 && isnan(links[0].high));
    assert_int_equal(links[0].verdict, MODEL_VERDICT_SLOWER);
    const struct model_revision *old = &links[0].sides[MODEL_OLD];
    const struct model_revision *new = &links[0].sides[MODEL_NEW];
    assert_string_equal(old->repository, "/project");
    assert_string_equal(old->subject, "a subject");
    assert_string_equal(old->commit, "aaaa");
    assert_string_equal(old->tree, "cccc");
    assert_true(old->committed_utc_ms == 1000 && !old->changed);
    assert_string_equal(new->subject, "");
    assert_true(new->committed_utc_ms == 0 && new->changed);
    store_links_release(links, count);
    store_close(store);
}

static void test_no_such_experiment(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_revision revisions[MODEL_SIDES] = {{.commit = "a"}, {.commit = "b"}};
    const int64_t none = 77;
    char *name = NULL;
    assert_int_equal(store_revisions_save(store, none, NULL, revisions, NULL),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_baseline_save(store, "main", &none, 1, NULL),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_benchmark_name(store, none, &name, NULL), DUET_E_NOT_FOUND);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM revision"), 0);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM baseline"), 0);
    store_close(store);
}

static void test_names(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = begin_named(store, "CPU");
    char *name = NULL;
    assert_ok(store_benchmark_name(store, experiment, &name, &fixture_error));
    assert_string_equal(name, "bench a..b"); /* without another, its own */
    free(name);
    save_commits(store, experiment, false);
    assert_ok(store_benchmark_name(store, experiment, &name, &fixture_error));
    assert_string_equal(name, "bench");
    free(name);
    store_close(store);
}

static size_t baselines_called(struct store *store, const char *name,
                               int64_t *ret_newest)
{
    struct store_baseline *list = NULL;
    size_t count = 0;
    assert_ok(store_baselines_load(store, name, &list, &count, &fixture_error));
    *ret_newest = count > 0 ? list[0].experiment : 0;
    store_baselines_release(list, count);
    return count;
}

static void test_baselines(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t newest = 0;
    int64_t ids[3] = {begin_named(store, "CPU"), begin_named(store, "Other"),
                      begin_named(store, "CPU")};
    for (size_t i = 0; i < 3; i++) {
        save_commits(store, ids[i], false);
    }
    assert_ok(store_baseline_save(store, "main", ids, 2, &fixture_error));
    assert_int_equal(baselines_called(store, "main", &newest), 2);
    /* Of the same CPU model it takes the first one's place. */
    assert_ok(store_baseline_save(store, "main", &ids[2], 1, &fixture_error));
    assert_int_equal(baselines_called(store, "main", &newest), 2);
    assert_int_equal(newest, ids[2]);
    assert_int_equal(baselines_called(store, "none", &newest), 0);
    assert_ok(store_baseline_save(store, "v1", &ids[0], 1, &fixture_error));
    assert_int_equal(baselines_called(store, NULL, &newest), 3);
    int64_t since = 0;
    assert_ok(store_benchmark_newest(store, "bench", "v1", &since, &fixture_error));
    assert_int_equal(since, ids[2]);
    assert_ok(store_benchmark_newest(store, "bench", "main", &since, &fixture_error));
    assert_int_equal(since, 0);
    size_t removed = 0;
    assert_ok(store_baseline_remove(store, "main", &removed, &fixture_error));
    assert_int_equal(removed, 2);
    assert_ok(store_baseline_remove(store, "main", &removed, &fixture_error));
    assert_int_equal(removed, 0);
    store_close(store);
}

static void test_what_is_removed_is_no_baseline(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t newest = 0;
    int64_t *old = NULL;
    size_t count = 0;
    int64_t ids[2] = {begin_named(store, "CPU"), begin_named(store, "CPU")};
    save_commits(store, ids[0], false);
    assert_ok(store_baseline_save(store, "main", ids, 1, &fixture_error));
    assert_ok(store_remove_find(store, INT64_MAX, 0, &old, &count, &fixture_error));
    assert_int_equal(count, 1);
    assert_int_equal(old[0], ids[1]);
    free(old);
    assert_ok(store_remove(store, ids, 1, &fixture_error));
    assert_int_equal(baselines_called(store, NULL, &newest), 0);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM revision"), 0);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_commits_are_read_back, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_no_such_experiment, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_names, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_baselines, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_removed_is_no_baseline,
                                        fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
