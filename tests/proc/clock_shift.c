/* To be preloaded: the wall clock is so many seconds off as the file says that
 * DUET_TEST_CLOCK names, which a test may change at any time; and the monotonic clock
 * runs DUET_TEST_CLOCK_RATE times as fast since DUET_TEST_CLOCK_BASE, which is in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void shift(const char *path, struct timespec *now)
{
    FILE *file = fopen(path, "r");
    char line[32];
    if (file != NULL) {
        if (fgets(line, sizeof line, file) != NULL) {
            now->tv_sec += strtol(line, NULL, 10);
        }
        (void)fclose(file);
    }
}

static void speed_up(const char *rate, const char *base, struct timespec *now)
{
    const int64_t second_ns = 1000000000;
    int64_t base_ns = strtoll(base, NULL, 10);
    int64_t now_ns = now->tv_sec * second_ns + now->tv_nsec;
    now_ns = base_ns + (now_ns - base_ns) * strtoll(rate, NULL, 10);
    now->tv_sec = now_ns / second_ns;
    now->tv_nsec = now_ns % second_ns;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const char *path = getenv("DUET_TEST_CLOCK");
    const char *rate = getenv("DUET_TEST_CLOCK_RATE");
    const char *base = getenv("DUET_TEST_CLOCK_BASE");
    long rc = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && path != NULL) {
        shift(path, now);
    } else if (clock == CLOCK_MONOTONIC && rate != NULL && base != NULL) {
        speed_up(rate, base, now);
    }
    return (int)rc;
}
