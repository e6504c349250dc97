/* What the command line of `duet suite` asks for. */
#ifndef DUET_SESSION_SUITE_SUITE_REQUEST_H
#define DUET_SESSION_SUITE_SUITE_REQUEST_H

#include "session/comparison/run_request.h"

#include <stdbool.h>
#include <stddef.h>

/* A setting (session/comparison/run_request.h), to be put over what the file says. */
struct suite_override {
    const char *name;
    const char *value;
};

struct suite_request {
    const char *path;
    struct run_request base; /* the settings by themselves: store, seed */
    bool seed_given;
    struct suite_override *overrides;
    size_t override_count;
    const char **only; /* patterns; none: everything */
    size_t only_count;
    /* --old and --new, in order: "VALUE" of {build}, or "NAME=VALUE" */
    const char **sides[MODEL_SIDES];
    size_t side_counts[MODEL_SIDES];
    /* Where commands run whose benchmark does not say; NULL: in the current folder */
    const char *folders[MODEL_SIDES];
    uint64_t time_budget_ns; /* of all benchmarks together; 0: each has its own */
    bool list;
    bool resume;
};

void suite_request_release(struct suite_request *request);

#endif
