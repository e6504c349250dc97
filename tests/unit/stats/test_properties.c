// labels: soakvalgrind
// link: duet_stats_subjects
/* Every statistic, interval and test × scale, shift, order, threads, duplicates, one
 * value, two values, constant data, NaN, infinity, zero, negative values: an answer
 * that is what it must be, or a clear error that leaves the results alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/threads.h"
#include "support/stats_subjects.h"
#include "support/use_threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    COUNT = 16,
    REPLICATES = 200,
    CASES = 5,
    /* Enough draws for threads to start, and values for two sorts side by side. */
    MANY_VALUES = 1024,
    MANY_REPLICATES = 1100
};

static const double untouched = -0x1.23456789p77;

struct answer {
    enum duet_code code;
    double results[SUBJECT_RESULTS_MAX];
    size_t count;
};

static struct answer ask_many(const struct subject *subject, const double *values,
                              size_t count, size_t replicates)
{
    struct answer answer = {0};
    struct duet_error error = {0};
    const struct subject_call call = {values, count, replicates};
    for (size_t i = 0; i < SUBJECT_RESULTS_MAX; i++) {
        answer.results[i] = untouched;
    }
    answer.code = subject->ask(subject, &call, answer.results, &answer.count, &error);
    assert_true(answer.count >= 1 && answer.count <= SUBJECT_RESULTS_MAX);
    for (size_t i = 0; i < answer.count; i++) {
        double result = answer.results[i];
        bool defined = answer.code == DUET_OK ? isfinite(result) && result != untouched
                                              : result == untouched;
        if (!defined) {
            fail_msg("%s of %zu values: result %zu is %g, code %d", subject->name,
                     count, i, result, (int)answer.code);
        }
    }
    if (answer.code != DUET_OK) {
        /* What is wrong is one of the two that a caller can tell a user. */
        assert_true(answer.code == DUET_E_DOMAIN || answer.code == DUET_E_TOO_FEW);
        assert_int_equal(error.code, answer.code);
        assert_true(strlen(error.message) > 20);
    }
    return answer;
}

static struct answer ask(const struct subject *subject, const double *values,
                         size_t count)
{
    return ask_many(subject, values, count, REPLICATES);
}

static struct answer must(const struct subject *subject, const double *values,
                          size_t count)
{
    struct answer answer = ask(subject, values, count);
    if (answer.code != DUET_OK) {
        fail_msg("%s refuses %zu values (%d)", subject->name, count, (int)answer.code);
    }
    return answer;
}

/* Positive values, all different, neither sorted nor symmetric. */
static void fill(double *values, size_t count, uint64_t which)
{
    struct random_stream stream = random_stream_at(20200420, which);
    for (size_t i = 0; i < count; i++) {
        values[i] = 10.0 * exp(random_uniform(&stream)) + (double)(i % 3);
    }
}

static void expect(const struct subject *subject, const char *what, double got,
                   double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance)) {
        fail_msg("%s, %s: got %.17g, expected %.17g", subject->name, what, got,
                 expected);
    }
}

static double largest_of(const double *values, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* The results after the values were multiplied by `factor` and moved by `shift`. */
static void check_moved(const struct subject *subject, const char *what,
                        const double *values, size_t count, double factor, double shift)
{
    double moved[2 * COUNT];
    for (size_t i = 0; i < count; i++) {
        moved[i] = values[i] * factor + shift;
    }
    struct answer before = must(subject, values, count);
    struct answer after = must(subject, moved, count);
    for (size_t i = 0; i < before.count; i++) {
        double stretch = subject->kind == SUBJECT_SHARE ? 1.0 : factor;
        double move = subject->kind == SUBJECT_PLACE ? shift : 0.0;
        double expected = before.results[i] * stretch + move;
        double tolerance = subject->kind == SUBJECT_SHARE
                               ? 1e-10 * (1.0 + fabs(expected))
                               : 1e-12 * (largest_of(moved, count) + fabs(expected));
        expect(subject, what, after.results[i], expected, tolerance);
    }
}

static void test_scale(void **state)
{
    (void)state;
    const double factors[] = {8.0, 0.3, 0x1p-900, 0x1p900, 1e-290, 1e290};
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
            fill(values, COUNT, f);
            check_moved(&subjects[s], "scaled", values, COUNT, factors[f], 0.0);
        }
    }
}

static void test_shift(void **state)
{
    (void)state;
    const double shifts[] = {1.0, 1000.0};
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        for (size_t i = 0; i < 2; i++) {
            fill(values, COUNT, i);
            if (subject->kind == SUBJECT_GEOMETRIC || subject->no_shift) {
                for (size_t j = 0; j < COUNT; j++) {
                    values[j] += shifts[i];
                }
                (void)must(subject, values, COUNT);
            } else {
                check_moved(subject, "shifted", values, COUNT, 1.0, shifts[i]);
            }
        }
    }
}

static void test_order(void **state)
{
    (void)state;
    double values[COUNT];
    double other[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        for (uint64_t which = 0; which < CASES; which++) {
            size_t places[COUNT];
            struct random_stream stream = random_stream_at(5, which);
            fill(values, COUNT, which);
            for (size_t i = 0; i < COUNT; i++) {
                places[i] = i;
            }
            random_shuffle(&stream, places, COUNT);
            for (size_t i = 0; i < COUNT; i++) {
                other[i] = values[places[i]];
            }
            struct answer before = must(subject, values, COUNT);
            struct answer after = must(subject, other, COUNT);
            for (size_t i = 0; i < before.count && subject->order != SUBJECT_ORDERED;
                 i++) {
                /* Other resamples of the same values: ends move by a share of the
                 * width, the estimate (the third result) does not. */
                double width = before.results[1] - before.results[0];
                bool sampled = subject->order == SUBJECT_SAMPLED && i < 2;
                expect(subject, "in another order", after.results[i], before.results[i],
                       sampled ? 0.7 * width : 1e-13 * fabs(before.results[i]) + 1e-15);
            }
        }
    }
}

static void test_threads(void **state)
{
    (void)state;
    static double values[MANY_VALUES];
    const int threads[] = {2, 3, 7};
    int before = threads_usual();
    fill(values, MANY_VALUES, 1);
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        size_t count = subject->threads ? MANY_VALUES : COUNT;
        size_t replicates = subject->threads ? MANY_REPLICATES : REPLICATES;
        use_threads(1);
        struct answer alone = ask_many(subject, values, count, replicates);
        assert_int_equal(alone.code, DUET_OK);
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            use_threads(threads[t]);
            struct answer together = ask_many(subject, values, count, replicates);
            assert_int_equal(together.count, alone.count);
            assert_memory_equal(together.results, alone.results, sizeof alone.results);
        }
    }
    use_threads(before);
}

/* Each value twice, one directly after the other, and all values tied in pairs. */
static void test_duplicates(void **state)
{
    (void)state;
    double values[COUNT];
    double twice[2 * COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        for (uint64_t which = 0; which < CASES; which++) {
            fill(values, COUNT, which);
            for (size_t i = 0; i < (size_t)2 * COUNT; i++) {
                twice[i] = values[i / 2];
            }
            struct answer once = must(subject, values, COUNT);
            struct answer both = must(subject, twice, (size_t)2 * COUNT);
            for (size_t i = 0; i < once.count && subject->same_twice; i++) {
                expect(subject, "each value twice", both.results[i], once.results[i],
                       1e-13 * fabs(once.results[i]));
            }
        }
    }
}

static void test_few_values(void **state)
{
    (void)state;
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        fill(values, COUNT, s);
        for (size_t count = 0; count < COUNT; count++) {
            struct answer answer = ask(subject, values, count);
            bool enough = count >= subject->fewest;
            /* A resample of very few values may have no spread, or lie on one side of
             * the estimate altogether, which is said. */
            bool may_fail = subject->order == SUBJECT_SAMPLED && count < 8;
            if (!enough) {
                assert_int_equal(answer.code, DUET_E_TOO_FEW);
            } else if (answer.code != DUET_OK && !may_fail) {
                fail_msg("%s refuses %zu values", subject->name, count);
            }
        }
        if (subject->fewest == 1) {
            struct answer one = must(subject, values, 1);
            if (subject->kind == SUBJECT_PLACE || subject->kind == SUBJECT_GEOMETRIC) {
                expect(subject, "one value", one.results[0], values[0],
                       1e-13 * values[0]);
            }
        }
    }
}

static void test_constant(void **state)
{
    (void)state;
    const double constants[] = {3.7, 1e-300, 1e300};
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        for (size_t c = 0; c < sizeof constants / sizeof constants[0]; c++) {
            for (size_t i = 0; i < COUNT; i++) {
                values[i] = constants[c];
            }
            struct answer answer = ask(subject, values, COUNT);
            if (subject->no_constant) {
                assert_int_equal(answer.code, DUET_E_DOMAIN);
                continue;
            }
            if (subject->no_spread) {
                assert_int_equal(answer.code, DUET_E_TOO_FEW);
                continue;
            }
            assert_int_equal(answer.code, DUET_OK);
            bool place =
                subject->kind == SUBJECT_PLACE || subject->kind == SUBJECT_GEOMETRIC;
            double expected = place ? constants[c]
                              : subject->kind == SUBJECT_WIDTH && !subject->no_shift
                                  ? 0.0
                                  : answer.results[0];
            for (size_t i = 0; i < answer.count && subject->kind != SUBJECT_SHARE;
                 i++) {
                expect(subject, "constant data", answer.results[i],
                       subject->no_shift ? answer.results[i] : expected,
                       1e-12 * constants[c]);
            }
        }
    }
}

/* Wherever it stands. */
static void check_refused(double bad, bool (*concerned)(const struct subject *))
{
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        const size_t places[] = {0, 7, COUNT - 1};
        for (size_t p = 0; p < 3 && concerned(subject); p++) {
            fill(values, COUNT, s);
            values[places[p]] = bad;
            struct answer answer = ask(subject, values, COUNT);
            if (answer.code != DUET_E_DOMAIN) {
                fail_msg("%s takes %g at %zu (%d)", subject->name, bad, places[p],
                         (int)answer.code);
            }
        }
    }
}

static bool every(const struct subject *subject)
{
    (void)subject;
    return true;
}

static bool wants_positive(const struct subject *subject)
{
    return subject->positive;
}

static void test_not_a_number(void **state)
{
    (void)state;
    check_refused((double)NAN, every);
    check_refused(-(double)NAN, every);
}

static void test_infinity(void **state)
{
    (void)state;
    check_refused((double)INFINITY, every);
    check_refused(-(double)INFINITY, every);
}

static void test_zero_and_negative(void **state)
{
    (void)state;
    double values[COUNT];
    check_refused(0.0, wants_positive);
    check_refused(-0.0, wants_positive);
    check_refused(-1.0, wants_positive);
    for (size_t s = 0; s < subjects_count; s++) {
        const struct subject *subject = &subjects[s];
        if (subject->positive) {
            continue;
        }
        fill(values, COUNT, s);
        values[3] = 0.0;
        values[4] = -0.0;
        values[5] = -values[5];
        (void)must(subject, values, COUNT);
        /* All of them turned: answered, or refused for a mean of 0 or the like. */
        for (size_t i = 0; i < COUNT; i++) {
            values[i] = -values[i];
        }
        (void)ask(subject, values, COUNT);
        memset(values, 0, sizeof values);
        (void)ask(subject, values, COUNT);
    }
}

/* The largest numbers there are: the sum of two of them is infinite. */
static void test_largest_numbers(void **state)
{
    (void)state;
    double values[COUNT];
    for (size_t s = 0; s < subjects_count; s++) {
        for (int sign = 0; sign < 2; sign++) {
            fill(values, COUNT, s);
            for (size_t i = 0; i < COUNT; i++) {
                values[i] *= DBL_MAX / 32.0 * (sign == 1 && i % 2 == 1 ? -1.0 : 1.0);
            }
            (void)ask(&subjects[s], values, COUNT);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_infinity),
        cmocka_unit_test(test_zero_and_negative),
        cmocka_unit_test(test_largest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
