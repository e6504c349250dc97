#include "session/today.h"

#include <time.h>

void today_utc(char ret_day[TODAY_BYTES])
{
    struct tm utc;
    time_t now = time(NULL);
    (void)strftime(ret_day, TODAY_BYTES, "%Y-%m-%d", gmtime_r(&now, &utc));
}
