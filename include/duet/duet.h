/* duet: the harness that a benchmark includes. C11 and C++11; no dependency.
 *
 *     struct duet *d = duet_open(NULL);   attaches to a running `duet`, or works alone
 *     while (duet_next(d)) {              false: the measurement has ended
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
 * Not thread-safe: call all functions from one thread. The work itself may use more
 * threads. SPDX-License-Identifier: MIT */
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

/* Attaches to the `duet` that started this process. Without one, prepares to work
 * alone. `name`: the benchmark's name, shown when it works alone; NULL: the program's
 * name. Never returns NULL. A failure is reported on standard error; then duet_next()
 * returns 0 at once and duet_close() a status that is not 0. Release with duet_close().
 */
DUET_API struct duet *duet_open(const char *name);

/* Returns 1 when another iteration is to be done, else 0. The iteration may be a
 * filler: it is executed like the others, to keep the CPU busy, and not recorded. One
 * may be left out (`continue`), but 10 s of calls without duet_begin() are an error. */
DUET_API int duet_next(struct duet *d);

/* Waits for the other side and starts the clock. What was done before is not timed. */
DUET_API void duet_begin(struct duet *d);

/* Stops the clock. Then waits until the other side has ended its iteration, so that the
 * code that follows cannot disturb it. */
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

/* The work is done by another process, which this one tells to begin and waits for.
 * Then the resource usage of this process says nothing: none is recorded, and a run
 * that compares CPU time (--schedule timeslice) is refused by duet_next() and
 * duet_close(). Before the first duet_next(). */
DUET_API void duet_elsewhere(struct duet *d);

/* Says that the work of the iteration under way took `took_ns`, as a clock of the
 * program's own has measured it, where duet_begin() and duet_end() cannot be called
 * right around it. At most the time between these two, which counts without it. Of a
 * part of that time no resource usage is known, so that --schedule auto compares
 * elapsed times. Where CPU time is compared (--schedule timeslice), it changes nothing.
 * Between duet_begin() and duet_end(). */
DUET_API void duet_took(struct duet *d, uint64_t took_ns);

/* Ends the measurement and frees `d` (may be NULL). Returns the exit status for main():
 * 0, or 1 when attaching failed, an error ended the run, or the calls came in a wrong
 * order. */
DUET_API int duet_close(struct duet *d);

/* Why attaching failed, the run was ended by an error, or the calls are in a wrong
 * order: what duet_close() is going to return 1 for; NULL: nothing so far. For
 * bindings, which have errors of their own. Valid until the next call. */
DUET_API const char *duet_reason(struct duet *d);

/* Returns 1 when attached to `duet`, 0 when the program works alone. */
DUET_API int duet_attached(const struct duet *d);

/* Returns the index of the current iteration, from 0. A filler has the index of the
 * iteration that it follows. */
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

/* The version of this header, as major * 10000 + minor * 100 + patch. duet_version()
 * returns that of the library. */
#define DUET_VERSION 100
DUET_API int duet_version(void);

#ifdef __cplusplus
}
#endif

#endif
