/* `duet watch --derive`: how often to execute, and for how long at a time. */
#ifndef DUET_CLI_WATCH_ADVICE_H
#define DUET_CLI_WATCH_ADVICE_H

#include <stdbool.h>

/* As watch_derive(); prints the answer, `json`: as JSON. Returns an exit status, after
 * a message when it is not 0. */
int watch_advice_show(const char *path, double per_hour, double loss, bool json);

#endif
