/* How long a thread was ready to execute while others had its CPU: the kernel's count
 * (/proc/thread-self/schedstat). */
#ifndef DUET_HARNESS_DELAY_H
#define DUET_HARNESS_DELAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed storage is ready. */
struct harness_delay {
    bool opened; /* for `thread`; fd -1: the kernel does not say */
    int fd;
    dev_t
        device; /* that it leads to: the program may close it, and open others there */
    ino_t inode;
    pthread_t thread;
};

/* Of the calling thread, so far, in ns; one system call. false: not known. */
bool harness_delay_read(struct harness_delay *delay, uint64_t *ret_ns);
void harness_delay_release(struct harness_delay *delay);

#endif
