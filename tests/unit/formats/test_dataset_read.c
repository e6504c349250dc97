/* Other programs' files as data sets. */
#include "foreign_file.h"

#include "formats/dataset_read.h"
#include "formats/tools/tool_read.h"

/* Text as a CSV file into a set. */
static enum duet_code read_csv(const char *text,
                               const struct formats_dataset_options *options,
                               struct model_dataset *ret_dataset,
                               struct formats_dataset_counts *ret_counts,
                               struct duet_error *reterr)
{
    struct model_dataset_builder *builder = NULL;
    struct formats_source *source = file_of(text);
    *ret_counts = (struct formats_dataset_counts){0};
    assert_int_equal(
        model_dataset_builder_new(formats_dataset_is_paired(options), &builder, NULL),
        DUET_OK);
    enum duet_code code = formats_dataset_csv_read(source, options, "env", "inst",
                                                   builder, ret_counts, reterr);
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, reterr);
    }
    model_dataset_builder_free(builder);
    formats_source_close(source);
    return code;
}

static const char pa[] =
    "project;commit;benchmark;params;instance;trial;fork;iteration;mode;unit;value_count;value\n"
    "p;c1;B;;0;0;0;0;avgt;ns;1;10\n"
    "p;c1;B;x=1;0;0;0;0;avgt;ns;2;20.5\n"
    "p;c1;B;;0;1;0;0;avgt;ns;1;12\r\n"
    "p;c1;B;;0;1;1;0;avgt;ns;1;13\n"
    "p;c1;B;;1;0;0;0;thrpt;ops/s;1;0.25\n";

static void test_pa(void **state)
{
    (void)state;
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts counts;
    struct model_dataset dataset = {0};
    assert_int_equal(read_csv(pa, &options, &dataset, &counts, NULL), DUET_OK);
    assert_int_equal(counts.rows, 5);
    assert_int_equal(dataset.configuration_count, 2);
    assert_string_equal(model_dataset_benchmark(&dataset, 0), "p:B");
    assert_string_equal(model_dataset_benchmark(&dataset, 1), "p:B:x=1");
    assert_string_equal(model_dataset_environment(&dataset, 0), "env");
    assert_int_equal(dataset.configurations[0].count, 2);
    assert_int_equal(dataset.instances[0].count, 3); /* 0:0, 1:0, 1:1 */
    assert_int_equal(dataset.value_count, 6);        /* one counts twice */
    assert_true(fabs(dataset.values[3] - 4.0) < 1e-12);
    model_dataset_release(&dataset);
}

static void test_second_commit(void **state)
{
    (void)state;
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts counts;
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    char text[2048];
    (void)snprintf(text, sizeof text, "%sp;c2;B;;0;9;0;0;avgt;ns;1;99\n", pa);
    assert_int_equal(read_csv(text, &options, &dataset, &counts, &error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "f:7:3: a second commit, 'c2'"));
    options.where.list[options.where.count++] = "commit=c2";
    assert_int_equal(read_csv(text, &options, &dataset, &counts, NULL), DUET_OK);
    assert_int_equal(counts.filtered, 5);
    assert_int_equal(dataset.value_count, 1);
    model_dataset_release(&dataset);
    options.where.count = 0;
    options.columns[FORMATS_DATASET_BENCHMARK] = "commit+benchmark";
    assert_int_equal(read_csv(text, &options, &dataset, &counts, NULL), DUET_OK);
    assert_string_equal(dataset.benchmarks[1], "c2:B");
    model_dataset_release(&dataset);
}

static void test_pairs(void **state)
{
    (void)state;
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts counts;
    struct model_dataset dataset = {0};
    options.columns[FORMATS_DATASET_OLD] = "f1";
    options.columns[FORMATS_DATASET_NEW] = "F2";
    assert_int_equal(read_csv("call,f1,f2\n1,2,3\n2,,5\n3,4,\n4,8,16\n", &options,
                              &dataset, &counts, NULL),
                     DUET_OK);
    assert_int_equal(dataset.value_count, 2);
    assert_int_equal(counts.missing, 2);
    assert_true(fabs(dataset.values[1] / dataset.olds[1] - 2.0) < 1e-12);
    assert_string_equal(dataset.benchmarks[0], "-");
    model_dataset_release(&dataset);
}

static void test_wide(void **state)
{
    (void)state;
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts counts;
    struct model_dataset dataset = {0};
    options.columns[FORMATS_DATASET_VALUE] = "*";
    options.columns[FORMATS_DATASET_INSTANCE] = "vm";
    options.throughput = true;
    assert_int_equal(read_csv("vm;x;note;y\nv1;1;\"a;b\";\nv2;4;text;8\n", &options,
                              &dataset, &counts, NULL),
                     DUET_OK);
    assert_int_equal(dataset.configuration_count, 2);
    assert_string_equal(model_dataset_benchmark(&dataset, 0), "x");
    assert_int_equal(dataset.configurations[0].count, 2);
    assert_true(fabs(dataset.values[1] - 0.25) < 1e-12);
    assert_int_equal(counts.missing, 3);
    model_dataset_release(&dataset);
    options.columns[FORMATS_DATASET_VALUE] = "y+x";
    options.columns[FORMATS_DATASET_BENCHMARK] = "note";
    assert_int_equal(
        read_csv("vm;x;note;y\nv2;4;text;8\n", &options, &dataset, &counts, NULL),
        DUET_OK);
    assert_string_equal(model_dataset_benchmark(&dataset, 0), "text:y");
    model_dataset_release(&dataset);
}

static void test_csv_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum duet_code code;
        const char *message;
    } wrong[] = {
        {"", DUET_E_TOO_FEW, "is empty"},
        {"a,b\n1,2\n", DUET_E_NOT_FOUND, "no column with a known name"},
        {"value\n1\nx\n", DUET_E_FORMAT, "f:3:1: 'x' is not a number"},
        {"value\n1\n-2\n", DUET_E_FORMAT, "must be positive"},
        {"value,run\n1\n", DUET_E_FORMAT, "f:2:1: 1 fields where"},
        {"value,value_count\n1,0\n", DUET_E_FORMAT, "is not a count"},
        {"value\n", DUET_E_TOO_FEW, "no value"},
    };
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts counts;
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(read_csv(wrong[i].text, &options, &dataset, &counts, &error),
                         wrong[i].code);
        assert_non_null(strstr(error.message, wrong[i].message));
    }
    options.columns[FORMATS_DATASET_VALUE] = "*"; /* and no column is left for it */
    assert_int_equal(read_csv("environment\n1\n", &options, &dataset, &counts, &error),
                     DUET_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "no column with a known name"));
    options.columns[FORMATS_DATASET_VALUE] = NULL;
    options.columns[FORMATS_DATASET_TRIAL] = "nothing";
    assert_int_equal(read_csv("value\n1\n", &options, &dataset, &counts, &error),
                     DUET_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "column 'nothing'; its columns: value"));
    options.columns[FORMATS_DATASET_TRIAL] = NULL;
    options.where.list[options.where.count++] = "x=1";
    assert_int_equal(read_csv("value\n1\n", &options, &dataset, &counts, &error),
                     DUET_E_NOT_FOUND);
}

static enum duet_code read_other(enum formats_tool_kind kind, const char *text,
                                 struct model_dataset *ret_dataset,
                                 struct duet_error *reterr)
{
    struct model_dataset_builder *builder = NULL;
    struct formats_source *source = file_of(text);
    struct formats_left_out left_out = {.count = 0};
    assert_int_equal(model_dataset_builder_new(false, &builder, NULL), DUET_OK);
    enum duet_code code = formats_tool_dataset_read(source, kind, "env", "inst",
                                                    builder, &left_out, reterr);
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, reterr);
    }
    formats_left_out_release(&left_out);
    model_dataset_builder_free(builder);
    formats_source_close(source);
    return code;
}

static void test_jmh(void **state)
{
    (void)state;
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    assert_int_equal(
        read_other(
            FORMATS_TOOL_JSON,
            "[{\"benchmark\":\"a.B.c\",\"params\":{\"n\":\"5\",\"m\":\"x\"},\"primaryMetric\":{\"scoreUnit\":\"ns/op\",\"rawData\":[[1,2],[3]]}},{\"benchmark\":\"a.B.d\",\"primaryMetric\":{\"scoreUnit\":\"ops/s\",\"rawData\":[[4]]}},{\"benchmark\":\"a.B.e\",\"primaryMetric\":{\"scoreUnit\":\"ns/op\",\"rawDataHistogram\":[[[[7,2],[8,1]]]]}}]",
            &dataset, NULL),
        DUET_OK);
    assert_int_equal(dataset.configuration_count, 3);
    assert_string_equal(dataset.benchmarks[0], "a.B.c(n=5, m=x)");
    assert_int_equal(dataset.instances[0].count, 2);
    assert_true(fabs(dataset.values[3] - 0.25e9) < 1e-12);
    assert_int_equal(dataset.value_count, 7);
    model_dataset_release(&dataset);
    static const char zero[] = "[{\"primaryMetric\":{\"rawData\":[[0]]}}]";
    static const char *const wrong[] = {"[{}]", "{}", "[", zero};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(read_other(FORMATS_TOOL_JSON, wrong[i], &dataset, &error),
                         DUET_E_FORMAT);
    }
}

/* A few bytes that stand for gigabytes of values, in one count or in many. */
static void test_counts_that_exhaust(void **state)
{
    (void)state;
    static const char head[] =
        "[{\"benchmark\":\"a\",\"primaryMetric\":{\"scoreUnit\":\"ns/op\",\"rawDataHistogram\":[[[";
    static const char *const counts[] = {"[1,1000000000]", "[1,9223372036854775807]",
                                         "[1,3000000],[2,3000000]"};
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char text[300];
        (void)snprintf(text, sizeof text, "%s%s]]]}}]", head, counts[i]);
        assert_int_equal(read_other(FORMATS_TOOL_JSON, text, &dataset, &error),
                         DUET_E_FORMAT);
        assert_non_null(strstr(error.message, "counts stand for more than 419"));
    }
    struct formats_dataset_options options = {0};
    struct formats_dataset_counts found;
    static const char csv[] = "value;value_count\n"
                              "1;1000000\n"
                              "1;1000000\n"
                              "1;1000000\n"
                              "1;1000000\n"
                              "1;1000000\n";
    options.columns[FORMATS_DATASET_COUNT] = "value_count";
    assert_int_equal(read_csv(csv, &options, &dataset, &found, &error), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "counts stand for more than 419"));
    static const char columns[] = "a;b;c;d;e;n\n"
                                  "1;1;1;1;1;900000\n";
    options.columns[FORMATS_DATASET_COUNT] = "n";
    options.columns[FORMATS_DATASET_VALUE] = "a+b+c+d+e";
    assert_int_equal(read_csv(columns, &options, &dataset, &found, &error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "counts stand for more than 419"));
}

static void test_go(void **state)
{
    (void)state;
    struct model_dataset dataset = {0};
    struct duet_error error = {0};
    assert_int_equal(read_other(FORMATS_TOOL_GO,
                                "goos: linux\n"
                                "pkg: x/y\n"
                                "cpu: z\n"
                                "BenchmarkA-8  \t 100\t 12.5 ns/op\t 3 B/op\n"
                                "BenchmarkA-8  \t 100\t 13 ns/op\n"
                                "BenchmarkB\n"
                                "BenchmarkB-8 1 7 ns/op\n"
                                "PASS\n"
                                "ok  \tx/y\t1.2s\n"
                                "BenchmarkA-8 100 14 ns/op\n"
                                "PASS\n"
                                "ok x/y 1s",
                                &dataset, NULL),
                     DUET_OK);
    assert_int_equal(dataset.configuration_count, 2);
    assert_string_equal(dataset.benchmarks[0], "x/y:BenchmarkA-8");
    assert_int_equal(dataset.instances[0].count, 2);
    assert_true(fabs(dataset.values[0] - 12.5) < 1e-12);
    assert_int_equal(dataset.value_count, 4);
    model_dataset_release(&dataset);
    assert_int_equal(
        read_other(FORMATS_TOOL_GO, "BenchmarkA-8 1 x ns/op\n", &dataset, &error),
        DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "line 1 is no result"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pa),
        cmocka_unit_test(test_second_commit),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_csv_errors),
        cmocka_unit_test(test_jmh),
        cmocka_unit_test(test_counts_that_exhaust),
        cmocka_unit_test(test_go),
    };
    return cmocka_run_group_tests_name("dataset_read", tests, NULL, NULL);
}
