/* Files of which nobody, or somebody, says what they are, as data sets. */
#include "foreign_file.h"

#include "formats/dataset_read.h"

#include <unistd.h>

static const char tools[] = TEST_SOURCE_DIR "/data/tools/";
static const struct formats_dataset_options plain = {.separator = 0};

static struct duet_error error;
static struct formats_dataset_counts counts;
static char path[512];

/* The path of a tool's file, or of a new one with this text. */
static const char *tool_file(const char *name)
{
    (void)snprintf(path, sizeof path, "%s%s", tools, name);
    return path;
}

static const char *new_file(const char *text)
{
    (void)snprintf(path, sizeof path, "%s/dataset-XXXXXX", TEST_BINARY_DIR);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
    return path;
}

static enum duet_code read_as(enum formats_dataset_kind kind,
                              const struct formats_dataset_options *options,
                              struct model_dataset *ret_dataset)
{
    struct model_dataset_builder *builder = NULL;
    assert_int_equal(
        model_dataset_builder_new(formats_dataset_is_paired(options), &builder, NULL),
        DUET_OK);
    counts = (struct formats_dataset_counts){0};
    enum duet_code code =
        formats_dataset_read(path, "env", kind, options, builder, &counts, &error);
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, &error);
    }
    model_dataset_builder_free(builder);
    return code;
}

/* A file whose first value and number of values are these. */
static void assert_reads(enum formats_dataset_kind kind,
                         const struct formats_dataset_options *options,
                         const char *benchmark, double first, size_t values)
{
    struct model_dataset dataset = {0};
    enum duet_code code = read_as(kind, options, &dataset);
    if (code != DUET_OK) {
        fail_msg("%s: %s", path, error.message);
    }
    assert_string_equal(model_dataset_benchmark(&dataset, 0), benchmark);
    assert_string_equal(model_dataset_environment(&dataset, 0), "env");
    assert_int_equal(dataset.value_count, values);
    assert_true(fabs(dataset.values[0] - first) < 1e-9 * first);
    assert_string_equal(dataset.instance_names[0], path); /* nothing else names it */
    model_dataset_release(&dataset);
}

static void assert_refused(enum formats_dataset_kind kind,
                           const struct formats_dataset_options *options,
                           enum duet_code expected, const char *said)
{
    struct model_dataset dataset = {0};
    assert_int_equal(read_as(kind, options, &dataset), expected);
    if (strstr(error.message, said) == NULL || strstr(error.message, path) == NULL) {
        fail_msg("'%s' does not say '%s' of '%s'", error.message, said, path);
    }
    assert_int_equal(dataset.value_count, 0);
}

static void names_of_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"auto", "csv", "json", "go", "unknown"};
    for (unsigned kind = 0; kind <= FORMATS_DATASET_KINDS; kind++) {
        assert_string_equal(formats_dataset_kind_name(kind), names[kind]);
    }
}

static void content_or_its_name_says_what_a_file_is(void **state)
{
    (void)state;
    (void)tool_file("go.txt");
    assert_reads(FORMATS_DATASET_AUTO, &plain, "example.org/sums:BenchmarkXor/n=8-2",
                 2.624, 6);
    assert_reads(FORMATS_DATASET_GO, &plain, "example.org/sums:BenchmarkXor/n=8-2",
                 2.624, 6);
    assert_refused(FORMATS_DATASET_JSON, &plain, DUET_E_FORMAT, "JSON");
    assert_refused(FORMATS_DATASET_CSV, &plain, DUET_E_NOT_FOUND,
                   "no column with a known name");
    (void)tool_file("hyperfine.json");
    assert_reads(FORMATS_DATASET_AUTO, &plain, "true", 31472792.0, 12);
    assert_reads(FORMATS_DATASET_JSON, &plain, "true", 31472792.0, 12);
    assert_refused(FORMATS_DATASET_GO, &plain, DUET_E_FORMAT, "");
}

/* A tool's CSV has the tool's benchmarks; as CSV its columns are as good as any. */
static void csv_of_a_tool_is_csv_where_that_is_said(void **state)
{
    (void)state;
    struct formats_dataset_options columns = {.separator = 0};
    columns.columns[FORMATS_DATASET_BENCHMARK] = "name";
    columns.columns[FORMATS_DATASET_VALUE] = "iterations";
    (void)tool_file("gbench.csv");
    assert_reads(FORMATS_DATASET_CSV, &columns, "BM_xor/8", 3989053.0, 14);
    assert_int_equal(counts.rows, 17);
    assert_int_equal(counts.missing, 3);
    assert_reads(FORMATS_DATASET_AUTO, &columns, "BM_xor/8", 6.46409, 6);
}

static void only_csv_has_pairs(void **state)
{
    (void)state;
    struct formats_dataset_options pairs = {.separator = 0};
    pairs.columns[FORMATS_DATASET_OLD] = "a";
    pairs.columns[FORMATS_DATASET_NEW] = "b";
    (void)tool_file("go.txt");
    assert_refused(FORMATS_DATASET_AUTO, &pairs, DUET_E_USAGE,
                   "only CSV can hold pairs");
    (void)new_file("a,b\n1,2\n3,4\n");
    assert_reads(FORMATS_DATASET_AUTO, &pairs, "-", 2.0, 2);
    assert_reads(FORMATS_DATASET_CSV, &pairs, "-", 2.0, 2);
    assert_int_equal(counts.rows, 2);
    assert_refused(FORMATS_DATASET_JSON, &pairs, DUET_E_USAGE,
                   "only CSV can hold pairs");
    assert_int_equal(unlink(path), 0);
    assert_refused(FORMATS_DATASET_AUTO, &pairs, DUET_E_NOT_FOUND, "");
}

static void what_is_left_out_of_a_tools_file_is_counted(void **state)
{
    (void)state;
    (void)new_file("BenchmarkA-8 100 0 ns/op\nBenchmarkA-8 100 5 ns/op\n");
    assert_reads(FORMATS_DATASET_AUTO, &plain, "BenchmarkA-8", 5.0, 1);
    assert_int_equal(counts.missing, 1);
    assert_int_equal(unlink(path), 0);
}

static void what_can_only_be_a_data_set(void **state)
{
    (void)state;
    static const char pa[] = "project;commit;benchmark;params;instance;trial\n";
    static const struct {
        const char *text; /* NULL: a tool's file */
        const char *name;
        bool one;
        bool of_two;
    } cases[] = {
        {pa, NULL, true, true},
        {"project;commit;benchmark", NULL, false, false}, /* too short for pa's */
        {"value\n1\n", NULL, false, false},
        {"", NULL, false, false},
        {NULL, "go.txt", true, false}, /* two are two sides */
        {NULL, "gbench.json", true, false},
        {NULL, "hyperfine.json", false, false}, /* its results may be sides */
        {NULL, "nothing.txt", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool own = cases[i].text != NULL;
        (void)(own ? new_file(cases[i].text) : tool_file(cases[i].name));
        assert_int_equal(formats_dataset_is_certain(path, false), cases[i].one);
        assert_int_equal(formats_dataset_is_certain(path, true), cases[i].of_two);
        assert_true(!own || unlink(path) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_formats),
        cmocka_unit_test(content_or_its_name_says_what_a_file_is),
        cmocka_unit_test(csv_of_a_tool_is_csv_where_that_is_said),
        cmocka_unit_test(only_csv_has_pairs),
        cmocka_unit_test(what_is_left_out_of_a_tools_file_is_counted),
        cmocka_unit_test(what_can_only_be_a_data_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
