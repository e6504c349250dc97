/* To be preloaded: the wall clock is so many seconds off as the file says that
 * DUET_TEST_CLOCK names, which a test may change at any time. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const char *path = getenv("DUET_TEST_CLOCK");
    long rc = syscall(SYS_clock_gettime, clock, now);
    FILE *file = clock == CLOCK_REALTIME && path != NULL ? fopen(path, "r") : NULL;
    char line[32];
    if (file != NULL) {
        if (fgets(line, sizeof line, file) != NULL) {
            now->tv_sec += strtol(line, NULL, 10);
        }
        (void)fclose(file);
    }
    return (int)rc;
}
