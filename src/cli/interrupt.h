/* Ctrl-C and SIGTERM as something that can be polled: the measurement ends in order,
 * and what was finished is kept. */
#ifndef DUET_CLI_INTERRUPT_H
#define DUET_CLI_INTERRUPT_H

#include "base/error.h"

/* Blocks SIGINT, SIGTERM and SIGHUP (one that is ignored stays so) and returns, in
 * *ret_fd, a descriptor that becomes readable when one of them comes. */
BASE_MUST_USE enum duet_code interrupt_open(int *ret_fd, struct duet_error *reterr);

/* Takes the signal that was announced; a second one then ends the program at once. */
void interrupt_close(int fd);

#endif
