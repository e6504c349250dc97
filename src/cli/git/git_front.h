/* Front-ends of benchmark harnesses: duet git with a build and a list of benchmarks
 * that are known. */
#ifndef DUET_CLI_GIT_GIT_FRONT_H
#define DUET_CLI_GIT_GIT_FRONT_H

#include "cli/cli.h"
#include "cli/suite/suite_carry.h"

enum git_option {
    GIT_OPTION_BUILD = CLI_OPTION_FIRST,
    GIT_OPTION_KEEP,
    GIT_OPTION_NO_CACHE,
    GIT_OPTION_SUITE,
    GIT_OPTION_ONLY
};

#define GIT_OPTION_CACHE_ROWS                                                  \
    {"keep-builds", 0, "N", GIT_OPTION_KEEP,                                   \
     "Keep the N builds of this repository that were used last. Default: 8."}, \
    {                                                                          \
        "no-cache", 0, NULL, GIT_OPTION_NO_CACHE,                              \
            "Check out and build again, and keep nothing afterwards."          \
    }

#define GIT_FRONT_ROWS                                                                   \
    {"only", 0, "PATTERN", GIT_OPTION_ONLY,                                              \
     "Measure only benchmarks whose name matches the shell pattern (* ? [...]). May be " \
     "repeated."},                                                                       \
        GIT_OPTION_CACHE_ROWS, SUITE_OPTION_ROWS

/* Where a script leaves the list of benchmarks, in the worktree. */
#define GIT_FRONT_LIST ".duet/benchmarks"

struct git_front {
    /* For /bin/sh in a worktree: builds, and writes the list; its parameters are the
     * words of the command line behind the revisions. */
    const char *script;
    const char *hint; /* what to do where it has found no benchmark */
};

/* As `duet git` with the options of GIT_FRONT_ROWS. front NULL: `duet git` itself. */
int git_front_main(const struct cli_command *command, int argc, char **argv,
                   const struct git_front *front);

#endif
