/* Benchmarks by how much they vary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/dataset_builder.h"
#include "study/study_ranking.h"

#include <math.h>
#include <string.h>

/* Benchmarks "0", "1", ... with values 1 + s, 1 - s: CV = s * sqrt(2). One value: s <
 * 0.
 */
static struct model_dataset set_of(const double *spreads, size_t count)
{
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    assert_int_equal(model_dataset_builder_new(false, &builder, NULL), DUET_OK);
    for (size_t b = 0; b < count; b++) {
        char name[2] = {(char)('0' + b), '\0'};
        const double values[] = {1 + fabs(spreads[b]), 1 - fabs(spreads[b])};
        const struct model_name names[MODEL_LEVELS] = {
            {name, 1}, {"e", 1}, {"i", 1}, {"t", 1}};
        assert_int_equal(model_dataset_builder_add_trial(builder, names, values, NULL,
                                                         spreads[b] < 0 ? 1 : 2, NULL),
                         DUET_OK);
    }
    assert_int_equal(model_dataset_builder_finish(builder, &dataset, NULL), DUET_OK);
    model_dataset_builder_free(builder);
    return dataset;
}

static void expect(const double *spreads, size_t count, size_t ranked_of,
                   const char *expected)
{
    struct model_dataset dataset = set_of(spreads, count);
    struct study_ranked ranked[STUDY_RANKS];
    size_t of = 0;
    assert_int_equal(study_rank_benchmarks(&dataset, ranked, &of, NULL), DUET_OK);
    assert_int_equal(of, ranked_of);
    for (size_t r = 0; r < STUDY_RANKS; r++) {
        size_t benchmark = ranked[r].benchmark;
        assert_int_equal(dataset.benchmarks[benchmark][0], expected[r]);
        assert_true(fabs(ranked[r].cv - fabs(spreads[benchmark]) * sqrt(2)) < 1e-12);
    }
    model_dataset_release(&dataset);
}

static void test_ranks(void **state)
{
    (void)state;
    static const double nine[] = {0.5, 0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6};
    static const double two[] = {0.5, 0.1};
    static const double unknown[] = {-0.1, 0.5, 0.2, 0.3};
    expect(nine, 9, 9, "15062"); /* 0.1, 0.3, 0.5, 0.7, 0.9 */
    expect(two, 2, 2, "11000");  /* halves up */
    expect(two, 1, 1, "00000");
    expect(unknown, 4, 3, "23311");
}

static void test_nothing_to_rank(void **state)
{
    (void)state;
    static const double single[] = {-0.1};
    struct model_dataset dataset = set_of(single, 1);
    struct study_ranked ranked[STUDY_RANKS];
    size_t of = 0;
    assert_int_equal(study_rank_benchmarks(&dataset, ranked, &of, NULL),
                     DUET_E_TOO_FEW);
    model_dataset_release(&dataset);
    for (int r = 0; r < STUDY_RANKS; r++) {
        assert_true(strlen(study_rank_name((enum study_rank)r)) > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_nothing_to_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
