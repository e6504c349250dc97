/* Levels from ratios: chains, several paths, pieces, and the errors of sums. */
#include "stats/history/ratio_graph.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nearly.h"
#include "support/alloc_fail.h"

static struct stats_ratio_graph *graph_of(const struct stats_ratio *ratios,
                                          size_t count, size_t nodes, size_t reference)
{
    struct stats_ratio_graph *graph = NULL;
    struct duet_error error;
    if (stats_ratio_graph_new(ratios, count, nodes, reference, &graph, &error) !=
        DUET_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static void test_a_chain_adds_up(void **state)
{
    (void)state;
    const struct stats_ratio ratios[] = {
        {0, 1, 0.1, 0.01}, {2, 1, -0.2, 0.02}, {2, 3, 0.3, 0.03}};
    const size_t nodes[] = {1, 2, 3, 0};
    double covariances[16];
    struct stats_ratio_graph *graph = graph_of(ratios, 3, 4, 0);
    assert_nearly(stats_ratio_graph_level(graph, 0), 0, 1e-12);
    assert_nearly(stats_ratio_graph_level(graph, 1), 0.1, 1e-12);
    assert_nearly(stats_ratio_graph_level(graph, 2), 0.3, 1e-12);
    assert_nearly(stats_ratio_graph_level(graph, 3), 0.6, 1e-12);
    assert_int_equal(stats_ratio_graph_covariance(graph, nodes, 4, covariances, NULL),
                     DUET_OK);
    assert_nearly(covariances[0], 0.01, 1e-12);
    assert_nearly(covariances[1], 0.01, 1e-12);
    assert_nearly(covariances[5], 0.03, 1e-12);
    assert_nearly(covariances[6], 0.03, 1e-12);
    assert_nearly(covariances[10], 0.06, 1e-12);
    assert_true(covariances[15] == 0 && covariances[3] == 0);
    stats_ratio_graph_free(graph);
}

/* Two paths to node 2: 0.3 with variance 0.02, and 0.4 with variance 0.02. */
static void test_paths_are_weighed(void **state)
{
    (void)state;
    const struct stats_ratio ratios[] = {
        {0, 1, 0.1, 0.01}, {1, 2, 0.2, 0.01}, {0, 2, 0.4, 0.02}, {2, 2, 9, 0.01}};
    const size_t node = 2;
    double variance = 0;
    struct stats_ratio_graph *graph = graph_of(ratios, 4, 3, 0);
    assert_nearly(stats_ratio_graph_level(graph, 2), 0.35, 1e-12);
    assert_nearly(stats_ratio_graph_level(graph, 1), 0.125, 1e-12);
    assert_int_equal(stats_ratio_graph_covariance(graph, &node, 1, &variance, NULL),
                     DUET_OK);
    assert_nearly(variance, 0.01, 1e-12);
    stats_ratio_graph_free(graph);
}

/* The same comparison twice is one of half the variance. */
static void test_repeated_comparisons(void **state)
{
    (void)state;
    const struct stats_ratio ratios[] = {{0, 1, 0.1, 0.02}, {1, 0, -0.3, 0.02}};
    const size_t node = 1;
    double variance = 0;
    struct stats_ratio_graph *graph = graph_of(ratios, 2, 2, 0);
    assert_nearly(stats_ratio_graph_level(graph, 1), 0.2, 1e-12);
    assert_int_equal(stats_ratio_graph_covariance(graph, &node, 1, &variance, NULL),
                     DUET_OK);
    assert_nearly(variance, 0.01, 1e-12);
    stats_ratio_graph_free(graph);
}

static void test_pieces(void **state)
{
    (void)state;
    const struct stats_ratio ratios[] = {
        {4, 2, 0.1, 0.01}, {5, 1, 0.1, 0.01}, {5, 6, 0.1, 0.01}};
    const size_t expected[] = {0, 1, 2, 3, 2, 1, 1};
    const size_t far = 1;
    size_t pieces[7];
    double variance = 0;
    assert_int_equal(stats_ratio_pieces(ratios, 3, 7, pieces, NULL), DUET_OK);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(pieces[i], expected[i]);
    }
    struct stats_ratio_graph *graph = graph_of(ratios, 3, 7, 2);
    assert_nearly(stats_ratio_graph_level(graph, 4), -0.1, 1e-12);
    assert_true(isnan(stats_ratio_graph_level(graph, 1)));
    assert_true(isnan(stats_ratio_graph_level(graph, 0)));
    assert_int_equal(stats_ratio_graph_covariance(graph, &far, 1, &variance, NULL),
                     DUET_E_DOMAIN);
    stats_ratio_graph_free(graph);
}

/* Whatever the reference, differences of levels are the same. */
static void test_the_reference_does_not_matter(void **state)
{
    (void)state;
    enum { NODES = 9 };
    struct stats_ratio ratios[2 * NODES];
    size_t count = 0;
    for (size_t i = 1; i < NODES; i++) {
        ratios[count++] = (struct stats_ratio){i - 1, i, sin((double)i), 0.01};
        ratios[count++] = (struct stats_ratio){i / 2, i, cos((double)i), 0.5};
    }
    struct stats_ratio_graph *first = graph_of(ratios, count, NODES, 0);
    struct stats_ratio_graph *last = graph_of(ratios, count, NODES, NODES - 1);
    for (size_t i = 0; i < NODES; i++) {
        double offset = stats_ratio_graph_level(last, 0);
        assert_true(fabs(stats_ratio_graph_level(first, i) -
                         (stats_ratio_graph_level(last, i) - offset)) < 1e-12);
    }
    stats_ratio_graph_free(first);
    stats_ratio_graph_free(last);
}

static void test_errors(void **state)
{
    (void)state;
    const struct stats_ratio ratios[] = {{0, 1, 0.1, 0.01}, {1, 2, 0.2, 0.01}};
    const struct stats_ratio beyond = {0, 3, 0.1, 0.01};
    const struct stats_ratio certain = {0, 1, 0.1, 0};
    const struct stats_ratio unknown = {0, 1, (double)NAN, 0.1};
    struct stats_ratio_graph *graph = NULL;
    struct duet_error error = {0};
    assert_int_equal(stats_ratio_graph_new(&beyond, 1, 3, 0, &graph, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_ratio_graph_new(&certain, 1, 3, 0, &graph, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_ratio_graph_new(&unknown, 1, 3, 0, &graph, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_ratio_graph_new(ratios, 2, 3, 3, &graph, &error),
                     DUET_E_DOMAIN);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        assert_null(graph);
        alloc_fail_at(n);
        code = stats_ratio_graph_new(ratios, 2, 3, 0, &graph, &error);
        alloc_fail_at(0);
        assert_true(n < 20);
    }
    const size_t node = 1;
    double variance = 0;
    alloc_fail_at(1);
    assert_int_equal(stats_ratio_graph_covariance(graph, &node, 1, &variance, &error),
                     DUET_E_NOMEM);
    alloc_fail_at(0);
    stats_ratio_graph_free(graph);
    stats_ratio_graph_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain_adds_up),
        cmocka_unit_test(test_paths_are_weighed),
        cmocka_unit_test(test_repeated_comparisons),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_the_reference_does_not_matter),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
