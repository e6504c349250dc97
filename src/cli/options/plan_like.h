/* Planning from a data set, for duet plan --like. */
#ifndef DUET_CLI_PLAN_LIKE_H
#define DUET_CLI_PLAN_LIKE_H

#include <stddef.h>

/* As 'duet study planning' with its usual options: a table for each effect, on standard
 * output. word: as the studies take it, store: of --store, or NULL. Returns an exit
 * status; a message was printed when it is not 0. */
int plan_like(const char *word, const char *store, const double *effects, size_t count,
              double found_least);

#endif
