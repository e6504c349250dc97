// link: PkgConfig::JANSSON
/* JSON that cannot be read: the disk fails, memory is short, the text is wrong. */
#include "foreign_file.h"

#include "formats/json_load.h"

#include <errno.h>
#include <limits.h>

static unsigned long left; /* allocations of jansson that succeed */
static bool once;          /* only one fails */

static void *scarce(size_t bytes)
{
    if (left == 0) {
        left = once ? ULONG_MAX : 0;
        errno = ENOMEM;
        return NULL;
    }
    left--;
    return malloc(bytes);
}

/* Read with so many allocations that succeed, a document is as it was or not there. */
static enum duet_code read_with(unsigned long given, const char *text,
                                const char *expected)
{
    struct duet_error error = {0};
    struct formats_source *source = file_of(text);
    json_t *document = NULL;
    json_set_alloc_funcs(scarce, free);
    left = given;
    enum duet_code code = formats_json_load(source, &document, &error);
    json_set_alloc_funcs(malloc, free);
    if (code == DUET_OK) {
        char *told = json_dumps(document, JSON_COMPACT);
        assert_string_equal(told, expected);
        free(told);
        json_decref(document);
    } else {
        assert_int_equal(code, DUET_E_NOMEM);
        assert_string_equal(error.message, "no memory to read 'f'");
        assert_null(document);
    }
    formats_source_close(source);
    return code;
}

/* Whichever allocation fails, alone or with all behind it; that is no mistake in the
 * file. */
static void assert_whole_or_not_there(const char *text, const char *expected)
{
    for (int alone = 0; alone < 2; alone++) {
        unsigned long succeed = 0;
        once = alone == 1;
        for (unsigned long given = 0; given < 60; given++) {
            succeed += read_with(given, text, expected) == DUET_OK;
        }
        assert_true(succeed > 0 && succeed < 60);
    }
}

static void memory(void **state)
{
    (void)state;
    assert_whole_or_not_there("{\"a\": [1, 2.5, true], \"b\": {\"c\": \"d\"}}",
                              "{\"a\":[1,2.5,true],\"b\":{\"c\":\"d\"}}");
}

/* The library's buffer of a token grows at every length of a string around 16, 32 and
 * 64, with an escape at its end, and in long numbers. */
static void memory_for_long_tokens(void **state)
{
    (void)state;
    for (int length = 1; length <= 70; length++) {
        char text[256];
        (void)snprintf(text, sizeof text, "[\"%0*d\",-12,\"%0*d\\n\"]", length / 2, 1,
                       length, 2);
        assert_whole_or_not_there(text, text);
    }
    assert_whole_or_not_there("[1234567890123456, -1234567890123456, 1]",
                              "[1234567890123456,-1234567890123456,1]");
}

/* Of words that are no JSON two are null, outside of strings; all else is as it was,
 * wherever the library's buffer and ours end. */
static void words(void **state)
{
    (void)state;
    static const char text[] =
        "[NaN, -Infinity,Infinity, \"NaN\\\\\", \"\\\"-Infinity\", "
        "-1, -2.5e-3, {\"I\": -0}]";
    for (size_t blanks = 0; blanks < 1100; blanks += blanks < 1000 ? 500 : 1) {
        char padded[1300];
        struct duet_error error = {0};
        json_t *document = NULL;
        (void)snprintf(padded, sizeof padded, "%*s%s", (int)blanks, "", text);
        struct formats_source *source = file_of(padded);
        assert_int_equal(formats_json_load(source, &document, &error), DUET_OK);
        char *told = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(3));
        assert_string_equal(told, "[null,null,null,\"NaN\\\\\",\"\\\"-Infinity\",-1,"
                                  "-0.0025,{\"I\":0}]");
        free(told);
        json_decref(document);
        formats_source_close(source);
    }
    static const char *const wrong[] = {"[NaNs]", "[-NaN-]", "[Inf]",
                                        "[-]",    "[--NaN]", "[InfinityInfinity]",
                                        "N",      "[\"NaN]"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct duet_error error = {0};
        json_t *document = NULL;
        struct formats_source *source = file_of(wrong[i]);
        assert_int_equal(formats_json_load(source, &document, &error), DUET_E_FORMAT);
        assert_non_null(strstr(error.message, "not JSON"));
        formats_source_close(source);
    }
}

/* A file whose beginning is read, and nothing behind it. */
static ssize_t read_once(void *context, char *bytes, size_t size)
{
    const char **beginning = context;
    if (*beginning == NULL) {
        errno = EIO;
        return -1;
    }
    size_t length = strlen(*beginning);
    assert_true(length <= size);
    memcpy(bytes, *beginning, length);
    *beginning = NULL;
    return (ssize_t)length;
}

/* It is told as that, also where the beginning alone would be a document. */
static void disk(void **state)
{
    (void)state;
    static const char *const beginnings[] = {NULL, "{\"a\": ", "{\"a\": 1}"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        const char *beginning = beginnings[i];
        FILE *file =
            fopencookie(&beginning, "r", (cookie_io_functions_t){.read = read_once});
        assert_non_null(file);
        struct formats_source *source = NULL;
        struct duet_error error = {0};
        json_t *document = NULL;
        assert_int_equal(formats_source_of(file, "f", &source, &error), DUET_OK);
        assert_int_equal(formats_json_load(source, &document, &error), DUET_E_IO);
        assert_string_equal(error.message, "reading 'f': Input/output error");
        assert_null(document);
        formats_source_close(source);
    }
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } wrong[] = {
        {"", "f:1:1: not JSON: '[' or '{' expected near end of file"},
        {"{\"a\":\n 1,}", "f:2:4: not JSON: string or '}' expected near '}'"},
        {"[1] x", "f:1:5: not JSON: end of file expected near 'x'"},
        {"[\"\\u0000\"]",
         "f:1:9: a string holds \\u0000, which no name or text may hold: remove it"},
        {"{\"\\u0000\": 1}",
         "f:1:9: a string holds \\u0000, which no name or text may hold: remove it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct formats_source *source = file_of(wrong[i].text);
        struct duet_error error = {0};
        json_t *document = NULL;
        errno = ENOMEM; /* of something before */
        assert_int_equal(formats_json_load(source, &document, &error), DUET_E_FORMAT);
        assert_string_equal(error.message, wrong[i].message);
        assert_null(document);
        formats_source_close(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words), cmocka_unit_test(memory),
        cmocka_unit_test(memory_for_long_tokens), cmocka_unit_test(disk),
        cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
