/* Ctrl-C and SIGTERM as something that can be polled: the measurement ends in order,
 * and what was finished is kept. */
#ifndef DUET_CLI_INTERRUPT_H
#define DUET_CLI_INTERRUPT_H

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct interrupt {
    int cancel_fd; /* read end of a pipe: a byte for each request, measure/cancel.h */
    int request_fd;
    int signal_fd;     /* what the thread waits for: a signal, */
    int end_fd;        /* and interrupt_close() */
    atomic_bool reads; /* interrupt_reads() */
    pthread_t thread;
    bool has_thread; /* where there may be none, a signal just ends us */
};

/* Blocks SIGINT, SIGTERM and SIGHUP (one that is ignored stays so); each is a request
 * to stop, and those within a second of the first are the same one. Two seconds after
 * the second request the process ends with CLI_EXIT_INTERRUPTED, whatever it is doing.
 * Fills *ret_interrupt, which stays where it is until it is closed. Errors:
 * DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code interrupt_open(struct interrupt *ret_interrupt,
                                            struct duet_error *reterr);

/* Whether the program just reads what it is given, perhaps from a pipe or a terminal
 * that nothing comes from: then the first request ends it, a moment later, with
 * CLI_EXIT_INTERRUPTED. Nothing that has to be ended in order may be open. */
void interrupt_reads(struct interrupt *interrupt, bool reads);

/* From here on such a signal ends the program at once. */
void interrupt_close(struct interrupt *interrupt);

#endif
