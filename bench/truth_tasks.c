/* Kinds of several tasks. All of them but `parallel`, `locks` and `background` have one
 * task at a time that is ready: on one CPU they take the time of their work. */

#include "truth_sides.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILDREN = 8,
    TURNS = 10,
    LOCKED_PIECES = 100,
    SPAWNED = 2,
    PAUSE_NS = 4000000,
};

extern char **environ;

/* In the child 0; its parent's death is its own. */
static pid_t fork_child(void)
{
    pid_t child = fork();
    if (child < 0) {
        truth_fail("fork");
    }
    if (child == 0) {
        truth_die_with_parent();
    }
    return child;
}

static void wait_for(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0) {
        if (errno != EINTR) {
            truth_fail("waitpid");
        }
    }
}

static void child_kill(struct truth_side *side)
{
    (void)kill(side->child, SIGKILL);
    wait_for(side->child);
}

static void children_work(unsigned count, uint64_t work)
{
    for (unsigned i = 0; i < count; i++) {
        pid_t child = fork_child();
        if (child == 0) {
            truth_burn(work / count);
            _exit(0);
        }
        wait_for(child);
    }
}

static void forks(struct truth_side *side)
{
    truth_burn(side->work / 2);
    children_work(1, side->work / 2);
}

static void forks_often(struct truth_side *side)
{
    children_work(CHILDREN, side->work);
}

/* Starts other programs, which are nothing but starts. */
static void spawns(struct truth_side *side)
{
    for (unsigned i = 0; i < SPAWNED; i++) {
        char name[] = "true";
        char *words[] = {name, NULL};
        pid_t child = 0;
        errno = posix_spawnp(&child, name, NULL, NULL, words, environ);
        if (errno != 0) {
            truth_fail("posix_spawnp");
        }
        wait_for(child);
        truth_burn(side->work / SPAWNED);
    }
}

static void byte_send(const int *way)
{
    char byte = 0;
    if (write(way[1], &byte, 1) != 1) {
        truth_fail("write");
    }
}

static bool byte_take(const int *way)
{
    char byte = 0;
    return read(way[0], &byte, 1) == 1;
}

static void pipes_prepare(struct truth_side *side)
{
    if (pipe(side->to_child) != 0 || pipe(side->from_child) != 0) {
        truth_fail("pipe");
    }
    side->child = fork_child();
    while (side->child == 0) {
        if (!byte_take(side->to_child)) {
            _exit(0);
        }
        truth_burn(side->work / 2 / TURNS);
        byte_send(side->from_child);
    }
}

/* Two processes that wait for each other, half of the work each. */
static void pipes(struct truth_side *side)
{
    for (unsigned i = 0; i < TURNS; i++) {
        truth_burn(side->work / 2 / TURNS);
        byte_send(side->to_child);
        if (!byte_take(side->from_child)) {
            truth_fail("read");
        }
    }
}

static void pipes_finish(struct truth_side *side)
{
    child_kill(side);
    for (unsigned i = 0; i < 2; i++) {
        (void)close(side->to_child[i]);
        (void)close(side->from_child[i]);
    }
}

static void server_prepare(struct truth_side *side)
{
    side->shared = mmap(NULL, sizeof *side->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (side->shared == MAP_FAILED) {
        truth_fail("mmap");
    }
    side->child = fork_child();
    while (side->child == 0) {
        /* Pairs with the client's release: the count is all that is handed over. */
        uint32_t asked =
            atomic_load_explicit(&side->shared->asked, memory_order_acquire);
        if (asked ==
            atomic_load_explicit(&side->shared->answered, memory_order_relaxed)) {
            (void)sched_yield();
            continue;
        }
        truth_burn(side->work / 10 / TURNS);
        atomic_store_explicit(&side->shared->answered, asked, memory_order_release);
    }
}

/* A tenth of the work is a server's, which both wait for by yielding: none of the two
 * ever sleeps, and the server's time is the program's own. */
static void server(struct truth_side *side)
{
    uint32_t asked = atomic_load_explicit(&side->shared->asked, memory_order_relaxed);
    for (unsigned i = 0; i < TURNS; i++) {
        truth_burn((side->work - side->work / 10) / TURNS);
        asked++;
        atomic_store_explicit(&side->shared->asked, asked, memory_order_release);
        while (atomic_load_explicit(&side->shared->answered, memory_order_acquire) !=
               asked) {
            (void)sched_yield();
        }
    }
}

static void server_finish(struct truth_side *side)
{
    child_kill(side);
    (void)munmap(side->shared, sizeof *side->shared);
}

/* `number` operations, a pause of 4 ms, and so on: with a millisecond of work 20 % of
 * the CPU that the program has. */
static void background_prepare(struct truth_side *side)
{
    side->child = fork_child();
    while (side->child == 0) {
        truth_burn((uint64_t)side->number);
        truth_sleep_ns(PAUSE_NS);
    }
}

static void background(struct truth_side *side)
{
    truth_burn(side->work);
}

static void *thread_works(void *data)
{
    const struct truth_side *side = data;
    truth_burn(side->work);
    return NULL;
}

static void *thread_works_half(void *data)
{
    const struct truth_side *side = data;
    truth_burn(side->work / 2);
    return NULL;
}

static void *thread_works_locked(void *data)
{
    struct truth_side *side = data;
    for (unsigned i = 0; i < LOCKED_PIECES; i++) {
        (void)pthread_mutex_lock(&side->mutex);
        truth_burn(side->work / 2 / LOCKED_PIECES);
        (void)pthread_mutex_unlock(&side->mutex);
    }
    return NULL;
}

static void thread_start(struct truth_side *side, void *(*routine)(void *))
{
    errno = pthread_create(&side->thread, NULL, routine, side);
    if (errno != 0) {
        truth_fail("pthread_create");
    }
}

/* Another thread does all of it. */
static void worker(struct truth_side *side)
{
    thread_start(side, thread_works);
    (void)pthread_join(side->thread, NULL);
}

/* Two threads want the CPU at once. */
static void parallel(struct truth_side *side)
{
    thread_start(side, thread_works_half);
    truth_burn(side->work / 2);
    (void)pthread_join(side->thread, NULL);
}

static void locks_prepare(struct truth_side *side)
{
    (void)pthread_mutex_init(&side->mutex, NULL);
}

static void locks(struct truth_side *side)
{
    thread_start(side, thread_works_locked);
    (void)thread_works_locked(side);
    (void)pthread_join(side->thread, NULL);
}

static void locks_finish(struct truth_side *side)
{
    (void)pthread_mutex_destroy(&side->mutex);
}

static void *thread_alternates(void *data)
{
    struct truth_side *side = data;
    (void)pthread_mutex_lock(&side->mutex);
    for (;;) {
        while (side->turn % 2 == 0 && !side->over) {
            (void)pthread_cond_wait(&side->changed, &side->mutex);
        }
        if (side->over) {
            break;
        }
        truth_burn(side->work / 2 / TURNS);
        side->turn++;
        (void)pthread_cond_signal(&side->changed);
    }
    (void)pthread_mutex_unlock(&side->mutex);
    return NULL;
}

static void threads_prepare(struct truth_side *side)
{
    (void)pthread_mutex_init(&side->mutex, NULL);
    (void)pthread_cond_init(&side->changed, NULL);
    thread_start(side, thread_alternates);
}

/* Two threads in turns. */
static void threads(struct truth_side *side)
{
    (void)pthread_mutex_lock(&side->mutex);
    for (unsigned i = 0; i < TURNS; i++) {
        truth_burn(side->work / 2 / TURNS);
        side->turn++;
        (void)pthread_cond_signal(&side->changed);
        while (side->turn % 2 == 1) {
            (void)pthread_cond_wait(&side->changed, &side->mutex);
        }
    }
    (void)pthread_mutex_unlock(&side->mutex);
}

static void threads_finish(struct truth_side *side)
{
    (void)pthread_mutex_lock(&side->mutex);
    side->over = true;
    (void)pthread_cond_signal(&side->changed);
    (void)pthread_mutex_unlock(&side->mutex);
    (void)pthread_join(side->thread, NULL);
    (void)pthread_cond_destroy(&side->changed);
    (void)pthread_mutex_destroy(&side->mutex);
}

const struct truth_kind truth_kinds_tasks[] = {
    {.name = "forks", .iterate = forks},
    {.name = "forks-often", .iterate = forks_often},
    {.name = "spawns", .iterate = spawns},
    {"pipes", pipes_prepare, pipes, pipes_finish},
    {"server", server_prepare, server, server_finish},
    {"background", background_prepare, background, child_kill},
    {.name = "worker", .iterate = worker},
    {.name = "parallel", .iterate = parallel},
    {"locks", locks_prepare, locks, locks_finish},
    {"threads", threads_prepare, threads, threads_finish},
    {.name = NULL},
};
