/* The number that a command prints. */
#ifndef DUET_SESSION_WATCH_WATCH_METRIC_H
#define DUET_SESSION_WATCH_WATCH_METRIC_H

#include "pattern/pattern.h"

struct watch_metric {
    const char *text; /* of the regular expression; NULL: nothing is read */
    struct pattern *pattern;
    int output_fd; /* what the command has printed; -1: not kept */
};

/* text: a regular expression (pattern/pattern.h); its first group, else all that it
 * matches, is the number. NULL: none. Errors: DUET_E_USAGE (no
 * regular expression: says why), DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code watch_metric_open(const char *text,
                                               struct watch_metric *ret_metric,
                                               struct duet_error *reterr);
void watch_metric_close(struct watch_metric *metric);

/* Forgets what was printed. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code watch_metric_clear(const struct watch_metric *metric,
                                                struct duet_error *reterr);

/* The number in the first line that matches. cancel_fd: -1, or ends it when readable.
 * Errors: DUET_E_WORKLOAD (nothing matches, no number, not positive, too long to look
 * for: says what was printed and what to do), DUET_E_SYSTEM, DUET_E_NOMEM,
 * DUET_E_INTERRUPTED. */
BASE_MUST_USE enum duet_code watch_metric_read(const struct watch_metric *metric,
                                               int cancel_fd, double *ret_value,
                                               struct duet_error *reterr);

#endif
