// link: duet_store
#include "store/postgresql/remote_private.h"
#include "store/postgresql/remote_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_urls(void **state)
{
    (void)state;
    assert_true(remote_is_url("postgresql://"));
    assert_true(remote_is_url("postgres://host/db"));
    assert_false(remote_is_url("results.db"));
    assert_false(remote_is_url("./postgresql://"));
    assert_false(remote_is_url("mysql://host/db"));
}

static void test_passwords_are_refused(void **state)
{
    static const char *const with[] = {"postgresql://me:secret@host/db",
                                       "postgres://:secret@/db",
                                       "postgresql://me:@host/db",
                                       "PostgreSQL://me:secret@host/db",
                                       "postgres:/me:secret@host/db",
                                       "postgresql:///me:secret@host/db",
                                       "postgresql://host/db?password=secret",
                                       "postgresql://host?x=y&password=secret",
                                       "postgresql://?sslpassword=secret"};
    static const char *const without[] = {
        "postgresql://",
        "postgresql://me@host:5432/db",
        "postgresql://host:5432/a@b:c",
        "postgresql://host/db?passfile=x&sslmode=require",
        "postgresql://[::1]:5432/db",
        "postgresql://me@[::1]/db",
        "results.db"};
    (void)state;
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        struct duet_error error;
        assert_int_equal(remote_url_check(with[i], &error), DUET_E_USAGE);
        assert_null(strstr(error.message, "secret"));
        assert_non_null(strstr(error.message, ".pgpass"));
    }
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        assert_int_equal(remote_url_check(without[i], NULL), DUET_OK);
    }
}

/* There and back; whether what is sent differs. */
static bool survives(const char *bytes, size_t length)
{
    struct text sent = {0};
    remote_text_send(bytes, length, &sent);
    assert_false(text_failed(&sent));
    bool same = sent.length == length && memcmp(sent.bytes, bytes, length) == 0;
    size_t back = remote_text_fetch(sent.bytes, sent.length);
    assert_int_equal(back, length);
    assert_memory_equal(sent.bytes, bytes, length);
    text_release(&sent);
    return same;
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(survives("", 0));
    assert_true(survives("plain, \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80", 20));
    assert_true(survives("\xf4\x8f\xbd\xbf", 4)); /* just below the marks */
    assert_false(survives("\xf4\x8f\xbe\x80", 4));
    assert_false(survives("\xf4\x8f\xbf\xbf", 4));
    static const char *const broken[] = {"\xff",
                                         "a\x80z",
                                         "\xc3",
                                         "\xc3(",
                                         "\xe2\x82",
                                         "\xed\xa0\x80",
                                         "\xc0\x80",
                                         "\xe0\x80\x80",
                                         "\xf0\x80\x80\x80",
                                         "\xf4\x90\x80\x80",
                                         "\xf5\x80\x80\x80",
                                         "\xf4\x8f\xbe",
                                         "\xff\xf4\x8f\xbe\x80\xfe"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        assert_false(survives(broken[i], strlen(broken[i])));
    }
    for (int byte = 1; byte < 256; byte++) {
        const char one = (char)byte;
        assert_int_equal(survives(&one, 1), byte < 0x80);
    }
}

/* Every two bytes, and many longer texts of the bytes that matter. */
static void test_all_pairs_of_bytes(void **state)
{
    static const unsigned char chosen[] = {0x41, 0x80, 0x8f, 0x90, 0xbe, 0xbf,
                                           0xc3, 0xe2, 0xed, 0xf4, 0xff};
    enum { KINDS = sizeof chosen, LENGTH = 5 };
    (void)state;
    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second++) {
            const char two[] = {(char)first, (char)second};
            (void)survives(two, sizeof two);
        }
    }
    for (int number = 0; number < KINDS * KINDS * KINDS * KINDS * KINDS; number++) {
        char text[LENGTH];
        for (int i = 0, rest = number; i < LENGTH; i++, rest /= KINDS) {
            text[i] = (char)chosen[rest % KINDS];
        }
        (void)survives(text, sizeof text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_passwords_are_refused),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_all_pairs_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
