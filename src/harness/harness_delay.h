/* How long a thread was ready to execute while others had its CPU: the kernel's count
 * (/proc/thread-self/schedstat). */
#ifndef DUET_HARNESS_DELAY_H
#define DUET_HARNESS_DELAY_H

#include "harness/harness_descriptor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed storage is ready. */
struct harness_delay {
    bool opened; /* for `thread`; no descriptor: the kernel does not say */
    struct harness_descriptor file;
    pthread_t thread;
};

/* Of the calling thread, so far, in ns; one system call. false: not known. */
bool harness_delay_read(struct harness_delay *delay, uint64_t *ret_ns);
void harness_delay_release(struct harness_delay *delay);

#endif
