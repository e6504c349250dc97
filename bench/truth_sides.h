/* duet_truth: programs whose cost is known by construction (bench/truth compares them).
 *
 * A program's iteration has a structure, its kind (it forks, sleeps, yields, ...), and
 * an amount of counted work. bench/truth weighs a kind against a plain loop on the
 * quiet machine and gives the loop the count that makes the two equally long. */
#ifndef DUET_BENCH_TRUTH_SIDES_H
#define DUET_BENCH_TRUTH_SIDES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a process that serves this one shares with it. */
struct truth_shared {
    _Atomic uint32_t asked;
    _Atomic uint32_t answered;
};

/* One side while it executes. */
struct truth_side {
    uint64_t work; /* operations of an iteration */
    double number; /* what it means is the kind's business */
    uint64_t random_state;
    /* Of kinds with a second task. */
    pid_t child;
    int to_child[2];
    int from_child[2];
    struct truth_shared *shared;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned turn; /* whose it is: even the first thread's */
    bool over;
    /* Of kinds that use memory or files. */
    void *memory;
    int file;
};

/* prepare() and finish() may be NULL. In harness mode neither is timed. */
struct truth_kind {
    const char *name;
    void (*prepare)(struct truth_side *side);
    void (*iterate)(struct truth_side *side);
    void (*finish)(struct truth_side *side);
};

/* One thread of one process; several tasks. Each list ends with a NULL name. */
extern const struct truth_kind truth_kinds_alone[];
extern const struct truth_kind truth_kinds_tasks[];

/* The unit of work: so many operations, each of which needs the one before. */
void truth_burn(uint64_t operations);

/* Sleeps; starts again when a signal interrupts. */
void truth_sleep_ns(long time_ns);

/* Uniform in (0, 1). */
double truth_uniform(struct truth_side *side);

/* Tells what failed, with errno, and exits. */
_Noreturn void truth_fail(const char *what);

/* The calling process gets SIGKILL when its parent is gone. */
void truth_die_with_parent(void);

/* `pair CPU COUNT A... :: B...`: executes two commands in turns on one CPU; a line of
 * each execution: a or b, elapsed ns, CPU ns of it and of its children. Exit status. */
int truth_pair(int count, char **words);

#endif
