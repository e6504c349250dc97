/* CSV: rows, columns, sides, pairs. */
#include "foreign_file.h"

#include "base/text.h"
#include "formats/csv.h"
#include "formats/csv_row.h"
#include "support/alloc_fail.h"

static enum duet_code read_csv(const char *text,
                               const struct formats_csv_options *options,
                               enum formats_pairing pairing, struct formats_data *data,
                               struct duet_error *error)
{
    struct formats_source *source = file_of(text);
    struct formats_gather *gather = gather_new();
    struct formats_csv_counts counts = {0};
    enum duet_code code = formats_csv_read(source, options, gather, &counts, error);
    if (code == DUET_OK) {
        code = formats_gather_finish(gather, pairing, data, error);
    }
    formats_gather_free(gather);
    formats_source_close(source);
    return code;
}

/* The runs, one a line. */
static void check(const char *text, const struct formats_csv_options *options,
                  bool paired, const char *const *runs, size_t count)
{
    struct formats_data data = {0};
    struct duet_error error = {0};
    if (read_csv(text, options, FORMATS_PAIRING_AUTO, &data, &error) != DUET_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    assert_int_equal(data.values.paired, paired);
    assert_int_equal(data.values.run_count, count);
    for (size_t r = 0; r < count; r++) {
        assert_string_equal(run_text(&data, r), runs[r]);
        assert_int_equal(data.values.runs[r].run, r);
    }
    formats_data_release(&data);
}

static const struct formats_csv_options plain = {.separator = 0};

static void test_pairs(void **state)
{
    (void)state;
    /* Runs by number, iterations by index, whatever the order of the rows. */
    check("run,iteration,side,time_ns\n"
          "10,1,new,5\n"
          "10,0,new,4\n"
          "2,0,old,1\n"
          "2,0,new,2\n"
          "10,0,old,3\n"
          "10,1,old,6\n",
          &plain, true, (const char *const[]){"1 | 2", "3 6 | 4 5"}, 2);
    /* A partner is missing: not pairs. */
    check("run,iteration,side,time_ns\n1,0,old,1\n1,0,new,2\n1,1,old,3\n", &plain,
          false, (const char *const[]){"1 3 | 2"}, 1);
    /* Without runs: a run a pair; two values a row. */
    check("old_ns;new_ns\r\n1;2\r\n3;4\r\n", &plain, true,
          (const char *const[]){"1 | 2", "3 | 4"}, 2);
    /* Nothing says what belongs together. */
    check("side\tvalue_ns\nb\t4\na\t1\nb\t2\n", &plain, false,
          (const char *const[]){"1 | 4 2"}, 1);
}

static void test_columns(void **state)
{
    (void)state;
    struct formats_csv_options options = {
        .separator = ';',
        .columns = {[FORMATS_ROLE_VALUE] = "Dauer, netto (us)",
                    [FORMATS_ROLE_SIDE] = "wer",
                    [FORMATS_ROLE_RUN] = "lauf"},
        .side_names = {"vorher", "nachher"}};
    check("# by another program\n"
          "\n"
          "\"Dauer, netto (us)\";wer;lauf\n"
          "1.5;vorher;x\n"
          "2;\"nachher\";x\n"
          "9;sonst;x\n"
          "3;nachher;\"y \"\"z\"\"\"\n"
          "4;vorher;\"y \"\"z\"\"\"\n",
          &options, true, (const char *const[]){"1500 | 2000", "4000 | 3000"}, 2);
    /* One column needs no name; the file is one side. */
    struct formats_data data = {0};
    struct duet_error error = {0};
    const struct formats_csv_options one = {
        .one_side = true, .side = MODEL_NEW, .unit = {.ns = 1e3}};
    assert_int_equal(
        read_csv("whatever\n1\n2\n", &one, FORMATS_PAIRING_AUTO, &data, &error),
        DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "old side has no value"));
}

static void test_blocks_and_instances(void **state)
{
    (void)state;
    struct formats_data data = {0};
    struct duet_error error = {0};
    assert_int_equal(
        read_csv("vm,run,block,side,ns\n"
                 "b,0,7,old,1\n"
                 "b,0,7,new,2\n"
                 "a,0,9,old,3\n"
                 "a,0,9,new,4\n",
                 &(struct formats_csv_options){.columns = {[FORMATS_ROLE_VALUE] = "ns"},
                                               .unit = {.ns = 1}},
                 FORMATS_PAIRING_AUTO, &data, &error),
        DUET_OK);
    assert_int_equal(data.values.run_count, 2); /* not one: two machines */
    assert_string_equal(run_text(&data, 0), "1 | 2");
    assert_int_equal(data.values.runs[0].block, 7);
    assert_int_equal(data.values.runs[1].block, 9);
    formats_data_release(&data);
}

static void test_asked_for_pairs(void **state)
{
    (void)state;
    struct formats_data data = {0};
    struct duet_error error = {0};
    assert_int_equal(read_csv("run,iteration,side,time_ns\n"
                              "1,0,old,1\n"
                              "1,0,new,2\n"
                              "1,1,old,3\n"
                              "1,2,new,4\n",
                              &plain, FORMATS_PAIRING_PAIRS, &data, &error),
                     DUET_OK);
    assert_string_equal(run_text(&data, 0), "1 | 2");
    formats_data_release(&data);
    assert_int_equal(read_csv("run,side,time_ns\n1,old,1\n1,new,2\n1,old,3\n", &plain,
                              FORMATS_PAIRING_PAIRS, &data, &error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "in run '1', got 2 and 1"));
    assert_int_equal(read_csv("run,iteration,side,time_ns\n"
                              "1,0,old,1\n"
                              "1,0,old,2\n"
                              "1,1,new,3\n",
                              &plain, FORMATS_PAIRING_AUTO, &data, &error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "iteration 0 of run '1' is there twice"));
}

/* Many pairs without runs: consecutive ones share a run. */
static void test_many_pairs(void **state)
{
    (void)state;
    struct formats_gather *gather = gather_new();
    struct formats_data data = {0};
    const size_t pairs = 2 * (size_t)FORMATS_RUNS_MAX + 1;
    for (size_t i = 0; i < pairs; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            struct formats_record record = {.side = (enum model_side)side,
                                            .ns = (double)(i + 1),
                                            .has_iteration = true,
                                            .iteration = i,
                                            .beside = true};
            assert_int_equal(formats_gather_add(gather, &record, NULL), DUET_OK);
        }
    }
    assert_int_equal(formats_gather_finish(gather, FORMATS_PAIRING_AUTO, &data, NULL),
                     DUET_OK);
    assert_true(data.values.paired);
    size_t seen = 0;
    assert_true(data.values.run_count <= FORMATS_RUNS_MAX);
    for (size_t r = 0; r < data.values.run_count; r++) {
        assert_int_equal(data.values.runs[r].block, r / 2);
        seen += data.values.runs[r].counts[MODEL_NEW];
    }
    assert_int_equal(seen, pairs);
    formats_data_release(&data);
    formats_gather_free(gather);
}

/* "run,side,value" and so many runs of a pair, or of iterations. */
static enum duet_code read_runs(const char *column, size_t runs, size_t *ret_runs,
                                struct duet_error *error)
{
    struct text text = {0};
    struct formats_data data = {0};
    text_append_format(&text, "%s,side,value\n", column);
    for (size_t i = 0; i < runs; i++) {
        text_append_format(&text, "%zu,old,1\n%zu,new,2\n", i, i);
    }
    assert_false(text_failed(&text));
    enum duet_code code =
        read_csv(text_string(&text), &plain, FORMATS_PAIRING_AUTO, &data, error);
    *ret_runs = data.values.run_count;
    formats_data_release(&data);
    text_release(&text);
    return code;
}

static void test_many_runs(void **state)
{
    (void)state;
    size_t runs = 0;
    struct duet_error error = {0};
    assert_int_equal(read_runs("run", FORMATS_LABELS_MAX, &runs, &error), DUET_OK);
    assert_int_equal(runs, FORMATS_LABELS_MAX);
    assert_int_equal(read_runs("run", FORMATS_LABELS_MAX + 1, &runs, &error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "more than 100000 runs"));
    assert_int_equal(read_runs("iteration", FORMATS_LABELS_MAX + 1, &runs, &error),
                     DUET_OK);
    assert_true(runs <= FORMATS_RUNS_MAX);
}

static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *text;
        enum duet_code code;
        const char *message;
    } cases[] = {
        {"", DUET_E_TOO_FEW, "'f' is empty"},
        {"side,time\n", DUET_E_TOO_FEW, "no row below it"},
        {"a,b\n1,2\n", DUET_E_NOT_FOUND, "its columns: a, b"},
        {"time,x\n1,2\n", DUET_E_NOT_FOUND, "no column of sides"},
        {"side,time\nold,1\nnew\n", DUET_E_FORMAT,
         "f:3:1: 1 fields where the first row names 2"},
        {"side,time\nold,fast\n", DUET_E_FORMAT, "f:2:5: 'fast' is not a number"},
        {"side,time\nold,1,5\n", DUET_E_FORMAT, "f:2:1: 3 fields"},
        {"side,time\nold,-1\n", DUET_E_FORMAT, "f:2:5: '-1' is not a time"},
        {"side,time\nold,1e300\n", DUET_E_FORMAT,
         "f:2:5: '1e300' is not a time: it must be at most 1.79769e+299"},
        {"side,time_ms\nold, 1e303 \n", DUET_E_FORMAT,
         "is not a time: it must be at most 1.79769e+302"},
        {"side,time\nold, 1e400 \n", DUET_E_FORMAT,
         "is not a number up to 1.79769e+308"},
        {"side,time\nmiddle,1\n", DUET_E_FORMAT, "f:2:1: 'middle' is not a known name"},
        {"side,time\nold,\"1\n", DUET_E_FORMAT, "f:2:5: this field's quote is never"},
        {"side,time\nold,\"1\"2\n", DUET_E_FORMAT, "f:2:8: text behind a closing"},
        {"side,time\nold,1\"2\n", DUET_E_FORMAT, "f:2:6: a quote within a field"},
        {"run,iteration,side,time\n1,x,old,1\n", DUET_E_FORMAT,
         "f:2:3: 'x' is not a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct formats_data data = {0};
        struct duet_error error = {0};
        enum duet_code code =
            read_csv(cases[i].text, &plain, FORMATS_PAIRING_AUTO, &data, &error);
        if (code != cases[i].code || strstr(error.message, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].text, error.message);
        }
    }
}

/* Quoted fields over lines; positions count them. */
static void test_rows(void **state)
{
    (void)state;
    struct formats_source *source = file_of("a,\"b\nc\"\"d\",\r\n\n\r\n\"\"\n,x");
    struct formats_csv_row row = {0};
    bool more = false;
    assert_int_equal(formats_csv_row_read(source, ',', &row, &more, NULL), DUET_OK);
    assert_true(more);
    assert_int_equal(row.count, 3);
    assert_string_equal(formats_csv_row_text(&row, 1), "b\nc\"d");
    assert_string_equal(formats_csv_row_text(&row, 2), "");
    assert_int_equal(row.fields[2].line, 2);
    assert_int_equal(formats_csv_row_read(source, ',', &row, &more, NULL), DUET_OK);
    assert_int_equal(row.count, 2); /* blank rows are left out */
    assert_int_equal(row.fields[1].line, 6);
    assert_int_equal(row.fields[1].column, 2);
    assert_int_equal(formats_csv_row_read(source, ',', &row, &more, NULL), DUET_OK);
    assert_false(more);
    formats_csv_row_release(&row);
    formats_source_close(source);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *text = "run,iteration,side,time_ns\n"
                       "1,1,old,1\n"
                       "1,0,old,2\n"
                       "1,0,new,2\n"
                       "1,1,new,3\n"
                       "2,0,old,1\n"
                       "2,0,new,1\n";
    enum duet_code code = DUET_E_NOMEM;
    size_t failures = 0;
    for (unsigned long nth = 1; code != DUET_OK; nth++) {
        struct formats_source *source = file_of(text);
        struct formats_gather *gather = gather_new();
        struct formats_data data = {0};
        struct formats_csv_counts counts = {0};
        alloc_fail_at(nth);
        code = formats_csv_read(source, &plain, gather, &counts, NULL);
        if (code == DUET_OK) {
            code = formats_gather_finish(gather, FORMATS_PAIRING_AUTO, &data, NULL);
        }
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        failures += code == DUET_E_NOMEM;
        formats_data_release(&data);
        formats_gather_free(gather);
        formats_source_close(source);
    }
    assert_true(failures >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_blocks_and_instances),
        cmocka_unit_test(test_asked_for_pairs),
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_many_runs),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
