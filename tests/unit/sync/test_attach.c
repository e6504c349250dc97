/* The text of the environment variable. */
#include "sync/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct sync_attach plain = {.version = 2,
                                         .page_fd = 62,
                                         .bell_fd = 63,
                                         .pid = 4711,
                                         .slot = 1,
                                         .nonce = UINT64_C(0x0123456789abcdef)};

static void text_is_as_documented(void **state)
{
    (void)state;
    char text[SYNC_ATTACH_BYTES];
    sync_attach_format(&plain, text);
    assert_string_equal(
        text, "v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef");
}

static void round_trip_at_equal_length(void **state)
{
    (void)state;
    const struct sync_attach cases[] = {
        plain,
        {2, 0, 0, 1, 0, 0},
        {2, 9999, 9999, INT32_MAX, 1, UINT64_MAX},
        {2, 3, 1000, 4194304, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SYNC_ATTACH_BYTES];
        struct sync_attach back;
        struct duet_error error;
        sync_attach_format(&cases[i], text);
        assert_int_equal(
            strlen(text),
            strlen(
                "v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef"));
        assert_int_equal(sync_attach_parse(text, &back, &error), DUET_OK);
        assert_int_equal(back.version, cases[i].version);
        assert_int_equal(back.page_fd, cases[i].page_fd);
        assert_int_equal(back.bell_fd, cases[i].bell_fd);
        assert_int_equal(back.pid, cases[i].pid);
        assert_int_equal(back.slot, cases[i].slot);
        assert_true(back.nonce == cases[i].nonce);
    }
}

static void malformed_text_is_refused(void **state)
{
    (void)state;
    const char *const cases[] = {
        "",
        "v",
        "v2",
        "v2:",
        "1:page=0062",
        "v-1:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef",
        "v2:page=62:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef",
        "v2:page=-062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef",
        "v2:page= 062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef",
        "v2:page=0062:bell=0063:pid=0000000000:slot=1:nonce=0123456789abcdef",
        "v2:page=0062:bell=0063:pid=9999999999:slot=1:nonce=0123456789abcdef",
        "v2:page=0062:bell=0063:pid=0000004711:slot=2:nonce=0123456789abcdef",
        "v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcde",
        "v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdefx",
        "v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789ABCDEF",
        " v2:page=0062:bell=0063:pid=0000004711:slot=1:nonce=0123456789abcdef",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sync_attach untouched;
        memcpy(&untouched, &plain, sizeof plain); /* with its padding */
        struct duet_error error = {0};
        assert_int_equal(sync_attach_parse(cases[i], &untouched, &error),
                         DUET_E_PROTOCOL);
        assert_memory_equal(&untouched, &plain, sizeof plain);
        assert_non_null(strstr(error.message, SYNC_ATTACH_VARIABLE));
    }
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    char text[SYNC_ATTACH_BYTES];
    sync_attach_format(&plain, text);
    for (size_t length = strlen(text); length-- > 0;) {
        struct sync_attach attach;
        text[length] = '\0';
        assert_int_equal(sync_attach_parse(text, &attach, NULL), DUET_E_PROTOCOL);
    }
}

static void another_version_is_named(void **state)
{
    (void)state;
    const char *const cases[] = {"v1:whatever", "v0:", "v20:page=1",
                                 "v99999999999999999999999999:x"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sync_attach attach;
        struct duet_error error = {0};
        assert_int_equal(sync_attach_parse(cases[i], &attach, &error), DUET_E_VERSION);
        assert_non_null(strstr(error.message, "version"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_documented),
        cmocka_unit_test(round_trip_at_equal_length),
        cmocka_unit_test(malformed_text_is_refused),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(another_version_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
