#include "stats/bootstrap/blocklength.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

enum { SERIES_MAX = 2000, ROW_MAX = 512, PATH_SIZE = 512 };

static const char *shared_folder(void)
{
    const char *named = getenv("DUET_SHARED");
    return named != NULL ? named : TEST_SOURCE_DIR "/../../shared";
}

static FILE *open_shared(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s%s", shared_folder(), folder, name);
    return fopen(path, "r");
}

static size_t read_series(const char *name, double *values)
{
    char row[ROW_MAX];
    size_t count = 0;
    FILE *file = open_shared("data/metior/", name);
    assert_non_null(file);
    while (count < SERIES_MAX && fgets(row, sizeof row, file) != NULL) {
        values[count++] = strtod(row, NULL);
    }
    (void)fclose(file);
    return count;
}

/* The columns of what the arch package answered, as numbers. */
static void check_row(char *row)
{
    static double values[SERIES_MAX];
    char *rest = NULL;
    const char *name = strtok_r(row, ",", &rest);
    double columns[5];
    for (size_t i = 0; i < 5; i++) {
        const char *word = strtok_r(NULL, ",", &rest);
        assert_non_null(word);
        columns[i] = strtod(word, NULL);
    }
    size_t count = read_series(name, values);
    assert_true(count == (size_t)columns[0]);
    struct stats_block_lengths lengths = {0};
    assert_int_equal(stats_block_lengths_estimate(values, count, &lengths, NULL),
                     DUET_OK);
    assert_nearly(lengths.stationary, columns[3], 1e-7);
    assert_nearly(lengths.circular, columns[4], 1e-7);
}

static void test_measured_series_as_arch(void **state)
{
    (void)state;
    char row[ROW_MAX];
    FILE *table = open_shared("oracle/", "block_length.csv");
    if (table == NULL) {
        printf("SKIP: shared data is not at %s\n", shared_folder());
        skip();
        return;
    }
    int rows = 0;
    assert_non_null(fgets(row, sizeof row, table)); /* the names of the columns */
    while (fgets(row, sizeof row, table) != NULL) {
        check_row(row);
        rows++;
    }
    (void)fclose(table);
    assert_true(rows > 0);
}

static void fill(double *values, size_t count, double scale, double shift)
{
    double last = 0.0;
    for (size_t i = 0; i < count; i++) {
        last = 0.8 * last + sin(37.0 * (double)i * (double)i);
        values[i] = scale * last + shift;
    }
}

static void test_neither_scale_nor_shift_matters(void **state)
{
    (void)state;
    double values[300];
    struct stats_block_lengths plain = {0};
    struct stats_block_lengths other = {0};
    fill(values, 300, 1.0, 0.0);
    assert_int_equal(stats_block_lengths_estimate(values, 300, &plain, NULL), DUET_OK);
    assert_true(plain.stationary > 1.0 && plain.circular > plain.stationary);
    fill(values, 300, -1e-6, 1.0);
    assert_int_equal(stats_block_lengths_estimate(values, 300, &other, NULL), DUET_OK);
    assert_nearly(other.stationary, plain.stationary, 1e-6);
    assert_nearly(other.circular, plain.circular, 1e-6);
}

static void test_edges(void **state)
{
    (void)state;
    double values[20];
    struct stats_block_lengths lengths = {42, 42, 0};
    fill(values, 20, 1.0, 0.0);
    assert_int_equal(stats_block_lengths_estimate(values, 10, &lengths, NULL),
                     DUET_E_TOO_FEW);
    values[3] = (double)NAN;
    assert_int_equal(stats_block_lengths_estimate(values, 20, &lengths, NULL),
                     DUET_E_DOMAIN);
    values[3] = 0.0;
    for (unsigned long nth = 1; nth <= 2; nth++) {
        alloc_fail_at(nth);
        assert_int_equal(stats_block_lengths_estimate(values, 20, &lengths, NULL),
                         DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    assert_true(lengths.stationary == 42);
    for (size_t i = 0; i < 20; i++) {
        values[i] = 3.0;
    }
    assert_int_equal(stats_block_lengths_estimate(values, 20, &lengths, NULL), DUET_OK);
    assert_true(lengths.stationary == 1.0 && lengths.circular == 1.0);
    fill(values, 11, 1.0, 0.0);
    assert_int_equal(stats_block_lengths_estimate(values, 11, &lengths, NULL), DUET_OK);
    assert_true(isfinite(lengths.stationary) && lengths.circular <= 4.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_series_as_arch),
        cmocka_unit_test(test_neither_scale_nor_shift_matters),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
