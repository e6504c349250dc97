// labels: soakvalgrind
/* Bisection: it finds the step, is wrong no more often than it says, and keeps to what
 * it is told. BISECT_HISTORIES in the environment: of each simulated case; 200. */
#include "base/random.h"
#include "stats/sequential/bisect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/alloc_fail.h"
#include "support/trials.h"

static const struct stats_bisect_options usual = {
    .alpha = 0.01, .threshold = 0.5, .eta = 0.2};

static struct stats_bisect *bisect_of(size_t last)
{
    struct stats_bisect *bisect = NULL;
    assert_int_equal(stats_bisect_new(last, &usual, &bisect, NULL), DUET_OK);
    return bisect;
}

/* About normal: twelve uniform ones. */
static double normal(struct random_stream *stream)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        sum += random_uniform(stream);
    }
    return sum - 6;
}

struct tally {
    size_t right;
    size_t wrong;
    size_t none;
    size_t open;
    size_t blocks;
    size_t builds;
};

struct course {
    size_t last;
    size_t step; /* the first slow commit */
    double size; /* of the step, in standard deviations of a block */
    double wide; /* of the noise of slow commits, beside that of fast ones */
    size_t blocks_max;
};

static void search_one(const struct course *course, struct random_stream *stream,
                       struct tally *tally)
{
    struct stats_bisect *bisect = bisect_of(course->last);
    size_t at = stats_bisect_next(bisect, 0);
    size_t before = 0;
    while (at != 0 && stats_bisect_blocks(bisect) < course->blocks_max) {
        bool slow = at >= course->step;
        double block =
            (slow ? course->size : 0) + normal(stream) * (slow ? course->wide : 1);
        assert_int_equal(stats_bisect_add(bisect, at, block, NULL), DUET_OK);
        tally->builds += at != before;
        before = at;
        at = stats_bisect_next(bisect, at);
    }
    struct stats_bisect_left left = stats_bisect_left(bisect);
    tally->blocks += stats_bisect_blocks(bisect);
    tally->right += left.outcome == STATS_BISECT_ONE && left.first == course->step;
    tally->wrong += left.outcome == STATS_BISECT_ONE && left.first != course->step;
    tally->none += left.outcome == STATS_BISECT_NONE;
    tally->open += left.outcome == STATS_BISECT_OPEN;
    stats_bisect_free(bisect);
}

static size_t histories(void)
{
    const char *asked = getenv("BISECT_HISTORIES");
    return asked != NULL ? strtoul(asked, NULL, 10) : TRIALS_OF(200);
}

/* The most that chance gives of `trials` with probability 0.005, where `share` is
 * meant: by the normal approximation, generously. */
static double most_by_chance(size_t trials, double share)
{
    double mean = (double)trials * share;
    return mean + 3.5 * sqrt(mean) + 3;
}

static void it_is_right_as_often_as_it_says(void **state)
{
    (void)state;
    static const struct course courses[] = {
        {16, 5, 1, 1, 20000},  {128, 100, 1, 1, 20000},  {1000, 333, 1, 1, 20000},
        {64, 1, 1, 1, 20000},  {64, 64, 1, 1, 20000},    {64, 20, 3, 1, 20000},
        {64, 20, 1, 2, 20000}, {64, 20, 1, 0.25, 20000}, {64, 40, 0.5, 1, 2000},
    };
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        const struct course *course = &courses[i];
        size_t count = histories();
        struct tally tally = {0};
        for (size_t h = 0; h < count; h++) {
            struct random_stream stream = random_stream_at(i + 1, h);
            search_one(course, &stream, &tally);
        }
        printf(
            "n %4zu, step %4zu of %.2f sd, noise %.2f: right %zu, wrong %zu, none %zu, "
            "open %zu of %zu; blocks %.0f, changes of commit %.1f\n",
            course->last, course->step, course->size, course->wide, tally.right,
            tally.wrong, tally.none, tally.open, count,
            (double)tally.blocks / (double)count, (double)tally.builds / (double)count);
        assert_true((double)(tally.wrong + tally.none) <=
                    most_by_chance(count, usual.alpha / 2));
        /* A step of no more than the threshold need not be found. */
        assert_true(course->size < 0.75 || tally.open == 0);
    }
}

static void skipped_commits_make_a_group(void **state)
{
    (void)state;
    struct stats_bisect *bisect = bisect_of(8);
    stats_bisect_skip(bisect, 4);
    stats_bisect_skip(bisect, 5);
    for (size_t at = stats_bisect_next(bisect, 0); at != 0;
         at = stats_bisect_next(bisect, at)) {
        assert_true(at != 4 && at != 5);
        double wobble = stats_bisect_blocks(bisect) % 2 == 0 ? 0.1 : -0.1;
        assert_int_equal(stats_bisect_add(bisect, at, (at >= 5 ? 1 : 0) + wobble, NULL),
                         DUET_OK);
    }
    struct stats_bisect_left left = stats_bisect_left(bisect);
    assert_int_equal(left.outcome, STATS_BISECT_GROUP);
    assert_int_equal(left.first, 4);
    assert_int_equal(left.last, 6);
    assert_int_equal(left.count, 3);
    stats_bisect_free(bisect);
}

static void weights_add_up(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(7, 0);
    struct stats_bisect *bisect = bisect_of(50);
    for (int i = 0; i < 300; i++) {
        double sum = 0;
        for (size_t b = 1; b <= 50; b++) {
            sum += stats_bisect_weight(bisect, b);
        }
        size_t at = 1 + random_below(&stream, 49);
        assert_true(fabs(sum - 1) < 1e-9);
        double block = (at >= 30 ? 1 : 0) + normal(&stream);
        assert_int_equal(stats_bisect_add(bisect, at, block, NULL), DUET_OK);
        if (stats_bisect_left(bisect).count == 0) {
            break;
        }
    }
    stats_bisect_free(bisect);
}

/* By its definition from the weights; at first all n are equally likely. */
static void bits_that_are_not_known(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(8, 0);
    struct stats_bisect *bisect = bisect_of(64);
    assert_true(fabs(stats_bisect_entropy_bits(bisect) - 6) < 1e-12);
    while (stats_bisect_left(bisect).count > 1) {
        size_t at = stats_bisect_next(bisect, 0);
        double block = (at >= 30 ? 1 : 0) + normal(&stream) / 4;
        double nats = 0;
        assert_int_equal(stats_bisect_add(bisect, at, block, NULL), DUET_OK);
        for (size_t b = 1; b <= 64; b++) {
            double weight = stats_bisect_weight(bisect, b);
            nats -= weight > 0 ? weight * log(weight) : 0;
        }
        assert_true(fabs(stats_bisect_entropy_bits(bisect) - nats / log(2)) < 1e-12);
    }
    assert_int_equal(stats_bisect_left(bisect).first, 30);
    assert_true(fabs(stats_bisect_entropy_bits(bisect)) < 1e-12);
    stats_bisect_free(bisect);
    bisect = bisect_of(1);
    assert_true(fabs(stats_bisect_entropy_bits(bisect)) < 1e-12);
    stats_bisect_free(bisect);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    struct stats_bisect *bisect = NULL;
    struct duet_error error;
    struct stats_bisect_options bad = usual;
    assert_int_equal(stats_bisect_new(0, &usual, &bisect, &error), DUET_E_DOMAIN);
    bad.alpha = 0;
    assert_int_equal(stats_bisect_new(4, &bad, &bisect, &error), DUET_E_DOMAIN);
    bad = usual;
    bad.threshold = 0;
    assert_int_equal(stats_bisect_new(4, &bad, &bisect, &error), DUET_E_DOMAIN);
    bad = usual;
    bad.eta = 0.6;
    assert_int_equal(stats_bisect_new(4, &bad, &bisect, &error), DUET_E_DOMAIN);
    bisect = bisect_of(4);
    assert_int_equal(stats_bisect_add(bisect, 0, 1, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_bisect_add(bisect, 4, 1, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_bisect_add(bisect, 2, (double)NAN, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_bisect_blocks(bisect), 0);
    stats_bisect_free(bisect);
    bisect = bisect_of(1); /* only one candidate: nothing to ask */
    assert_int_equal(stats_bisect_left(bisect).outcome, STATS_BISECT_ONE);
    assert_int_equal(stats_bisect_next(bisect, 0), 0);
    stats_bisect_free(bisect);
    stats_bisect_free(NULL);
}

static void short_memory_changes_nothing(void **state)
{
    (void)state;
    struct stats_bisect *bisect = NULL;
    for (unsigned long n = 1; n <= 5; n++) {
        alloc_fail_at(n);
        assert_int_equal(stats_bisect_new(4, &usual, &bisect, NULL), DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    bisect = bisect_of(4);
    assert_int_equal(stats_bisect_add(bisect, 2, 1, NULL), DUET_OK);
    double before = stats_bisect_weight(bisect, 1);
    alloc_fail_at(1);
    assert_int_equal(stats_bisect_add(bisect, 2, 1, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_true(!(stats_bisect_weight(bisect, 1) < before) &&
                !(stats_bisect_weight(bisect, 1) > before));
    assert_int_equal(stats_bisect_blocks(bisect), 1);
    stats_bisect_free(bisect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_right_as_often_as_it_says),
        cmocka_unit_test(skipped_commits_make_a_group),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(bits_that_are_not_known),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(short_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
