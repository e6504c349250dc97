/* What a store says of commits: the verdict of each, and benchmarks over all of them.
 */
#include "unit/store/store_fixture.h"

#include "session/history/commit_verdict.h"
#include "session/history/history_set.h"
#include "support/alloc_fail.h"

/* A comparison as it is stored. */
struct stored {
    const char *benchmark;
    const char *old_commit;
    const char *new_commit;
    enum model_verdict verdict;
    double ratio;
    bool changed; /* the new side has changes that are in no commit */
    bool open;    /* its interval has no upper end */
    const char *cpu_model;
    int64_t committed_utc_ms; /* of the old commit; the new one's is one more */
};

static void save(struct store *store, const struct stored *wanted)
{
    struct model_host host = {.cpu_quota = (double)NAN, .memory_bytes = (double)NAN};
    struct model_plan plan = {
        .name = wanted->benchmark, .schedule = MODEL_SCHEDULE_DUET, .seed = 1};
    int64_t experiment = 0;
    (void)snprintf(host.cpu_model, sizeof host.cpu_model, "%s",
                   wanted->cpu_model == NULL ? "CPU" : wanted->cpu_model);
    for (int side = 0; side < MODEL_SIDES; side++) {
        plan.sides[side] = (struct model_workload){.name = "s", .command = "c"};
    }
    assert_ok(store_experiment_begin(store, &plan, &host, NULL, "0.1.0", &experiment,
                                     &fixture_error));
    assert_ok(store_experiment_end(store, experiment, STORE_DONE, NULL, NULL,
                                   &fixture_error));
    char subject[] = "a subject";
    struct model_revision revisions[MODEL_SIDES] = {
        {.subject = subject, .committed_utc_ms = wanted->committed_utc_ms},
        {.committed_utc_ms = wanted->committed_utc_ms + 1, .changed = wanted->changed}};
    (void)snprintf(revisions[MODEL_OLD].commit, MODEL_HASH_BYTES, "%s",
                   wanted->old_commit);
    (void)snprintf(revisions[MODEL_NEW].commit, MODEL_HASH_BYTES, "%s",
                   wanted->new_commit);
    assert_ok(store_revisions_save(store, experiment, wanted->benchmark, revisions,
                                   &fixture_error));
    struct model_comparison comparison = {
        .ratio = wanted->ratio,
        .interval = {.low = wanted->ratio / 1.01,
                     .high = wanted->open ? (double)NAN : wanted->ratio * 1.01,
                     .confidence = 0.99},
        .verdict = wanted->verdict};
    (void)snprintf(comparison.metric, sizeof comparison.metric, "time");
    assert_ok(
        store_comparison_save(store, experiment, &comparison, "0.1.0", &fixture_error));
}

static struct store *store_of(const struct stored *rows, size_t count)
{
    struct store *store = fixture_open();
    for (size_t i = 0; i < count; i++) {
        save(store, &rows[i]);
    }
    return store;
}

#define STORE_OF(rows) store_of(rows, sizeof(rows) / sizeof(rows)[0])

/* ---- The verdict of a commit ---- */

static struct commit_verdicts load(struct store *store, const char *benchmark)
{
    struct commit_verdicts verdicts = {0};
    assert_ok(commit_verdicts_load(store, benchmark, &verdicts, &fixture_error));
    return verdicts;
}

static void the_worst_benchmark_speaks_for_a_commit(void **state)
{
    (void)state;
    /* From the best to the worst. */
    static const struct stored rows[] = {
        {"a", "1111", "2222", MODEL_VERDICT_FASTER, 0.5, .changed = false},
        {"b", "1111", "2222", MODEL_VERDICT_SAME, 1.001, .changed = false},
        {"c", "1111", "2222", MODEL_VERDICT_UNSURE, 1.01, .changed = false},
        {"d", "1111", "2222", MODEL_VERDICT_SLOWER, 1.1, .changed = false},
        {"e", "1111", "2222", MODEL_VERDICT_SLOWER, 1.3, .changed = false},
        {"f", "1111", "2222", MODEL_VERDICT_SLOWER, 1.2, .changed = false},
    };
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct store *store = STORE_OF(rows);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct commit_verdicts verdicts = load(store, names[i]);
        struct commit_verdict found = commit_verdicts_find(&verdicts, "2222", NULL);
        assert_true(found.known && found.verdict == rows[i].verdict);
        assert_true(found.ratio == rows[i].ratio && found.others == 0);
        commit_verdicts_release(&verdicts);
    }
    /* Of any number of them, whatever their order: each prefix ends with its worst. */
    static const char *const patterns[] = {"[a-b]", "[a-c]", "[a-d]", "[a-e]", "[a-f]"};
    static const size_t worst[] = {1, 2, 3, 4, 4};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct commit_verdicts verdicts = load(store, patterns[i]);
        struct commit_verdict found = commit_verdicts_find(&verdicts, "2222", NULL);
        assert_true(found.ratio == rows[worst[i]].ratio);
        assert_true(found.low < found.ratio && found.ratio < found.high);
        assert_int_equal(found.others, i + 1);
        commit_verdicts_release(&verdicts);
    }
    store_close(store);
}

static void the_newest_comparison_counts_or_that_with_the_parent(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"a", "1111", "3333", MODEL_VERDICT_SAME, 1.001, .changed = false},
        {"a", "2222", "3333", MODEL_VERDICT_SLOWER, 1.2, .changed = false},
        {"a", "1111", "3333", MODEL_VERDICT_FASTER, 0.9, .changed = false},
        {"a", "0000", "3333", MODEL_VERDICT_UNSURE, 1.05, .changed = false},
        {"a", "0000", "4444", MODEL_VERDICT_SAME, 1, .changed = false},
    };
    struct store *store = STORE_OF(rows);
    struct commit_verdicts verdicts = load(store, NULL);
    static const struct {
        const char *parent;
        double ratio;
        const char *base;
    } cases[] = {{NULL, 1.05, "0000"},
                 {"9999", 1.05, "0000"},
                 {"2222", 1.2, "2222"},
                 {"1111", 0.9, "1111"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct commit_verdict found =
            commit_verdicts_find(&verdicts, "3333", cases[i].parent);
        assert_true(found.known && found.ratio == cases[i].ratio);
        assert_string_equal(found.base, cases[i].base);
        assert_int_equal(found.others, 0);
    }
    commit_verdicts_release(&verdicts);
    store_close(store);
}

static void commits_that_were_not_measured(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"a", "1111", "5555", MODEL_VERDICT_SAME, 1, .changed = false},
        {"a", "1111", "7777", MODEL_VERDICT_SAME, 1, .changed = true},
    };
    struct store *store = STORE_OF(rows);
    struct commit_verdicts verdicts = load(store, NULL);
    assert_int_equal(verdicts.used, 1);
    /* Before, between and behind what there is; and with changes that are in none. */
    static const char *const hashes[] = {"1111", "5556", "7777", "ffff"};
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        struct commit_verdict found = commit_verdicts_find(&verdicts, hashes[i], NULL);
        assert_true(!found.known && found.others == 0);
    }
    commit_verdicts_release(&verdicts);
    verdicts = load(store, "no such benchmark");
    assert_int_equal(verdicts.used, 0);
    assert_false(commit_verdicts_find(&verdicts, "5555", NULL).known);
    commit_verdicts_release(&verdicts);
    store_close(store);
}

/* ---- Benchmarks over commits ---- */

static const struct history_request everything = {.options = {.confidence = 0.99,
                                                              .error = 0.05,
                                                              .least = 0.01,
                                                              .replicates = 100,
                                                              .seed = 1,
                                                              .reference = SIZE_MAX}};

static void commits_are_in_the_order_of_their_times(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"b", "cccc0000", "aaaa0000", MODEL_VERDICT_SLOWER, 1.1,
         .committed_utc_ms = 50},
        {"a", "cccc0000", "bbbb0000", MODEL_VERDICT_SLOWER, 2, .committed_utc_ms = 50},
        {"a", "dddd0000", "cccc0000", MODEL_VERDICT_SLOWER, 4, .committed_utc_ms = 49},
    };
    struct store *store = STORE_OF(rows);
    struct history_set set;
    assert_ok(history_set_load(store, NULL, &everything, &set, &fixture_error));
    static const char *const order[] = {"dddd0000", "cccc0000", "aaaa0000", "bbbb0000"};
    assert_int_equal(set.count, 4);
    assert_int_equal(set.shown, 4);
    assert_false(set.by_branch);
    for (size_t i = 0; i < set.count; i++) {
        assert_string_equal(set.commits[i].hash, order[i]);
        assert_int_equal(strlen(set.commits[i].label), 7);
    }
    assert_int_equal(set.benchmark_count, 2);
    assert_string_equal(set.benchmarks[0].name, "a");
    assert_int_equal(set.benchmarks[0].comparisons, 2);
    assert_string_equal(set.benchmarks[1].name, "b");
    assert_int_equal(set.benchmarks[1].comparisons, 1);
    /* Relative to its first commit, along the chain. */
    const struct analysis_history *a = &set.benchmarks[0].answer;
    assert_true(fabs(a->commits[0].ratio - 1) < 1e-9);
    assert_true(fabs(a->commits[1].ratio - 4) < 1e-9);
    assert_int_equal(a->commits[2].kind, ANALYSIS_COMMIT_UNKNOWN);
    assert_true(fabs(a->commits[3].ratio - 8) < 1e-9);
    history_set_release(&set);

    struct history_request relative = everything;
    relative.reference = "bbbb";
    assert_ok(history_set_load(store, NULL, &relative, &set, &fixture_error));
    assert_true(fabs(set.benchmarks[0].answer.commits[0].ratio - 0.125) < 1e-9);
    history_set_release(&set);
    store_close(store);
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"a", "1111", "2222", MODEL_VERDICT_SAME, 1, .cpu_model = "one"},
        {"a", "1111", "2222", MODEL_VERDICT_UNSURE, 1, .open = true,
         .cpu_model = "two"},
        {"a", "1111", "2222", MODEL_VERDICT_SAME, 1, .cpu_model = "two"},
        {"a", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = true},
        {"a", "1111", "1111", MODEL_VERDICT_SAME, 1, .changed = false},
    };
    struct store *store = STORE_OF(rows);
    struct history_set set;
    assert_ok(history_set_load(store, NULL, &everything, &set, &fixture_error));
    assert_int_equal(set.used, 3);
    assert_int_equal(set.changed, 1);
    assert_int_equal(set.cpu_models, 2);
    assert_int_equal(set.benchmarks[0].comparisons, 2);
    assert_int_equal(set.benchmarks[0].open, 1);
    history_set_release(&set);
    store_close(store);
}

/* A whole name is that benchmark, and not all that have it in their names. */
static void a_benchmark_is_chosen(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"sort", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = false},
        {"sort-big", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = false},
        {"parse", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = false},
    };
    static const struct {
        const char *wanted;
        size_t count;
    } cases[] = {{NULL, 3}, {"sort", 1}, {"so", 2}, {"s*", 2}, {"*s*", 3}};
    struct store *store = STORE_OF(rows);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct history_request request = everything;
        struct history_set set;
        request.benchmark = cases[i].wanted;
        assert_ok(history_set_load(store, NULL, &request, &set, &fixture_error));
        assert_int_equal(set.benchmark_count, cases[i].count);
        history_set_release(&set);
    }
    store_close(store);
}

static void expect_refused(struct store *store, const struct history_request *request,
                           const char *words)
{
    struct history_set set = {.count = 77};
    assert_int_equal(history_set_load(store, NULL, request, &set, &fixture_error),
                     DUET_E_USAGE);
    assert_int_equal(set.count, 77);
    if (strstr(fixture_error.message, words) == NULL) {
        fail_msg("'%s' does not say '%s'", fixture_error.message, words);
    }
}

static void what_is_not_there_is_told(void **state)
{
    (void)state;
    static const struct stored changed = {
        "a", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = true};
    static const struct stored plain = {
        "a", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = false};
    struct history_request request = everything;
    struct store *store = fixture_open();
    expect_refused(store, &request, "has no comparison of two commits: measure some");
    save(store, &changed);
    expect_refused(store, &request, "(those of uncommitted changes are left out)");
    save(store, &plain);
    request.benchmark = "sort";
    expect_refused(store, &request, "no benchmark of");
    request = everything;
    request.reference = "3333";
    expect_refused(store, &request, "--reference 3333: no stored comparison");
    request.reference = "";
    expect_refused(store, &request, "--reference : no stored comparison");
    request = everything;
    request.branch = "main"; /* nobody asked a repository where it is */
    expect_refused(store, &request, "--branch main: none of its commits");
    store_close(store);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    static const struct stored rows[] = {
        {"a", "1111", "2222", MODEL_VERDICT_SAME, 1, .changed = false},
        {"b", "2222", "3333", MODEL_VERDICT_SAME, 1, .changed = false},
    };
    struct store *store = STORE_OF(rows);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        struct history_set set = {.count = 77};
        alloc_fail_at(n);
        code = history_set_load(store, NULL, &everything, &set, &fixture_error);
        alloc_fail_at(0);
        if (code == DUET_OK) {
            history_set_release(&set);
        } else {
            assert_int_equal(set.count, 77);
        }
    }
    assert_int_equal(code, DUET_OK);
    code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        struct commit_verdicts verdicts = {.count = 77};
        alloc_fail_at(n);
        code = commit_verdicts_load(store, NULL, &verdicts, &fixture_error);
        alloc_fail_at(0);
        if (code == DUET_OK) {
            commit_verdicts_release(&verdicts);
        } else {
            assert_int_equal(verdicts.count, 77);
        }
    }
    assert_int_equal(code, DUET_OK);
    store_close(store);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worst_benchmark_speaks_for_a_commit),
        TEST(the_newest_comparison_counts_or_that_with_the_parent),
        TEST(commits_that_were_not_measured),
        TEST(commits_are_in_the_order_of_their_times),
        TEST(what_is_left_out_is_counted),
        TEST(a_benchmark_is_chosen),
        TEST(what_is_not_there_is_told),
        TEST(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
