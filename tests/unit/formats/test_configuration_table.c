/* Tables of configurations: what is taken, and every mistake with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/configuration_table.h"
#include "support/alloc_fail.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER TEST_BINARY_DIR "/"
static const char path[] = FOLDER "configurations.csv";

static void write_file(const char *file, const char *text)
{
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static enum duet_code read_text(const char *text,
                                struct formats_configuration_table *table,
                                struct duet_error *error)
{
    write_file(path, text);
    return formats_configuration_table_read(path, table, error);
}

static void test_values(void **state)
{
    (void)state;
    struct formats_configuration_table table;
    assert_int_equal(read_text("# machines\n"
                               "cores;Configuration;values;benchmark;vms;truth\n"
                               "2;small;\"1.5 2;3\";ft;1;\n"
                               "# one left out\n"
                               "4; large ;5;ft;2;4.5\n",
                               &table, NULL),
                     DUET_OK);
    assert_int_equal(table.count, 2);
    assert_int_equal(table.features, 2);
    assert_string_equal(table.rows[0].name, "small");
    assert_string_equal(table.rows[0].benchmark, "ft");
    assert_int_equal(table.rows[0].count, 3);
    assert_true(table.rows[0].values[1] == 2.0 && table.rows[0].values[2] == 3.0);
    assert_true(isnan(table.rows[0].truth));
    assert_int_equal(table.rows[0].test_points, 0);
    assert_string_equal(table.rows[1].name, "large");
    assert_true(table.rows[1].features[0] == 4.0 && table.rows[1].features[1] == 2.0);
    assert_true(table.rows[1].truth == 4.5);
    formats_configuration_table_release(&table);
    formats_configuration_table_release(&table);
}

static void test_series_beside_the_table(void **state)
{
    (void)state;
    struct formats_configuration_table table;
    write_file(FOLDER "configuration-series.txt", "3\n4\n5\n");
    assert_int_equal(read_text("configuration,series,test_points,cores\n"
                               "one,configuration-series.txt,2,1\n"
                               "two," FOLDER "configuration-series.txt,,8\n",
                               &table, NULL),
                     DUET_OK);
    assert_int_equal(table.count, 2);
    assert_string_equal(table.rows[0].benchmark, "-");
    assert_int_equal(table.rows[0].test_points, 2);
    assert_int_equal(table.rows[1].test_points, 0);
    assert_int_equal(table.rows[1].count, 3);
    assert_true(table.rows[1].values[2] == 5.0);
    formats_configuration_table_release(&table);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"cores,values\n1,2\n", "configurations.csv:1:1: no column is called"},
        {"configuration,cores\na,2\n", ":1:1: one column must be called"},
        {"configuration,series,values,cores\n", ":1:1: one column must be called"},
        {"configuration,values\na,2\n", ":1:1: no column is left"},
        {"configuration,values,values,c\n", ":1:22: a second column"},
        {"configuration,values,c\na,1 2,x\n", ":2:7: a feature must be a number"},
        {"configuration,values,c\na,1 2\n", ":2:1: a row has as many fields"},
        {"configuration,values,c\na,1 b 2,3\n", ":2:3: values are numbers"},
        {"configuration,values,c\na,1 -1,3\n", ":2:3: a measurement is not above 0"},
        {"configuration,values,c\na,,3\n", ":2:3: there is no measurement"},
        {"configuration,values,c\n,1,3\n", ":2:1: a name is missing"},
        {"configuration,values,c\na,1,3\na,2,4\n", ":3:1: this configuration is there"},
        {"configuration,values,c,truth\na,1,3,-2\n", ":2:7: truth must be"},
        {"configuration,values,c,test_points\na,1,3,0\n", ":2:7: test_points must be"},
        {"configuration,series,c\na,not-there.txt,3\n", ":2:3: cannot read"},
        {"configuration,series,c\na,.,3\n", ":2:3: cannot read"},
        {"configuration,series,c\na,configuration-pipe,3\n", "not a regular file"},
        {"configuration,series,c\na,/dev/stdin,3\n", "not a regular file"},
        {"configuration,values,c\n", "holds no configuration"},
        {"configuration,values,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q\n", "more than 16"},
    };
    int ends[2]; /* as standard input it would be waited for */
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    int before = dup(STDIN_FILENO);
    assert_true(before >= 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    (void)unlink(FOLDER "configuration-pipe");
    assert_int_equal(mkfifo(FOLDER "configuration-pipe", 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formats_configuration_table table = {.count = 77};
        struct duet_error error = {0};
        assert_int_not_equal(read_text(cases[i].text, &table, &error), DUET_OK);
        if (strstr(error.message, cases[i].message) == NULL) {
            fail_msg("'%s' lacks '%s'", error.message, cases[i].message);
        }
        assert_int_equal(table.count, 77);
    }
    assert_true(dup2(before, STDIN_FILENO) == STDIN_FILENO);
    (void)close(before);
    (void)close(ends[0]);
    (void)close(ends[1]);
    struct formats_configuration_table table;
    assert_int_equal(formats_configuration_table_read("nowhere.csv", &table, NULL),
                     DUET_E_NOT_FOUND);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct formats_configuration_table table;
    enum duet_code code = DUET_E_NOMEM;
    write_file(FOLDER "configuration-series.txt", "3\n4\n5\n");
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        write_file(path, "configuration,series,c\na,configuration-series.txt,2\n");
        alloc_fail_at(n);
        code = formats_configuration_table_read(path, &table, NULL);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    formats_configuration_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_series_beside_the_table),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
