/* Benchmarks that a front-end has found in two builds, as a suite's file. */
#ifndef DUET_SESSION_SUITE_BENCHMARK_LIST_H
#define DUET_SESSION_SUITE_BENCHMARK_LIST_H

#include "base/error.h"
#include "model/observation.h"
#include "session/listener.h"

/* Borrowed. A list has a line for each benchmark: its name, a tab, the command line
 * that executes it. Of equal names the first counts. */
struct benchmark_lists {
    const char *paths[MODEL_SIDES];  /* of the lists; a missing file is an empty one */
    const char *labels[MODEL_SIDES]; /* of the sides, for messages */
    const char *suite;               /* its name */
    const char *hint; /* what to do where there are no benchmarks at all */
};

/* Writes the suite of those that both have, in the order of the new side, to the file
 * `path`; tells which only one has. Errors: DUET_E_NOT_FOUND (no benchmark, or none in
 * both), DUET_E_FORMAT (a line without a tab), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code benchmark_list_suite(const struct benchmark_lists *lists,
                                                  const char *path,
                                                  const struct listener *listener,
                                                  struct duet_error *reterr);

#endif
