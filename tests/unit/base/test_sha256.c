/* SHA-256 against the examples of FIPS 180-4 and lengths around a block's end. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, size_t length, size_t chunk, const char *expected)
{
    struct sha256 hash;
    char found[SHA256_TEXT_BYTES];
    sha256_init(&hash);
    for (size_t at = 0; at < length; at += chunk) {
        sha256_add(&hash, text + at, length - at < chunk ? length - at : chunk);
    }
    sha256_finish(&hash, found);
    assert_string_equal(found, expected);
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hash;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        for (size_t chunk = 1; chunk < 130; chunk += 7) {
            expect(examples[i].text, strlen(examples[i].text), chunk, examples[i].hash);
        }
    }
}

static void test_a_million(void **state)
{
    (void)state;
    static char text[1000000];
    memset(text, 'a', sizeof text);
    expect(text, sizeof text, 999,
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_a_million)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
