/* What sessions tell, on standard error. */
#ifndef DUET_CLI_TERMINAL_LISTENER_H
#define DUET_CLI_TERMINAL_LISTENER_H

#include "session/listener.h"

/* progress: draw the progress line, too, when standard error is a terminal; else a line
 * for each benchmark of a suite that has ended. */
const struct listener *terminal_listener(bool progress);

#endif
