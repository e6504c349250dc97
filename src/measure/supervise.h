/* Inside a supervisor process. */
#ifndef DUET_MEASURE_SUPERVISE_H
#define DUET_MEASURE_SUPERVISE_H

#include "measure/supervisor.h"

/* The first message of a supervisor: ready, or why not. */
struct supervise_ready {
    enum duet_code code;
    char message[1024];
};

/* Takes orders from socket_fd until its other end is closed, then exits; never returns.
 * runner: the process that must live. */
_Noreturn void supervise_main(const struct supervisor_setup *setup, int socket_fd,
                              pid_t runner);

#endif
