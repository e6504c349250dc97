/* Experiments and comparisons: what goes in comes out, and is found. */
#include "store_fixture.h"

static void test_experiment(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = fixture_begin(store);
    struct store_experiment found = {0};
    assert_ok(store_experiment_find(store, "last", &found, &fixture_error));
    assert_int_equal(found.id, id);
    assert_int_equal(strlen(found.uuid), 36);
    assert_int_equal(found.uuid[14], '4'); /* RFC 4122: version and variant */
    assert_non_null(strchr("89ab", found.uuid[19]));
    assert_string_equal(found.name, "compress");
    assert_string_equal(found.commands[MODEL_OLD], "xz -9");
    assert_string_equal(found.commands[MODEL_NEW], "xz -6");
    assert_string_equal(found.names[MODEL_OLD], "slow");
    assert_string_equal(found.names[MODEL_NEW], "fast");
    assert_int_equal(found.schedule, MODEL_SCHEDULE_DUET);
    assert_int_equal(found.mode, MODEL_MODE_COMMAND);
    assert_int_equal(found.state, STORE_RUNNING);
    assert_null(found.message);
    assert_true(found.started_utc_ms > 1600000000000);
    assert_true(found.seed == UINT64_MAX - 1);
    assert_int_equal(found.warmup, 1);
    assert_true(found.has_analysis);
    for (size_t i = 0; i < model_analysis_fields(); i++) {
        assert_false(model_analysis_differs(&found.analysis, &fixture_analysis, i));
    }
    assert_int_equal(found.family, 0);
    assert_false(found.verdict.known);
    assert_int_equal(found.runs, 0);
    assert_string_equal(found.duet_version, "0.1.0");
    assert_true(isnan(found.load_after.load_avg[0]));
    store_experiment_release(&found);

    struct model_host_load after = fixture_load;
    after.load_avg[0] = 9.0;
    assert_ok(store_experiment_end(store, id, STORE_FAILED, &after, "xz is gone",
                                   &fixture_error));
    assert_ok(store_experiment_find(store, "compress", &found, &fixture_error));
    assert_int_equal(found.state, STORE_FAILED);
    assert_string_equal(found.message, "xz is gone");
    assert_true(found.load_before.load_avg[0] == 0.25);
    assert_true(found.load_after.load_avg[0] == 9.0);
    assert_true(found.load_after.total_ticks == 1000.0);
    assert_true(isnan(found.load_after.throttled_s));
    assert_int_equal(found.load_after.throttled_count, 3);
    assert_string_equal(found.host.uuid, "6a0e5c9e-3b1f-5d1c-8f00-0123456789ab");
    assert_string_equal(found.host.host_name, "lab");
    assert_string_equal(found.host.os, "");
    assert_int_equal(found.host.num_cpus, 8);
    assert_int_equal(found.host.num_cores, -1);
    assert_int_equal(found.host.turbo, 0);
    assert_true(isnan(found.host.cpu_quota));
    assert_true(found.host.memory_bytes == 8589934592.0);
    store_experiment_release(&found);
    store_experiment_release(NULL);
    assert_int_equal(
        store_experiment_end(store, 99, STORE_DONE, NULL, NULL, &fixture_error),
        DUET_E_NOT_FOUND);
    store_close(store);
}

static void test_plan(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    (void)fixture_begin(store);
    store_close(store);
    fixture_expect_text(
        "SELECT plan FROM experiment",
        "{\"name\":\"compress\",\"schedule\":\"duet\",\"seed\":\"18446744073709551614\",\"choose_schedule\":false,\"iterations\":5,\"run_time_ns\":0,\"adapt_run_time\":false,\"warmup\":1,\"runs\":3,\"min_runs\":0,\"min_runs_held\":false,\"max_runs\":0,\"budget_ns\":0,\"timeout_ns\":0,\"until\":\"fixed\",\"precision\":null,\"layout\":\"same\",\"ignore_failure\":false,\"usage\":true,\"shell\":\"/bin/sh\",\"fill\":{\"command\":\"kill\",\"harness\":\"on\"},\"input\":{\"path\":\"/in put\",\"kind\":\"file\"},\"output\":{\"path\":null,\"kind\":\"null\"},\"error_output\":{\"path\":null,\"kind\":\"null\"},\"cpus\":[[2,3],[5]],\"sides\":[{\"name\":\"slow\",\"command\":\"xz -9\",\"argv\":[\"xz\",\"-9\",\"a \\\"quoted\\\" word\"],\"setup\":null,\"prepare\":null,\"conclude\":null,\"cleanup\":null},{\"name\":\"fast\",\"command\":\"xz -6\",\"argv\":[\"xz\",\"-6\",\"\"],\"setup\":null,\"prepare\":null,\"conclude\":null,\"cleanup\":null}]}");
    fixture_expect_text("SELECT argv FROM side WHERE side = 1", "[\"xz\",\"-6\",\"\"]");
    /* Two experiments, one machine. */
    fixture_expect_text("SELECT count(*) FROM instance", "1");
}

static void test_unknown_host_and_no_words(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_plan plan = {.name = "imported"};
    static const char *const none[] = {NULL};
    plan.sides[MODEL_NEW].argv = none;
    int64_t id = 0;
    assert_ok(
        store_experiment_begin(store, &plan, NULL, NULL, NULL, &id, &fixture_error));
    struct store_experiment found = {0};
    assert_ok(store_experiment_find(store, "1", &found, &fixture_error));
    assert_string_equal(found.host.uuid, "");
    assert_int_equal(found.host.num_cpus, -1);
    assert_string_equal(found.commands[MODEL_OLD], "");
    assert_string_equal(found.duet_version, "");
    store_experiment_release(&found);
    store_close(store);
    fixture_expect_text("SELECT argv FROM side WHERE side = 0", "(null)");
    fixture_expect_text("SELECT argv FROM side WHERE side = 1", "[]");
}

/* More words than SQLite's functions take arguments. */
static void test_many_words(void **state)
{
    (void)state;
    enum { WORDS = 5000 };
    static const char *words[WORDS + 1];
    for (int i = 0; i < WORDS; i++) {
        words[i] = "w";
    }
    struct store *store = fixture_open();
    char *json = NULL;
    assert_ok(store_argv_json(store, words, &json, &fixture_error));
    assert_int_equal(strlen(json), WORDS * 4 + 1);
    free(json);
    store_close(store);
}

/* The sides of a copy of the fixture's plan, changed by hand. */
static bool sides_equal(struct store *store, const struct model_plan *plan)
{
    int64_t id = 0;
    bool equal = false;
    assert_ok(
        store_experiment_begin(store, plan, NULL, NULL, NULL, &id, &fixture_error));
    assert_ok(store_sides_equal(store, id, &equal, &fixture_error));
    return equal;
}

static void test_sides_equal(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_plan plan = fixture_plan();
    assert_false(sides_equal(store, &plan));
    plan.sides[MODEL_NEW] = plan.sides[MODEL_OLD];
    plan.sides[MODEL_NEW].name = "a name is no difference";
    assert_true(sides_equal(store, &plan));
    plan.sides[MODEL_NEW].setup = "a hook is one";
    assert_false(sides_equal(store, &plan));
    plan.sides[MODEL_NEW] = plan.sides[MODEL_OLD];
    plan.sides[MODEL_NEW].argv = fixture_argv_new;
    assert_false(sides_equal(store, &plan));
    int64_t suite = 0;
    bool equal = true;
    plan.sides[MODEL_NEW] = plan.sides[MODEL_OLD];
    assert_true(sides_equal(store, &plan));
    assert_ok(
        store_suite_begin(store, "s", "s.yaml", 1, 1, "0.1.0", &suite, &fixture_error));
    assert_ok(store_suite_add(store, suite, 5, "a definition", &fixture_error));
    assert_ok(store_sides_equal(store, 5, &equal, &fixture_error));
    assert_false(equal);
    equal = true;
    assert_ok(store_sides_equal(store, 999, &equal, &fixture_error));
    assert_false(equal);
    store_close(store);
}

static void test_find(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_experiment found = {0};
    assert_int_equal(store_experiment_find(store, "last", &found, &fixture_error),
                     DUET_E_NOT_FOUND);
    for (int i = 0; i < 4; i++) {
        (void)fixture_begin(store);
    }
    fixture_sql(
        fixture_path,
        "UPDATE experiment SET uuid = 'abcd1111' || substr(uuid, "
        "9) WHERE id = 1;UPDATE experiment SET uuid = 'abcd2222' || substr(uuid, "
        "9) WHERE id = 2;UPDATE experiment SET uuid = '12345678' || substr(uuid, "
        "9) WHERE id = 3;UPDATE experiment SET name = 'abcd11' WHERE id = 4");
    static const struct {
        const char *which;
        enum duet_code code;
        int64_t id;
    } cases[] = {
        {"last", DUET_OK, 4},         {"2", DUET_OK, 2},
        {"compress", DUET_OK, 3}, /* the newest of that name */
        {"abcd1", DUET_OK, 1},        {"ABCD2", DUET_OK, 2},
        {"abcd11", DUET_OK, 4}, /* a name before the beginning of a uuid */
        {"12345678", DUET_OK, 3},     {"abcd", DUET_E_USAGE, 0},
        {"abc", DUET_E_NOT_FOUND, 0}, {"5", DUET_E_NOT_FOUND, 0},
        {"", DUET_E_NOT_FOUND, 0},    {"%", DUET_E_NOT_FOUND, 0},
        {"-1", DUET_E_NOT_FOUND, 0},  {"1'; DROP TABLE run; --", DUET_E_NOT_FOUND, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum duet_code code =
            store_experiment_find(store, cases[i].which, &found, &fixture_error);
        if (code != cases[i].code) {
            fail_msg("'%s': %d", cases[i].which, code);
        }
        if (code == DUET_OK) {
            assert_int_equal(found.id, cases[i].id);
            store_experiment_release(&found);
        }
    }
    store_close(store);
}

static void test_list(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store_experiment *list = NULL;
    size_t count = 99;
    assert_ok(store_experiment_list(store, &list, &count, &fixture_error));
    assert_int_equal(count, 0);
    free(list);
    for (int i = 0; i < 20; i++) {
        (void)fixture_begin(store);
    }
    assert_ok(store_experiment_list(store, &list, &count, &fixture_error));
    assert_int_equal(count, 20);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].id, 20 - (int64_t)i);
        store_experiment_release(&list[i]);
    }
    free(list);
    store_close(store);
}

/* ---- Comparisons ---- */

/* Every field with a value of its own, NaN and infinity among them. */
static void fill_comparison(struct model_comparison *saved)
{
    memset(saved, 0, sizeof *saved);
    (void)snprintf(saved->name, sizeof saved->name, "compress");
    (void)snprintf(saved->metric, sizeof saved->metric, "cpu_time");
    saved->schedule = MODEL_SCHEDULE_TIMESLICE;
    saved->mode = MODEL_MODE_HARNESS;
    saved->sides[0] = (struct model_summary){1, 1, 2.5, (double)NAN, 4, 5, 6, 7, 8};
    saved->sides[1] =
        (struct model_summary){INT64_MAX, 1, 1e300, 3, 1e-300, 5, 6, 7, 0.1};
    saved->ratio = 1.0 / 3;
    saved->interval = (struct model_interval){.low = (double)NAN,
                                              .high = (double)INFINITY,
                                              .confidence = 0.99,
                                              .method = MODEL_INTERVAL_SIGNFLIP};
    saved->verdict = MODEL_VERDICT_UNSURE;
    saved->same_within = (double)NAN;
    saved->could_have_seen = 0.008;
    saved->runs = 10;
    saved->iterations = 1000;
    saved->winsorized = 3;
    saved->estimator = MODEL_ESTIMATOR_TRIMMED;
    saved->paired_width = 0.1;
    saved->shuffled_width = 0.2;
    saved->stratified_width = 0.3;
    saved->measured_coverage = (double)NAN;
    saved->tails[MODEL_TAIL_P90].ratio = -1.25;
    for (int i = 0; i < MODEL_WARNINGS_MAX; i++) {
        model_comparison_warn(saved, (enum model_warning_kind)(i % 3), "warning %d %s",
                              i, i == 0 ? "" : "it's \"odd\"");
    }
}

/* Two of three are judged together, then the other pair. */
static void test_family(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t ids[3];
    for (size_t i = 0; i < 3; i++) {
        ids[i] = fixture_begin(store);
    }
    struct store_family family = {.multiplicity = MODEL_MULTIPLICITY_HOLM,
                                  .confidence = 0.1 + 0.2,
                                  .members = ids,
                                  .count = 2};
    int64_t first = 0;
    int64_t second = 0;
    assert_ok(store_family_save(store, &family, &first, &fixture_error));
    family.multiplicity = MODEL_MULTIPLICITY_BH;
    family.members = ids + 1;
    assert_ok(store_family_save(store, &family, &second, &fixture_error));
    assert_true(first != second);

    struct store_family loaded = {.count = 0};
    assert_ok(store_family_load(store, second, &loaded, &fixture_error));
    assert_int_equal(loaded.multiplicity, MODEL_MULTIPLICITY_BH);
    assert_true(loaded.confidence == 0.1 + 0.2);
    assert_int_equal(loaded.count, 2);
    assert_true(loaded.members[0] == ids[1] && loaded.members[1] == ids[2]);
    store_family_release(&loaded);
    assert_ok(store_family_load(store, first, &loaded, &fixture_error));
    assert_int_equal(loaded.count, 1);
    assert_true(loaded.members[0] == ids[0]);
    store_family_release(&loaded);
    assert_int_equal(store_family_load(store, 77, &loaded, &fixture_error),
                     DUET_E_NOT_FOUND);

    /* A family that everybody has left goes. */
    family.members = ids;
    family.count = 3;
    assert_ok(store_family_save(store, &family, &second, &fixture_error));
    struct store_experiment found;
    assert_ok(store_experiment_find(store, "2", &found, &fixture_error));
    assert_true(found.family == second);
    store_experiment_release(&found);
    store_close(store);
    fixture_expect_text("SELECT count(*) FROM family", "1");
}

/* A description of another duet, or a damaged one, is refused by its experiment. */
static void test_analysis_that_is_not_understood(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = fixture_begin(store);
    struct model_analysis other = fixture_analysis;
    other.confidence = 0.8;
    assert_ok(store_analysis_save(store, id, &other, &fixture_error));
    assert_int_equal(store_analysis_save(store, 99, &other, &fixture_error),
                     DUET_E_NOT_FOUND);
    struct store_experiment found;
    assert_ok(store_experiment_find(store, "1", &found, &fixture_error));
    assert_true(found.analysis.confidence == 0.8);
    store_experiment_release(&found);
    store_close(store);
    fixture_sql(fixture_path, "UPDATE experiment SET analysis = '{\"tea\":1}'");
    store = fixture_open();
    assert_int_equal(store_experiment_find(store, "1", &found, &fixture_error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(fixture_error.message, "experiment 1"));
    assert_non_null(strstr(fixture_error.message, "'tea'"));
    store_close(store);
}

/* As fill_comparison() has it; what is not known is NULL. */
static void expect_filled_comparison(void)
{
    fixture_expect_text(
        "SELECT json_array(name, metric, schedule, mode, interval_method, verdict, estimator, runs, "
        "iterations, winsorized, ratio * 3, low, high = 9e999, confidence, same_within, could_have_seen, "
        "paired_width, shuffled_width, stratified_width, measured_coverage, tail_ratio) FROM comparison",
        "[\"compress\",\"cpu_time\",\"timeslice\",\"harness\",\"signflip\",\"unsure\",\"trimmed\",10,1000,3,1.0,null,1,0.99,null,0.008,0.1,0.2,0.3,null,-1.25]");
    fixture_expect_text(
        "SELECT json_group_array(json_array(side, count, mean_ns, sd_ns, median_ns, min_ns, max_ns, user_ns, "
        "system_ns)) FROM (SELECT * FROM comparison_side ORDER BY side)",
        "[[0,1,2.5,null,4.0,5.0,6.0,7.0,8.0],[1,9223372036854775807,1.0e+300,3.0,1.0e-300,5.0,6.0,7.0,0.1]]");
    fixture_expect_text(
        "SELECT group_concat(kind || ':' || text, '; ') FROM (SELECT * FROM comparison_warning ORDER BY idx "
        "LIMIT 3)",
        "machine:warning 0 ; data:warning 1 it's \"odd\"; workload:warning 2 it's \"odd\"");
}

static void test_comparison(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_comparison saved;
    fill_comparison(&saved);
    assert_ok(
        store_comparison_save(store, experiment, &saved, "0.1.0", &fixture_error));
    expect_filled_comparison();
    struct store_experiment found;
    assert_ok(store_experiment_find(store, "last", &found, &fixture_error));
    assert_true(found.verdict.known);
    assert_int_equal(found.verdict.verdict, saved.verdict);
    assert_true(found.verdict.ratio == saved.ratio);
    assert_string_equal(found.verdict.duet_version, "0.1.0");
    store_experiment_release(&found);

    /* The newest of a metric wins; other metrics stay. */
    saved.ratio = 2.0;
    saved.warning_count = 0;
    assert_ok(
        store_comparison_save(store, experiment, &saved, "0.1.0", &fixture_error));
    fixture_expect_text("SELECT count(*) || ' ' || ratio FROM comparison", "1 2.0");
    (void)snprintf(saved.metric, sizeof saved.metric, "time");
    assert_ok(
        store_comparison_save(store, experiment, &saved, "0.1.0", &fixture_error));
    assert_int_equal(store_comparison_save(store, 99, &saved, "0.1.0", &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
    fixture_expect_text(
        "SELECT count(*) || ' ' || (SELECT count(*) FROM comparison_side) || ' ' || (SELECT count(*) FROM "
        "comparison_warning) FROM comparison",
        "2 4 0");
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_experiment),
        CASE(test_plan),
        CASE(test_unknown_host_and_no_words),
        CASE(test_many_words),
        CASE(test_sides_equal),
        CASE(test_find),
        CASE(test_list),
        CASE(test_family),
        CASE(test_analysis_that_is_not_understood),
        CASE(test_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
