/* Which of many commits are named as the likeliest. */
#include "session/git/bisect_likely.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#include <cmocka.h>

enum { COMMITS_MAX = 200 };

static double weights[COMMITS_MAX];
static size_t likely[BISECT_LIKELY_MAX];
static struct random_stream stream;

static double evenly(size_t b)
{
    (void)b;
    return 1;
}

static double later_ones(size_t b)
{
    return (double)b;
}

static double last_most(size_t b)
{
    return b == COMMITS_MAX - 1 ? 2 : 1;
}

static double hundredth(size_t b)
{
    return b == 100 ? 1000 : 1;
}

static struct bisect_result result_of(size_t count)
{
    return (struct bisect_result){
        .history.count = COMMITS_MAX, .weights = weights, .count = count};
}

/* Candidates from `first` to `last` are left, each with its weight; how many of them
 * are likely. */
static size_t likely_of(size_t first, size_t last, double (*weight)(size_t b))
{
    double sum = 0;
    memset(weights, 0, sizeof weights);
    for (size_t b = first; b <= last; b++) {
        sum += weights[b] = weight(b);
    }
    for (size_t b = first; b <= last; b++) {
        weights[b] /= sum;
    }
    const struct bisect_result result = result_of(last - first + 1);
    return bisect_likely(&result, likely);
}

static void check_row(size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(likely[i], first + i);
    }
}

static void all_of_a_few(void **state)
{
    (void)state;
    assert_int_equal(likely_of(3, 3, evenly), 1);
    check_row(3, 1);
    assert_int_equal(likely_of(51, 62, later_ones), 12);
    check_row(51, 12);
    /* None is too unlikely. */
    assert_int_equal(likely_of(95, 101, hundredth), 7);
    check_row(95, 7);
    const struct bisect_result none = result_of(0);
    memset(weights, 0, sizeof weights);
    assert_int_equal(bisect_likely(&none, likely), 0);
}

static void the_likeliest_of_many(void **state)
{
    (void)state;
    assert_int_equal(likely_of(51, 70, later_ones), 12);
    check_row(59, 12);
    /* Of equally likely ones the first. */
    assert_int_equal(likely_of(1, COMMITS_MAX - 1, evenly), 12);
    check_row(1, 12);
    assert_int_equal(likely_of(1, COMMITS_MAX - 1, last_most), 12);
    check_row(1, 11);
    assert_int_equal(likely[11], COMMITS_MAX - 1);
    /* What is far behind is not worth a line. */
    assert_int_equal(likely_of(1, COMMITS_MAX - 1, hundredth), 1);
    assert_int_equal(likely[0], 100);
}

/* The likelier one first, of equally likely ones the first in history. */
static int by_weight(const void *a, const void *b)
{
    size_t one = *(const size_t *)a;
    size_t other = *(const size_t *)b;
    if (weights[one] < weights[other] || weights[one] > weights[other]) {
        return weights[one] > weights[other] ? -1 : 1;
    }
    return one < other ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    size_t one = *(const size_t *)a;
    size_t other = *(const size_t *)b;
    return (one > other) - (one < other);
}

static double few_values(size_t b)
{
    (void)b;
    return random_below(&stream, 9);
}

/* Against sorting all of them. */
static void random_weights_with_ties(void **state)
{
    (void)state;
    stream = random_stream_at(1, 0);
    for (int trial = 0; trial < 1000; trial++) {
        size_t sorted[COMMITS_MAX - 1];
        size_t count = likely_of(1, COMMITS_MAX - 1, few_values);
        for (size_t i = 0; i < COMMITS_MAX - 1; i++) {
            sorted[i] = i + 1;
        }
        qsort(sorted, COMMITS_MAX - 1, sizeof *sorted, by_weight);
        size_t expected = 0;
        while (expected < BISECT_LIKELY_MAX &&
               weights[sorted[expected]] >= 1.0 / (4 * (COMMITS_MAX - 1))) {
            expected++;
        }
        qsort(sorted, expected, sizeof *sorted, by_place);
        assert_int_equal(count, expected);
        assert_memory_equal(likely, sorted, expected * sizeof *sorted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_few),
        cmocka_unit_test(the_likeliest_of_many),
        cmocka_unit_test(random_weights_with_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
