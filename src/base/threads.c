#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Whether this thread is in a loop already. */
static _Thread_local bool inside;

struct shared {
    const struct threads_loop *loop;
    size_t chunk;
    /* The next index to hand out. Relaxed: what the chunks write is read after
     * pthread_join(), and they share nothing else. */
    atomic_size_t next;
    atomic_bool failed; /* relaxed: only keeps further chunks from being begun */
    pthread_mutex_t lock;
    size_t failed_at; /* guarded by `lock`, as what follows */
    enum duet_code code;
    struct duet_error error;
};

struct worker {
    struct shared *shared;
    size_t number;
    pthread_t thread;
};

int threads_usual(void)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    cpu_set_t cpus;
    long count = asked != NULL ? strtol(asked, NULL, 10) : 0;
    if (count < 1) {
        count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    }
    return count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static void note_failure(struct shared *shared, size_t first, enum duet_code code,
                         const struct duet_error *error)
{
    atomic_store_explicit(&shared->failed, true, memory_order_relaxed);
    (void)pthread_mutex_lock(&shared->lock);
    if (shared->code == DUET_OK || first < shared->failed_at) {
        shared->failed_at = first;
        shared->code = code;
        shared->error = *error;
    }
    (void)pthread_mutex_unlock(&shared->lock);
}

/* Chunks before one that failed have been begun before it, and are ended. */
static void work(struct shared *shared, size_t number)
{
    const struct threads_loop *loop = shared->loop;
    inside = true;
    while (!atomic_load_explicit(&shared->failed, memory_order_relaxed)) {
        size_t first = atomic_fetch_add_explicit(&shared->next, shared->chunk,
                                                 memory_order_relaxed);
        if (first >= loop->count) {
            break;
        }
        size_t left = loop->count - first;
        size_t end = first + (left < shared->chunk ? left : shared->chunk);
        struct duet_error error = {.code = DUET_OK};
        enum duet_code code = loop->body(loop->context, first, end, number, &error);
        if (code != DUET_OK) {
            note_failure(shared, first, code, &error);
        }
    }
    inside = false;
}

static void *worker_main(void *argument)
{
    const struct worker *worker = argument;
    work(worker->shared, worker->number);
    return NULL;
}

static enum duet_code do_together(const struct threads_loop *loop, size_t chunk,
                                  size_t threads, struct duet_error *reterr)
{
    struct shared shared = {
        .loop = loop, .chunk = chunk, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct worker workers[THREADS_MAX];
    size_t started = 0;
    while (started + 1 < threads) {
        struct worker *worker = &workers[started];
        worker->shared = &shared;
        worker->number = started + 1;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
            break;
        }
        started++;
    }
    work(&shared, 0);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    (void)pthread_mutex_destroy(&shared.lock);
    return shared.code == DUET_OK
               ? DUET_OK
               : error_set(reterr, shared.code, "%s", shared.error.message);
}

enum duet_code threads_for(const struct threads_loop *loop, struct duet_error *reterr)
{
    enum { CALLS = 4 }; /* a thread, where nothing else is asked for */
    size_t threads = inside || loop->threads < 1   ? 1
                     : loop->threads > THREADS_MAX ? THREADS_MAX
                                                   : (size_t)loop->threads;
    size_t chunk = loop->chunk > 0 ? loop->chunk : loop->count / (CALLS * threads) + 1;
    size_t chunks = loop->count / chunk + (loop->count % chunk != 0);
    threads = chunks < threads ? chunks : threads;
    if (threads > 1) {
        return do_together(loop, chunk, threads, reterr);
    }
    enum duet_code code = DUET_OK;
    for (size_t first = 0; first < loop->count && code == DUET_OK; first += chunk) {
        size_t left = loop->count - first;
        struct duet_error error = {.code = DUET_OK};
        code = loop->body(loop->context, first, first + (left < chunk ? left : chunk),
                          0, &error);
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s", error.message);
        }
    }
    return code;
}

void threads_do(const struct threads_loop *loop)
{
    (void)!threads_for(loop, NULL);
}
