/* duet: the harness that a benchmark includes. C11 and C++11; no dependency.
 *
 *     struct duet *d = duet_open(NULL);   attaches to a running `duet`, or works alone
 *     while (duet_next(d)) {              false: enough
 *         prepare();                      not timed
 *         duet_begin(d);                  both sides are released together
 *         work();
 *         duet_end(d);
 *     }
 *     return duet_close(d);
 *
 * Started by `duet OLD NEW`, two such programs are measured in lock-step; started by
 * itself, the program measures itself and prints its times on standard output.
 *
 * Not thread-safe: one thread of the program drives it; the work may use as many
 * threads as it likes. SPDX-License-Identifier: MIT */
#ifndef DUET_DUET_H
#define DUET_DUET_H

#include <stddef.h> /* NULL, for duet_open() */
#include <stdint.h>

#if defined(__GNUC__)
#define DUET_API __attribute__((visibility("default")))
#else
#define DUET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct duet;

/* Attaches to the runner that started this process, or, without one, prepares to work
 * alone. `name`: of the benchmark, shown when it works alone; NULL: the program's name.
 * Never returns NULL: a failure is told on standard error, duet_next() then says false
 * at once and duet_close() returns a status that is not 0. Release with duet_close().
 */
DUET_API struct duet *duet_open(const char *name);

/* Whether another iteration is wanted. The iteration may be a filler, which is executed
 * in the same way but not recorded. */
DUET_API int duet_next(struct duet *d);

/* Waits for the other side and starts the clock. Everything before it is not timed. */
DUET_API void duet_begin(struct duet *d);

/* Stops the clock; then waits until the other side has ended its iteration too, so that
 * what follows cannot disturb it. */
DUET_API void duet_end(struct duet *d);

/* Says that the iteration under way executes `operations` operations, 1 to 2^53;
 * without it, it is one. The sides are compared by time per operation, so that their
 * batches may differ in size. From duet_next() to duet_end(). */
DUET_API void duet_count(struct duet *d, uint64_t operations);

/* Ends the region of the iteration that is open, and begins the one called `name`
 * (NULL: none); duet_end() ends the last one. Each name is compared by itself, too, in
 * the same run. Between duet_begin() and duet_end(); visits of the same name add up. Up
 * to 16 names of 1 to 31 printable characters of ASCII. Costs a reading of the clock.
 */
DUET_API void duet_region(struct duet *d, const char *name);

/* Before the first duet_begin(): leaves the measurement to another process, which calls
 * duet_open(): a worker that is started or forked afterwards. duet_next() then says
 * false, and duet_close() returns 0. A process that never calls duet_open() need not do
 * this, nor must its children. */
DUET_API void duet_hand_on(struct duet *d);

/* Ends the measurement and frees `d` (may be NULL). Returns the status that main()
 * should return: 0, or 1 when attaching failed or the run was ended by an error. */
DUET_API int duet_close(struct duet *d);

/* Why attaching failed, the run was ended by an error, or the calls are in a wrong order:
 * what duet_close() is going to return 1 for; NULL: nothing so far. For bindings, which
 * have errors of their own. Valid until the next call. */
DUET_API const char *duet_reason(struct duet *d);

/* Whether a runner is attached (1) or the program works alone (0). */
DUET_API int duet_attached(const struct duet *d);

/* The current iteration, from 0; a filler has the index of the iteration it follows. */
DUET_API uint64_t duet_index(const struct duet *d);

/* Keeps the compiler from removing the computation of *value. */
static inline void duet_keep(const void *value)
{
#if defined(__GNUC__)
    __asm__ __volatile__("" : : "r"(value) : "memory");
#else
    (void)value;
#endif
}

/* Version of this header: major * 10000 + minor * 100 + patch; and of the library. */
#define DUET_VERSION 100
DUET_API int duet_version(void);

#ifdef __cplusplus
}
#endif

#endif
