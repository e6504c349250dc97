#include "cli/inherited.h"

#include "base/alloc.h"
#include "cli/cli.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void correct_status(int unused, void *status)
{
    (void)unused;
    if (*(const int *)status < 0) {
        (void)fflush(NULL);
        _exit(CLI_EXIT_UNSUITABLE);
    }
}

void inherited_settle(const int *status)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(SIGCHLD, &usual, NULL);
    /* Only read. */
    (void)on_exit(correct_status, (void *)(uintptr_t)status);
}

bool inherited_rights(void)
{
    return getuid() != geteuid() || getgid() != getegid();
}

/* Stays until all have been started. */
static void *wait_for_all(void *argument)
{
    pthread_mutex_t *started = argument;
    (void)pthread_mutex_lock(started);
    (void)pthread_mutex_unlock(started);
    return NULL;
}

/* Of `wanted` threads, the calling one among them, how many there may be at once: it
 * starts and ends them, about 20 us each. */
static int threads_available(int wanted)
{
    pthread_mutex_t started = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads =
        wanted > 1 ? alloc_array((size_t)wanted - 1, sizeof *threads) : NULL;
    int others = 0;
    if (threads == NULL) {
        return 1;
    }
    (void)pthread_mutex_lock(&started);
    while (others < wanted - 1 &&
           pthread_create(&threads[others], NULL, wait_for_all, &started) == 0) {
        others++;
    }
    (void)pthread_mutex_unlock(&started);
    for (int i = 0; i < others; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    free(threads);
    return 1 + others;
}

void inherited_settle_threads(void)
{
    int wanted = omp_get_max_threads();
    int available = threads_available(wanted);
    if (available < wanted) {
        omp_set_num_threads(available);
    }
}
