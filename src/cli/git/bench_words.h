/* The benchmark behind "--". */
#ifndef DUET_CLI_GIT_BENCH_WORDS_H
#define DUET_CLI_GIT_BENCH_WORDS_H

#include "base/text.h"

/* Where "--" stands; argc: nowhere. */
int bench_words_find(int argc, char **argv);

/* Appends the command line: one word is one already; of several each is one word of it.
 * count: may be negative, when there are none. */
void bench_words_append(struct text *text, int count, char **words);

#endif
