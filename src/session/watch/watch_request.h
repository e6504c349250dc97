/* What `duet watch` was asked for. */
#ifndef DUET_SESSION_WATCH_WATCH_REQUEST_H
#define DUET_SESSION_WATCH_WATCH_REQUEST_H

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
    const char *store;    /* NULL: the default */
    bool verbose;         /* tell of each execution and each miss */
};

#endif
