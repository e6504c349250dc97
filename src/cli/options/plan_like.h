/* Planning from a data set, for duet plan --like. */
#ifndef DUET_CLI_PLAN_LIKE_H
#define DUET_CLI_PLAN_LIKE_H

#include <stddef.h>

/* What duet plan takes for it; 0 and NULL: as 'duet study planning' has it. */
struct plan_like {
    const char *word;  /* as the studies take it */
    const char *store; /* of --store */
    const char *json;  /* a file, of one effect */
    const double *effects;
    size_t count;
    double found_least;
    double confidence; /* of the test */
};

/* As 'duet study planning' with its usual options: a table for each effect, on standard
 * output. Returns an exit status; a message was printed when it is not 0. */
int plan_like(const struct plan_like *like);

#endif
