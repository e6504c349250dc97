/* A watch while a process is at it, and how far watches have come, for people. */
#ifndef DUET_CLI_WATCH_SHOW_H
#define DUET_CLI_WATCH_SHOW_H

#include "cli/watch/watch_option.h"
#include "store/store_watch.h"

/* All return an exit status, after a message when something went wrong. */

/* Begins a watch, or goes on with one, until it is over; then shows its result. */
int watch_show_session(const struct watch_words *words);

/* Shows one watch (which: as store_watch_find()), or all; `json`: as JSON. */
int watch_show(struct store *store, const char *which, bool json);
int watch_show_all(struct store *store, bool json);

#endif
