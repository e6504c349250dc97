/* What `duet watch` was asked for. */
#ifndef DUET_CLI_WATCH_REQUEST_H
#define DUET_CLI_WATCH_REQUEST_H

#include "model/watching.h"

#include <stdbool.h>

/* Strings are the command line's. */
struct watch_request {
    struct model_watch watch; /* name: NULL, or --name; without the folder */
    const char *command;      /* NULL: --resume without a name */
    const char *shell;        /* NULL: none */
    const char *prepare;
    const char *conclude;
    uint64_t timeout_ns;
    uint64_t seed;
    bool ignore_failure;
    bool resume;
    bool intervals_given; /* --max-intervals */
    bool fail_unsure;     /* --fail-on unsure */
    const char *store;    /* NULL: the default */
    bool quiet;
    bool verbose;
    bool json;
};

/* Begins a watch, or goes on with one, until it is over. Returns an exit status, after
 * a message when something went wrong. */
int watch_session_run(const struct watch_request *request);

#endif
