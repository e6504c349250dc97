/* What the command line of `duet suite` asks for. */
#ifndef DUET_CLI_SUITE_REQUEST_H
#define DUET_CLI_SUITE_REQUEST_H

#include "cli/run_options.h"

#include <stdbool.h>
#include <stddef.h>

/* An option of `duet run`, to be put over what the file says. */
struct suite_override {
    int id;
    const char *value;
};

struct suite_request {
    const char *path;
    struct run_options base; /* the options by themselves: output, store, seed */
    bool seed_given;
    struct suite_override *overrides;
    size_t override_count;
    const char **only; /* patterns; none: everything */
    size_t only_count;
    /* --old and --new, in order: "VALUE" of {build}, or "NAME=VALUE" */
    const char **sides[MODEL_SIDES];
    size_t side_counts[MODEL_SIDES];
    bool list;
    bool resume;
};

void suite_request_release(struct suite_request *request);

#endif
