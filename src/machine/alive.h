/* Whether a process is still there, by its number. */
#ifndef DUET_MACHINE_ALIVE_H
#define DUET_MACHINE_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Of the kernel's threads, and of a process whose first thread has ended, false. */
bool alive_has_memory(int64_t pid);

/* Whether a program still executes in it: not when it has ended, collected or not.
 * Threads may outlive the first one. */
bool alive_is(int64_t pid);

#endif
