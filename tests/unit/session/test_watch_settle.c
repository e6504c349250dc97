/* A new watch: its defaults, and what --metric and --pattern make of it. */
// link: duet_session
#include "session/watch/watch_settle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void defaults_can_be_kept(void **state)
{
    (void)state;
    struct watch_request request;
    struct duet_error error;
    watch_request_init(&request);
    assert_true(request.seed <= INT64_MAX); /* JSON and SQLite have no more */
    assert_int_equal(watch_request_settle(&request, NULL, &error), DUET_OK);
    assert_string_equal(request.watch.metric, "time");
    assert_string_equal(request.watch.unit, "ns");
    assert_null(request.watch.pattern);
}

static void metric_and_pattern_decide_together(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        const char *pattern;
        const char *kept;
        const char *kept_pattern;
        bool higher_is_better;
    } cases[] = {{NULL, NULL, "time", NULL, false},
                 {"time", NULL, "time", NULL, false},
                 {"time", "[0-9]+", "printed_time", "[0-9]+", false},
                 {NULL, "[0-9]+", "printed_time", "[0-9]+", false},
                 {"throughput", "[0-9]+", "throughput", "[0-9]+", true},
                 {"score: ([0-9]+)", NULL, "printed", "score: ([0-9]+)", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct watch_request request;
        struct duet_error error;
        watch_request_init(&request);
        request.watch.pattern = cases[i].pattern;
        assert_int_equal(watch_request_settle(&request, cases[i].metric, &error),
                         DUET_OK);
        assert_string_equal(request.watch.metric, cases[i].kept);
        assert_int_equal(request.watch.higher_is_better, cases[i].higher_is_better);
        if (cases[i].kept_pattern == NULL) {
            assert_null(request.watch.pattern);
        } else {
            assert_string_equal(request.watch.pattern, cases[i].kept_pattern);
        }
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        const char *pattern;
        const char *release;
        double per_hour;
        enum duet_code code;
        const char *message;
    } cases[] = {
        {"throughput", NULL, NULL, 4, DUET_E_USAGE, "needs --pattern REGEX"},
        {"[0-9]+", "[a-z]+", NULL, 4, DUET_E_USAGE, "is a regular expression already"},
        {"(", NULL, NULL, 4, DUET_E_USAGE, "("},
        {NULL, NULL, "true", 4, DUET_E_USAGE, "--release needs --provision"},
        {NULL, NULL, NULL, 1e9, DUET_E_DOMAIN, "change --every"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct watch_request request;
        struct duet_error error;
        watch_request_init(&request);
        request.watch.pattern = cases[i].pattern;
        request.watch.release = cases[i].release;
        request.watch.per_hour = cases[i].per_hour;
        assert_int_equal(watch_request_settle(&request, cases[i].metric, &error),
                         cases[i].code);
        assert_non_null(strstr(error.message, cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_can_be_kept),
        cmocka_unit_test(metric_and_pattern_decide_together),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
