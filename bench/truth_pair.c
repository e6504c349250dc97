/* Two commands in turns on one CPU, timed as `duet` times a command: from before it is
 * started until the kernel says that it is gone. */

#include "truth_sides.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void bind_to(unsigned cpu)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        truth_fail("sched_setaffinity");
    }
}

static void execute(char side, char **words, const posix_spawn_file_actions_t *actions)
{
    struct timespec begin;
    struct timespec end;
    struct rusage usage;
    int status = 0;
    pid_t child = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    errno = posix_spawnp(&child, words[0], actions, NULL, words, environ);
    if (errno != 0) {
        truth_fail(words[0]);
    }
    if (wait4(child, &status, 0, &usage) != child) {
        truth_fail("wait4");
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    if (status != 0) {
        (void)fprintf(stderr, "duet_truth: %s failed\n", words[0]);
        exit(1);
    }
    int64_t took_ns =
        ((int64_t)end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
    int64_t cpu_us =
        ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
        usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    (void)printf("%c %" PRId64 " %" PRId64 "\n", side, took_ns, cpu_us * 1000);
}

int truth_pair(int count, char **words)
{
    bind_to((unsigned)strtoul(words[0], NULL, 10));
    long executions = strtol(words[1], NULL, 10);
    char **first = words + 2;
    char **second = NULL;
    for (int i = 2; i < count; i++) {
        if (strcmp(words[i], "::") == 0) {
            words[i] = NULL;
            second = words + i + 1;
            break;
        }
    }
    if (second == NULL || *first == NULL || *second == NULL) {
        (void)fprintf(stderr,
                      "duet_truth: pair: two commands with '::' between them\n");
        return 2;
    }
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                         0) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                         0) != 0) {
        truth_fail("posix_spawn_file_actions");
    }
    /* A B, B A: neither has the other behind it always. */
    for (long i = 0; i < executions; i++) {
        bool swapped = i % 2 == 1;
        execute(swapped ? 'b' : 'a', swapped ? second : first, &actions);
        execute(swapped ? 'a' : 'b', swapped ? first : second, &actions);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return 0;
}
