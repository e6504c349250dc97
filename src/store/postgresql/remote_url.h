/* URLs of PostgreSQL stores. */
#ifndef DUET_STORE_REMOTE_URL_H
#define DUET_STORE_REMOTE_URL_H

#include "base/error.h"

#include <stdbool.h>

/* Whether it begins with postgresql: or postgres:, in capitals, too. */
bool remote_is_url(const char *path);
/* Refuses one that holds a password (DUET_E_USAGE), which the message does not repeat:
 * every user of the machine can read the words of a process. */
BASE_MUST_USE enum duet_code remote_url_check(const char *url,
                                              struct duet_error *reterr);
/* The refusal itself. */
enum duet_code remote_url_refuse(struct duet_error *reterr);

#endif
