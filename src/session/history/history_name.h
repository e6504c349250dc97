/* Benchmarks by what the user types. */
#ifndef DUET_SESSION_HISTORY_NAME_H
#define DUET_SESSION_HISTORY_NAME_H

#include <stdbool.h>

/* A shell pattern, or without * ? [ a part of the name; NULL matches all. */
bool history_name_matches(const char *pattern, const char *name);

/* The same; where a benchmark is called like the pattern (`exact`) that one alone. */
bool history_name_chosen(const char *pattern, bool exact, const char *name);

#endif
