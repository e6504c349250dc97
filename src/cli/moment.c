#include "cli/moment.h"

#include "base/parse.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };

/* A bare number would be seconds, which nobody means by an age. */
static bool has_unit(const char *text)
{
    return text[strspn(text, "0123456789.")] != '\0';
}

enum duet_code moment_take_age(const char *text, const char *what, int64_t *ret_utc_ms,
                               struct duet_error *reterr)
{
    uint64_t age_ns = 0;
    struct timespec now;
    if (!has_unit(text) || parse_duration_ns(text, what, &age_ns, NULL) != DUET_OK) {
        return error_set(
            reterr, DUET_E_USAGE,
            "%s: '%s' is not an age: write a number and a unit, as in 30d or 12h", what,
            text);
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *ret_utc_ms = (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS -
                  (int64_t)(age_ns / NS_PER_MS);
    return DUET_OK;
}

static bool read_date(const char *text, struct tm *ret_date)
{
    static const char *const formats[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M",
                                          "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                          "%Y-%m-%dT%H:%M:%S"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct tm date = {.tm_isdst = -1};
        const char *end = strptime(text, formats[i], &date);
        if (end != NULL && *end == '\0') {
            *ret_date = date;
            return true;
        }
    }
    return false;
}

enum duet_code moment_take(const char *text, const char *what, int64_t *ret_utc_ms,
                           struct duet_error *reterr)
{
    struct tm date;
    if (!read_date(text, &date)) {
        return moment_take_age(text, what, ret_utc_ms, NULL) == DUET_OK
                   ? DUET_OK
                   : error_set(
                         reterr, DUET_E_USAGE,
                         "%s: '%s' is neither a date nor an age: write 2026-11-23, '2026-11-23 14:30', 7d or 12h",
                         what, text);
    }
    int day = date.tm_mday;
    time_t seconds = mktime(&date);
    if (date.tm_mday != day) { /* mktime() makes March of February 30 */
        return error_set(reterr, DUET_E_USAGE, "%s: '%s': this month has no day %d",
                         what, text, day);
    }
    *ret_utc_ms = (int64_t)seconds * MS_PER_S;
    return DUET_OK;
}
