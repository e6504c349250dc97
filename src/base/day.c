#include "base/day.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MS_PER_S = 1000 };

void day_utc(int64_t utc_ms, char ret_moment[DAY_MOMENT_BYTES])
{
    time_t seconds = (time_t)(utc_ms / MS_PER_S);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL ||
        strftime(ret_moment, DAY_MOMENT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        ret_moment[0] = '\0';
    }
}

void day_local(int64_t utc_ms, char ret_moment[DAY_MOMENT_BYTES])
{
    time_t seconds = (time_t)(utc_ms / MS_PER_S);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL ||
        strftime(ret_moment, sizeof "2026-11-22 01:02:03", "%Y-%m-%d %H:%M:%S",
                 &local) == 0) {
        ret_moment[0] = '\0';
    }
}

void day_name(int64_t utc_ms, char ret_name[DAY_BYTES])
{
    char moment[DAY_MOMENT_BYTES] = "";
    if (utc_ms > 0) {
        day_utc(utc_ms, moment);
    }
    (void)snprintf(ret_name, DAY_BYTES, "%.*s", DAY_BYTES - 1, moment);
}

bool day_read(const char *name, int64_t *ret_utc_ms)
{
    struct tm day = {0};
    char again[DAY_BYTES];
    const char *end = strptime(name, "%Y-%m-%d", &day);
    if (end == NULL || *end != '\0') {
        return false;
    }
    int64_t utc_ms = (int64_t)timegm(&day) * MS_PER_S;
    day_name(utc_ms, again); /* timegm() makes March of February 30 */
    if (strcmp(again, name) != 0) {
        return false;
    }
    *ret_utc_ms = utc_ms;
    return true;
}

void day_today(char ret_name[DAY_BYTES])
{
    day_name((int64_t)time(NULL) * MS_PER_S, ret_name);
}
