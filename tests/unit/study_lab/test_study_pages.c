/* Files with units of studies: exact, whole or refused; and sessions that use them. */
// link: duet_study_simulate
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/lab/study_mark.h"
#include "study/lab/study_pages.h"
#include "study/lab/study_session.h"
#include "support/remove_tree.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNITS = 9, MARK = 77 };
static char folder[64];
static char paths[4][80];
static struct duet_error error;

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/duet-pages-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%c", folder, (char)('a' + i));
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        (void)unlink(paths[i]);
    }
    return rmdir(folder);
}

static struct study_book book_of(uint64_t unit, const double *numbers, size_t count)
{
    struct study_book book;
    assert_int_equal(study_book_init(UNITS, &book, NULL), DUET_OK);
    assert_int_equal(study_book_put(&book, unit, numbers, count, NULL), DUET_OK);
    return book;
}

static void write_unit(const char *path, uint64_t unit, double number)
{
    struct study_book book = book_of(unit, &number, 1);
    assert_int_equal(study_pages_write(path, MARK, &book, &error), DUET_OK);
    study_book_release(&book);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void numbers_come_back_to_the_last_bit(void **state)
{
    (void)state;
    const double numbers[] = {0.0,          -0.0,
                              1.0,          0.1,
                              1.0 / 3.0,    DBL_MAX,
                              DBL_TRUE_MIN, -1e-300,
                              4e15,         9007199254740993.0,
                              1e300,        (double)INFINITY,
                              -2.5,         -3.0};
    size_t count = sizeof numbers / sizeof numbers[0];
    struct study_book book = book_of(8, numbers, count);
    const double nan = (double)NAN;
    assert_int_equal(study_book_put(&book, 0, &nan, 1, NULL), DUET_OK);
    assert_int_equal(study_pages_write(paths[0], MARK, &book, &error), DUET_OK);
    study_book_release(&book);
    assert_int_equal(study_book_init(UNITS, &book, NULL), DUET_OK);
    assert_int_equal(study_pages_read(paths[0], MARK, &book, &error), DUET_OK);
    assert_int_equal(book.known, 2);
    assert_int_equal(study_book_find(&book, 8)->count, count);
    assert_memory_equal(study_book_find(&book, 8)->numbers, numbers, sizeof numbers);
    assert_true(isnan(study_book_find(&book, 0)->numbers[0]));
    /* The same once more is no contradiction, not even where it is no number. */
    assert_int_equal(study_pages_read(paths[0], MARK, &book, &error), DUET_OK);
    study_book_release(&book);
}

static void expect(const char *path, enum duet_code code, const char *message)
{
    struct study_book book;
    assert_int_equal(study_book_init(UNITS, &book, NULL), DUET_OK);
    assert_int_equal(study_pages_collect(path, MARK, &book, &error), code);
    assert_non_null(strstr(error.message, message));
    study_book_release(&book);
}

static void what_is_not_whole_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "duet-study-2",
        "duet-study-2 77 9 10\n",
        "duet-study-2 77 9 1\n",
        "duet-study-2 77 9 1\n9 1 5\nend\n",
        "duet-study-2 77 9 1\n3 0\nend\n",
        "duet-study-2 77 9 1\n3 2 5\nend\n",
        "duet-study-2 77 9 1\n3 1 5x\nend\n",
        "duet-study-2 77 9 1\n3 1 5 6\nend\n",
        "duet-study-2 77 9 1\n3 1 5\n",
        "duet-study-2 77 9 1\n3 1 5\nen",
        "duet-study-2 77 9 1\n-3 1 5\nend\n",
        "duet-study-2 77 9 1\n3 16777217 5\nend\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_text(paths[0], wrong[i]);
        expect(paths[0], DUET_E_FORMAT, "was cut or changed");
    }
    write_text(paths[0], "duet-study-1 77 1\n");
    expect(paths[0], DUET_E_FORMAT, "no units of a study");
    write_text(paths[0], "duet-study-2 78 9 0\nend\n");
    expect(paths[0], DUET_E_USAGE, "belongs to another study");
    write_text(paths[0], "duet-study-2 77 8 0\nend\n");
    expect(paths[0], DUET_E_USAGE, "belongs to another study");
    expect("/nowhere/at/all", DUET_E_NOT_FOUND, "/nowhere/at/all");
    struct study_book book = book_of(0, (const double[]){1.0}, 1);
    assert_int_equal(study_pages_write("/nowhere/at/all", MARK, &book, &error),
                     DUET_E_IO);
    study_book_release(&book);
}

static void a_folder_is_all_of_its_files(void **state)
{
    (void)state;
    char hidden[96];
    struct study_book book;
    (void)snprintf(hidden, sizeof hidden, "%s/.half", folder);
    write_unit(paths[0], 3, 0.25);
    write_unit(paths[1], 4, 0.5);
    write_unit(paths[2], 3, 0.25); /* by somebody else, and the same */
    write_text(hidden, "half");
    assert_int_equal(study_book_init(UNITS, &book, NULL), DUET_OK);
    assert_int_equal(study_pages_collect(folder, MARK, &book, &error), DUET_OK);
    assert_int_equal(book.known, 2);
    study_book_release(&book);
    write_unit(paths[2], 3, 0.26);
    expect(folder, DUET_E_FORMAT, "other numbers for unit 3");
    (void)unlink(hidden);
}

/* Ten links from each of twelve folders to the next: 10^12 ways to the last one. */
static void links_lead_to_a_folder_once(void **state)
{
    (void)state;
    enum { FOLDERS = 12, LINKS = 10 };
    char path[160];
    char target[32];
    struct study_book book;
    (void)unlink(paths[1]); /* those of others contradict it */
    (void)unlink(paths[2]);
    write_unit(paths[0], 3, 0.25);
    for (int i = 0; i < FOLDERS; i++) {
        (void)snprintf(path, sizeof path, "%s/d%d", folder, i);
        assert_int_equal(mkdir(path, 0700), 0);
        for (int link = 0; link < LINKS && i + 1 < FOLDERS; link++) {
            (void)snprintf(path, sizeof path, "%s/d%d/l%d", folder, i, link);
            (void)snprintf(target, sizeof target, "../d%d", i + 1);
            assert_int_equal(symlink(target, path), 0);
        }
    }
    assert_int_equal(study_book_init(UNITS, &book, NULL), DUET_OK);
    assert_int_equal(study_pages_collect(folder, MARK, &book, &error), DUET_OK);
    assert_int_equal(book.known, 1);
    study_book_release(&book);
    for (int i = 0; i < FOLDERS; i++) {
        (void)snprintf(path, sizeof path, "%s/d%d", folder, i);
        assert_int_equal(remove_tree(path), 0);
    }
}

/* ---- Sessions ---- */

static bool yes(void *context, const struct study_progress *progress)
{
    (void)context;
    return progress->done <= progress->planned;
}

static void a_session_takes_and_keeps(void **state)
{
    (void)state;
    struct study_book *book = NULL;
    const char *others[] = {paths[1]};
    const struct study_share share = {
        .resume = paths[0], .paths = others, .path_count = 1, .part = 2, .parts = 3};
    struct study_session session = {.go_on = yes, .share = &share};
    (void)unlink(paths[0]);
    write_unit(paths[1], 4, 0.5);
    assert_int_equal(study_session_begin(&session, UNITS, MARK, &book, &error),
                     DUET_OK);
    assert_int_equal(session.wanted, 3);
    assert_int_equal(book->known, 1);
    const double number = 0.75;
    assert_int_equal(study_book_put(book, 5, &number, 1, NULL), DUET_OK);
    assert_true(study_session_go_on(&session, 0, 1));
    assert_int_equal(study_session_end(&session, DUET_OK, &error), DUET_OK);
    assert_false(study_session_shows(&session, DUET_OK)); /* a part has no answer */
    struct study_book kept;
    assert_int_equal(study_book_init(UNITS, &kept, NULL), DUET_OK);
    assert_int_equal(study_pages_read(paths[0], MARK, &kept, &error), DUET_OK);
    assert_int_equal(kept.known, 2);
    study_book_release(&kept);
}

static void a_session_without_a_share_has_no_book(void **state)
{
    (void)state;
    struct study_book some;
    struct study_book *book = &some;
    struct study_session session = {.go_on = yes};
    assert_int_equal(study_session_begin(&session, UNITS, MARK, &book, &error),
                     DUET_OK);
    assert_null(book);
    assert_true(study_session_go_on(&session, 0, 1));
    assert_int_equal(study_session_end(&session, DUET_E_INTERRUPTED, &error),
                     DUET_E_INTERRUPTED);
    assert_true(study_session_shows(&session, DUET_E_INTERRUPTED));
    assert_false(study_session_shows(&session, DUET_E_FORMAT));
}

static void counting_computes_nothing(void **state)
{
    (void)state;
    struct study_book *book = NULL;
    const struct study_share share = {.counting = true};
    struct study_session session = {.go_on = yes, .share = &share};
    assert_int_equal(study_session_begin(&session, UNITS, MARK, &book, &error),
                     DUET_E_INTERRUPTED);
    assert_int_equal(session.wanted, UNITS);
    assert_false(study_session_shows(&session, DUET_E_INTERRUPTED));
}

static void a_file_that_cannot_be_written_ends_the_study(void **state)
{
    (void)state;
    struct study_book *book = NULL;
    const struct study_share share = {.resume = "/nowhere/at/all"};
    struct study_session session = {.go_on = yes, .share = &share};
    assert_int_equal(study_session_begin(&session, UNITS, MARK, &book, &error),
                     DUET_OK);
    assert_false(study_session_go_on(&session, 0, 1));
    assert_int_equal(study_session_end(&session, DUET_E_INTERRUPTED, &error),
                     DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
}

/* ---- Marks ---- */

static void what_changes_the_numbers_changes_the_mark(void **state)
{
    (void)state;
    struct study_sequential_plan plan = {.confidence = 0.9, .samples = 10, .seed = 1};
    uint64_t mark = study_mark_sequential(&plan);
    plan.threads = 7;
    assert_int_equal(study_mark_sequential(&plan), mark);
    plan.seed = 2;
    assert_int_not_equal(study_mark_sequential(&plan), mark);
    struct study_coverage_plan coverage = {.confidence = 0.9, .samples = 10, .seed = 1};
    mark = study_mark_coverage(&coverage);
    coverage.confidence = 0.95;
    assert_int_not_equal(study_mark_coverage(&coverage), mark);
    double values[] = {1.0, 2.0};
    struct study_series series = {.name = "s", .values = values, .count = 2};
    struct study_stopping_plan stopping = {.statistic_count = 1, .error_count = 1};
    mark = study_mark_stopping(&stopping, &series, 1, 0);
    assert_int_not_equal(study_mark_stopping(&stopping, &series, 1, 1), mark);
    values[1] = 2.5;
    assert_int_not_equal(study_mark_stopping(&stopping, &series, 1, 0), mark);
}

static int compare_marks(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

static void small_whole_numbers_change_the_mark(void **state)
{
    (void)state;
    enum { MOST = 150, MARKS = MOST * MOST };
    static uint64_t marks[MARKS];
    double values[2];
    const struct study_series series = {.name = "s", .values = values, .count = 2};
    const struct study_stopping_plan plan = {.statistic_count = 1, .error_count = 1};
    for (size_t i = 0; i < MARKS; i++) {
        values[0] = 1.0 + (double)(i / MOST);
        values[1] = 1.0 + (double)(i % MOST);
        marks[i] = study_mark_stopping(&plan, &series, 1, 0);
    }
    qsort(marks, MARKS, sizeof *marks, compare_marks);
    for (size_t i = 1; i < MARKS; i++) {
        assert_int_not_equal(marks[i - 1], marks[i]);
    }
}

static void whose_instances_they_are_changes_the_mark(void **state)
{
    (void)state;
    double values[] = {1.0, 2.0, 3.0};
    struct model_trial trials[] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    struct model_instance instances[] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    struct model_configuration configurations[] = {{.first = 0, .count = 1},
                                                   {.first = 1, .count = 2}};
    const struct model_dataset dataset = {.configurations = configurations,
                                          .configuration_count = 2,
                                          .instances = instances,
                                          .instance_count = 3,
                                          .trials = trials,
                                          .trial_count = 3,
                                          .values = values,
                                          .value_count = 3};
    const struct study_variability_plan plan = {.confidence = 0.95};
    uint64_t mark = study_mark_variability(&dataset, &plan);
    configurations[0].count = configurations[1].first = 2;
    configurations[1].count = 1;
    assert_int_not_equal(study_mark_variability(&dataset, &plan), mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_to_the_last_bit),
        cmocka_unit_test(what_is_not_whole_is_refused),
        cmocka_unit_test(a_folder_is_all_of_its_files),
        cmocka_unit_test(links_lead_to_a_folder_once),
        cmocka_unit_test(a_session_takes_and_keeps),
        cmocka_unit_test(a_session_without_a_share_has_no_book),
        cmocka_unit_test(counting_computes_nothing),
        cmocka_unit_test(a_file_that_cannot_be_written_ends_the_study),
        cmocka_unit_test(what_changes_the_numbers_changes_the_mark),
        cmocka_unit_test(small_whole_numbers_change_the_mark),
        cmocka_unit_test(whose_instances_they_are_changes_the_mark),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
