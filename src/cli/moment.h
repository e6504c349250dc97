/* Moments on the command line. */
#ifndef DUET_CLI_MOMENT_H
#define DUET_CLI_MOMENT_H

#include "base/error.h"

#include <stdint.h>

/* How long ago, such as 30d or 12h, as the moment: ms since 1970, UTC. what: the
 * option. Errors: DUET_E_USAGE (no duration, or one without a unit). */
BASE_MUST_USE enum duet_code moment_take_age(const char *text, const char *what,
                                             int64_t *ret_utc_ms,
                                             struct duet_error *reterr);

/* The same, or a date in local time with or without a time of day: 2026-11-23,
 * "2026-11-23 14:30", 2026-11-23T14:30:05. */
BASE_MUST_USE enum duet_code moment_take(const char *text, const char *what,
                                         int64_t *ret_utc_ms,
                                         struct duet_error *reterr);

#endif
