/* Units of studies: dealt to parts, each to one, and put together again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_book.h"
#include "study/study_sequential.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

static void each_unit_is_in_one_part(void **state)
{
    (void)state;
    static const uint64_t parts[] = {1, 2, 3, 7, 100, 150};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        uint64_t owners[100] = {0};
        uint64_t wanted = 0;
        for (uint64_t part = 0; part < parts[p]; part++) {
            struct study_book book;
            assert_int_equal(study_book_init(100, &book, NULL), DUET_OK);
            assert_int_equal(study_book_share(&book, part, parts[p], NULL), DUET_OK);
            for (uint64_t unit = 0; unit < 100; unit++) {
                owners[unit] += study_book_wants(&book, unit) ? 1 : 0;
            }
            /* No part has two units more than another. */
            uint64_t mine = study_book_wanted(&book);
            assert_true(mine == 100 / parts[p] || mine == 100 / parts[p] + 1);
            wanted += mine;
            study_book_release(&book);
        }
        assert_int_equal(wanted, 100);
        for (uint64_t unit = 0; unit < 100; unit++) {
            assert_int_equal(owners[unit], 1);
        }
    }
}

static void neighbours_are_parted(void **state)
{
    (void)state;
    struct study_book book;
    size_t together = 0;
    assert_int_equal(study_book_init(400, &book, NULL), DUET_OK);
    assert_int_equal(study_book_share(&book, 0, 2, NULL), DUET_OK);
    for (uint64_t unit = 1; unit < 400; unit++) {
        together += study_book_wants(&book, unit) == study_book_wants(&book, unit - 1);
    }
    assert_in_range(together, 150, 250); /* as coins fall: neither all nor none */
    study_book_release(&book);
}

static void what_is_put_is_found(void **state)
{
    (void)state;
    struct study_book book;
    const double numbers[] = {3.0, (double)NAN, -0.0};
    const double others[] = {7.5};
    uint64_t whole = 0;
    assert_int_equal(study_book_init(2, &book, NULL), DUET_OK);
    assert_null(study_book_find(&book, 1));
    assert_true(study_book_wants(&book, 1));
    assert_int_equal(study_book_put(&book, 1, numbers, 3, NULL), DUET_OK);
    const struct study_page *page = study_book_find(&book, 1);
    assert_int_equal(page->count, 3);
    assert_memory_equal(page->numbers, numbers, sizeof numbers);
    assert_true(study_page_whole(page, 0, 3, &whole) && whole == 3);
    assert_false(study_page_whole(page, 0, 2, &whole));
    assert_false(study_page_whole(page, 1, 9, &whole));
    assert_true(study_page_whole(page, 2, 9, &whole) && whole == 0);
    assert_false(study_page_whole(page, 3, 9, &whole)); /* there is no fourth */
    assert_int_equal(study_book_put(&book, 1, others, 1, NULL), DUET_OK);
    assert_false(study_page_whole(study_book_find(&book, 1), 0, 9, &whole));
    assert_int_equal(book.known, 1);
    study_book_release(&book);
    /* Nobody has to have a book. */
    assert_null(study_book_find(NULL, 4));
    assert_true(study_book_wants(NULL, 4));
    assert_int_equal(study_book_put(NULL, 4, numbers, 3, NULL), DUET_OK);
}

static void sizes_of_units_follow_from_the_samples(void **state)
{
    (void)state;
    assert_int_equal(study_book_unit_size(10, 64, 4096), 64);
    assert_int_equal(study_book_unit_size(100000, 64, 4096), 391);
    assert_int_equal(study_book_unit_size(100000000, 64, 4096), 4096);
}

static void errors(void **state)
{
    (void)state;
    struct study_book book;
    struct duet_error error;
    assert_int_equal(study_book_init((uint64_t)STUDY_UNITS_MAX + 1, &book, &error),
                     DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "units"));
    assert_int_equal(study_page_wrong(5, &error), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "unit 5"));
    alloc_fail_at(1);
    assert_int_equal(study_book_init(3, &book, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(study_book_init(3, &book, &error), DUET_OK);
    for (unsigned long n = 1; n <= 2; n++) {
        alloc_fail_at(n);
        assert_int_equal(study_book_share(&book, 0, 2, &error), DUET_E_NOMEM);
        alloc_fail_at(0);
    }
    const double number = 1.0;
    alloc_fail_at(1);
    assert_int_equal(study_book_put(&book, 0, &number, 1, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(book.known, 0);
    study_book_release(&book);
}

static struct study_sequential_plan sequential_plan(void)
{
    return (struct study_sequential_plan){.confidence = 0.9,
                                          .effect = 0.01,
                                          .noise = 0.01,
                                          .new_noise = 0.1,
                                          .location = STATS_LOCATION_MEDIAN,
                                          .iterations = 2,
                                          .blocks = 12,
                                          .samples = 1000,
                                          .seed = 5,
                                          .model = STUDY_MODEL_NORMAL};
}

static void same_cell(const struct study_sequential_cell *a,
                      const struct study_sequential_cell *b)
{
    const double left[] = {a->wrong_low,   a->wrong_high,  a->missed_low,
                           a->missed_high, a->runs_median, a->runs_p90};
    const double right[] = {b->wrong_low,   b->wrong_high,  b->missed_low,
                            b->missed_high, b->runs_median, b->runs_p90};
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->wrong, b->wrong);
    assert_int_equal(a->right, b->right);
    assert_int_equal(a->missed, b->missed);
    assert_memory_equal(left, right, sizeof left);
}

/* Parts in any order and with any threads; together they are the study. */
static void parts_of_a_study_are_the_study(void **state)
{
    (void)state;
    struct study_sequential_cell whole[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_cell merged[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = sequential_plan();
    struct study_book all;
    uint64_t units = study_sequential_units(&plan);
    uint64_t samples = 0;
    assert_int_equal(units, 4);
    assert_int_equal(study_sequential_run(&plan, NULL, NULL, whole, NULL), DUET_OK);
    assert_int_equal(study_book_init(units, &all, NULL), DUET_OK);
    for (uint64_t part = 3; part > 0; part--) {
        struct study_book book;
        plan.threads = (int)part;
        plan.book = &book;
        assert_int_equal(study_book_init(units, &book, NULL), DUET_OK);
        assert_int_equal(study_book_share(&book, part - 1, 3, NULL), DUET_OK);
        assert_int_equal(study_sequential_run(&plan, NULL, NULL, merged, NULL),
                         DUET_OK);
        assert_int_equal(book.known, study_book_wanted(&book));
        samples += merged[STUDY_MODEL_NORMAL].samples;
        for (uint64_t unit = 0; unit < units; unit++) {
            const struct study_page *page = study_book_find(&book, unit);
            if (page != NULL) {
                assert_int_equal(
                    study_book_put(&all, unit, page->numbers, page->count, NULL),
                    DUET_OK);
            }
        }
        study_book_release(&book);
    }
    assert_int_equal(samples, plan.samples);
    plan.book = &all;
    assert_int_equal(study_book_share(&all, 1, 1000000, NULL),
                     DUET_OK); /* none is left */
    assert_int_equal(study_sequential_run(&plan, NULL, NULL, merged, NULL), DUET_OK);
    same_cell(&whole[STUDY_MODEL_NORMAL], &merged[STUDY_MODEL_NORMAL]);
    study_book_release(&all);
}

/* A file may hold anything; nothing of it is believed that cannot be. */
static void numbers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const double wrong[][6] = {
        {1, 2, 3},           {1000, 0, 0, 0, 3},   {1001, 0, 0, 0, 3, 1},
        {-1, 0, 0, 0, 3, 1}, {10, 0, 0, 0, 25, 1}, {10, 0, 0, 0, 2.5, 1}};
    static const size_t counts[] = {3, 5, 6, 6, 6, 6};
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = sequential_plan();
    struct duet_error error;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct study_book book;
        assert_int_equal(study_book_init(4, &book, NULL), DUET_OK);
        assert_int_equal(study_book_put(&book, 2, wrong[i], counts[i], NULL), DUET_OK);
        plan.book = &book;
        assert_int_equal(study_sequential_run(&plan, NULL, NULL, cells, &error),
                         DUET_E_FORMAT);
        assert_non_null(strstr(error.message, "unit 2"));
        study_book_release(&book);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_is_in_one_part),
        cmocka_unit_test(neighbours_are_parted),
        cmocka_unit_test(what_is_put_is_found),
        cmocka_unit_test(sizes_of_units_follow_from_the_samples),
        cmocka_unit_test(errors),
        cmocka_unit_test(parts_of_a_study_are_the_study),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
