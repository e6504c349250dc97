// link: duet_formats z
/* Files of any format: matching, several files a side, packed files, memory. */
#include "foreign_file.h"

#include "formats/foreign.h"
#include "support/alloc_fail.h"

#include <unistd.h>
#include <zlib.h>

/* A file that lives as long as the test. */
static char *path_of(const char *bytes, size_t length)
{
    static char paths[8][64];
    static size_t next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, 64, "/tmp/duet-foreign-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(close(fd), 0);
    return path;
}

static char *text_file(const char *text)
{
    return path_of(text, strlen(text));
}

static char *packed_file(const char *text)
{
    static unsigned char bytes[4096];
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)text,
                       .avail_in = (unsigned)strlen(text),
                       .next_out = bytes,
                       .avail_out = sizeof bytes};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return path_of((const char *)bytes, stream.total_out);
}

static const char go_text[] = "goos: linux\n"
                              "BenchmarkA 1 10 ns/op\n"
                              "BenchmarkB 1 20 ns/op\n"
                              "note: x\n"
                              "BenchmarkB 1 30 ns/op\n";
static const char google_text[] =
    "{\"context\":{},\"benchmarks\":[{\"name\":\"x\",\"real_time\":1},"
    "{\"name\":\"y\",\"real_time\":2}]}";
static const char catch2_text[] =
    "<Catch name='c'><TestCase name='t'><BenchmarkResults name='x'><mean value='3'/>"
    "</BenchmarkResults></TestCase></Catch>";
static const char divan_text[] =
    "c     fastest \xE2\x94\x82 slowest \xE2\x94\x82 median \xE2\x94\x82 mean \xE2\x94\x82 s\n"
    "\xE2\x95\xB0\xE2\x94\x80 x  1 ns \xE2\x94\x82 1 ns \xE2\x94\x82 1 ns \xE2\x94\x82 4 ns \xE2\x94\x82 1\n";
static const char csv_text[] = "benchmark,run,time_ns\nx,0,1\ny,0,2\nx,1,NA\n";

/* Two files a side, all of one text. */
static enum duet_code read_all(char *const *paths, struct formats_foreign *ret_foreign,
                               struct duet_error *error)
{
    const struct formats_request request = {.sides = {{paths, 2}, {paths + 2, 2}}};
    return formats_foreign_read(&request, ret_foreign, error);
}

/* Every allocation fails once; nothing is lost, and the last time all is read. */
static void check_memory(const char *text, bool packed, size_t benchmarks)
{
    char *paths[4];
    for (size_t i = 0; i < 4; i++) {
        paths[i] = packed ? packed_file(text) : text_file(text);
    }
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long nth = 1; code != DUET_OK; nth++) {
        struct formats_foreign foreign = {.count = 0};
        struct duet_error error = {0};
        alloc_fail_at(nth);
        code = read_all(paths, &foreign, &error);
        alloc_fail_at(0);
        if (code != DUET_OK) {
            assert_int_equal(code, DUET_E_NOMEM);
            assert_true(error.message[0] != '\0');
        } else {
            assert_int_equal(foreign.count, benchmarks);
            assert_int_equal(foreign.found[0].data.values.run_count, 2);
        }
        formats_foreign_release(&foreign);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(unlink(paths[i]), 0);
    }
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(google_text, false, 2);
    check_memory(google_text, true, 2);
    check_memory(catch2_text, false, 1);
    check_memory(divan_text, false, 1);
}

static void test_memory_of_go(void **state)
{
    (void)state;
    check_memory(go_text, false, 3);
}

static void test_memory_of_csv(void **state)
{
    (void)state;
    char *paths[4];
    struct formats_foreign foreign = {.count = 0};
    for (size_t i = 0; i < 4; i++) {
        paths[i] = text_file(csv_text);
    }
    assert_int_equal(read_all(paths, &foreign, NULL), DUET_OK);
    assert_int_equal(foreign.count, 2);
    assert_int_equal(foreign.counts.missing, 4);
    assert_string_equal(foreign.found[1].names[MODEL_NEW], "y");
    formats_foreign_release(&foreign);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(unlink(paths[i]), 0);
    }
}

/* What neither side shares, and which sides have. */
static void test_matching(void **state)
{
    (void)state;
    char *old_path = text_file("BenchmarkA 1 1 ns/op\nBenchmarkB 1 1 ns/op\n");
    char *new_path = text_file("BenchmarkB 1 1 ns/op\nBenchmarkC 1 1 ns/op\n");
    char *third = text_file("BenchmarkD 1 1 ns/op\nBenchmarkE 1 1 ns/op\n");
    struct formats_request request = {.sides = {{&old_path, 1}, {&new_path, 1}}};
    struct formats_foreign foreign = {.count = 0};
    struct duet_error error = {0};
    assert_int_equal(formats_foreign_read(&request, &foreign, &error), DUET_OK);
    assert_true(foreign.several);
    assert_int_equal(foreign.count, 1);
    assert_string_equal(text_string(&foreign.only[MODEL_OLD]), "'BenchmarkA'");
    assert_string_equal(text_string(&foreign.only[MODEL_NEW]), "'BenchmarkC'");
    formats_foreign_release(&foreign);
    request.sides[MODEL_NEW].paths = &third;
    assert_int_equal(formats_foreign_read(&request, &foreign, &error), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "no benchmark is on both sides"));
    request.benchmark = "BenchmarkA";
    assert_int_equal(formats_foreign_read(&request, &foreign, &error),
                     DUET_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "it holds 'BenchmarkD', 'BenchmarkE'"));
    assert_int_equal(unlink(old_path) + unlink(new_path) + unlink(third), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_go),
        cmocka_unit_test(test_memory_of_csv),
        cmocka_unit_test(test_matching),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
