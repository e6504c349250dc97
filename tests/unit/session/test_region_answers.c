// link: duet_session
/* The answers of regions: which there are, made when all have been measured, kept. */
#include "unit/store/store_fixture.h"

#include "session/comparison/answers.h"
#include "session/comparison/regions.h"
#include "support/alloc_fail.h"

enum { RUNS = 8, ITERATIONS = 4, REGIONS = 2, OTHER_FAMILY = 5 };

static struct store *store;
static int64_t whole;
static int64_t regions[REGIONS];
static int64_t other; /* without regions */

static int64_t measure(void)
{
    int64_t id = fixture_begin(store);
    struct model_sink sink = store_sink(store, id);
    for (uint64_t r = 0; r < RUNS; r++) {
        assert_ok(fixture_save_run(sink, r, ITERATIONS));
    }
    assert_ok(store_experiment_end(store, id, STORE_DONE, NULL, NULL, &fixture_error));
    return id;
}

static int setup(void **state)
{
    char sql[160];
    if (fixture_setup(state) != 0) {
        return -1;
    }
    store = fixture_open();
    whole = measure();
    other = measure();
    for (int i = 0; i < REGIONS; i++) {
        regions[i] = measure();
        (void)snprintf(sql, sizeof sql,
                       "UPDATE experiment SET region_of = %lld, region = 'part %d' "
                       "WHERE id = %lld",
                       (long long)whole, i, (long long)regions[i]);
        fixture_sql(fixture_path, sql);
    }
    return 0;
}

static int teardown(void **state)
{
    store_close(store);
    return fixture_teardown(state);
}

static void assert_expanded(const int64_t *ids, size_t count, const int64_t *expected,
                            size_t expected_count)
{
    int64_t *list = NULL;
    size_t found = 0;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = regions_expand(store, ids, count, &list, &found, &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || list == NULL);
    }
    assert_ok(code);
    assert_int_equal(found, expected_count);
    for (size_t i = 0; i < found; i++) {
        assert_int_equal(list[i], expected[i]);
    }
    free(list);
}

static void a_whole_brings_its_regions(void **state)
{
    (void)state;
    const int64_t asked[] = {other, whole};
    const int64_t expected[] = {other, whole, regions[0], regions[1]};
    assert_expanded(asked, 2, expected, 4);
    assert_expanded(asked, 1, expected, 1);
    assert_expanded(asked, 0, expected, 0);
    /* Named by itself, too, a region is there once; a whole that is named twice, twice.
     */
    const int64_t mixed[] = {regions[1], whole, whole};
    const int64_t ordered[] = {regions[1], whole, regions[0], whole};
    assert_expanded(mixed, 3, ordered, 4);
}

static struct answer *answers_of(const int64_t *ids, size_t count)
{
    struct answer *answers = calloc(count, sizeof *answers);
    assert_non_null(answers);
    for (size_t i = 0; i < count; i++) {
        assert_ok(answer_make(store, ids[i], NULL, &answers[i], &fixture_error));
    }
    return answers;
}

static void free_answers(struct answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        answer_release(&answers[i]);
    }
    free(answers);
}

static int64_t kept_verdicts(void)
{
    return fixture_number(
        fixture_path, "SELECT count(*) FROM comparison AS c JOIN experiment AS e ON "
                      "e.id = c.experiment_id WHERE region_of IS NOT NULL");
}

static void regions_stand_behind_their_whole(void **state)
{
    (void)state;
    const int64_t measured[] = {whole, other};
    const int64_t expected[] = {whole, regions[0], regions[1], other};
    struct answer *answers = answers_of(measured, 2);
    size_t count = 2;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        const struct answer *before = answers;
        alloc_fail_at(n);
        code = regions_conclude(store, &answers, &count, &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || (answers == before && count == 2));
    }
    assert_ok(code);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(answers[i].experiment.id, expected[i]);
    }
    assert_int_equal(answers[1].comparison.analysis.family, REGIONS);
    assert_int_equal(answers[0].comparison.analysis.family, fixture_analysis.family);
    assert_int_equal(kept_verdicts(), REGIONS);
    free_answers(answers, count);
}

/* A control's regions are there, and not judged with the others. */
static void regions_of_a_control_are_not_counted(void **state)
{
    (void)state;
    struct answer *answers = answers_of(&whole, 1);
    size_t count = 1;
    answers[0].comparison.role = MODEL_ROLE_CONTROL;
    assert_ok(regions_conclude(store, &answers, &count, &fixture_error));
    assert_int_equal(count, 1 + REGIONS);
    assert_int_equal(answers[1].comparison.analysis.family, 0);
    free_answers(answers, count);
}

static void without_regions_all_stays(void **state)
{
    (void)state;
    struct answer *answers = answers_of(&other, 1);
    const struct answer *before = answers;
    size_t count = 1;
    assert_ok(regions_conclude(store, &answers, &count, &fixture_error));
    assert_ptr_equal(answers, before);
    assert_int_equal(count, 1);
    free_answers(answers, count);
}

static void a_confirmations_regions_are_kept(void **state)
{
    (void)state;
    struct answer *answers = NULL;
    size_t count = 0;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = regions_answer(store, whole, OTHER_FAMILY, &answers, &count,
                              &fixture_error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || answers == NULL);
    }
    assert_ok(code);
    assert_int_equal(count, REGIONS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(answers[i].experiment.id, regions[i]);
        assert_int_equal(answers[i].comparison.analysis.family, OTHER_FAMILY);
    }
    assert_int_equal(kept_verdicts(), REGIONS);
    free_answers(answers, count);
}

static void a_damaged_store_is_an_error(void **state)
{
    (void)state;
    int64_t *list = NULL;
    struct answer *answers = answers_of(&whole, 1);
    struct answer *made = NULL;
    size_t count = 1;
    size_t found = 0;
    fixture_sql(fixture_path, "DROP TABLE run_side");
    assert_int_equal(regions_expand(store, &whole, 1, &list, &found, &fixture_error),
                     DUET_E_FORMAT);
    assert_int_equal(regions_conclude(store, &answers, &count, &fixture_error),
                     DUET_E_FORMAT);
    assert_int_equal(regions_answer(store, whole, 1, &made, &found, &fixture_error),
                     DUET_E_FORMAT);
    assert_int_equal(count, 1);
    assert_null(made);
    free_answers(answers, count);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_whole_brings_its_regions),
        CASE(regions_stand_behind_their_whole),
        CASE(regions_of_a_control_are_not_counted),
        CASE(without_regions_all_stays),
        CASE(a_confirmations_regions_are_kept),
        CASE(a_damaged_store_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
