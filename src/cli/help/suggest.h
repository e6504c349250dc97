/* What a mistyped word may have meant. */
#ifndef DUET_CLI_SUGGEST_H
#define DUET_CLI_SUGGEST_H

#include <stddef.h>

/* The most similar name so far; begin with {0}. `name` is borrowed; NULL: none is
 * similar enough, which is one mistake in every three letters. */
struct suggestion {
    const char *name;
    size_t mistakes;
};

/* Compares the first `length` characters of `word` with `name`. A mistake is a letter
 * too many, too few or wrong, or two neighbours in the wrong order (optimal string
 * alignment distance; Damerau 1964). The first of equally similar names stays. */
void suggest_consider(struct suggestion *best, const char *word, size_t length,
                      const char *name);

/* The command or topic of `duet help` that `word` may have meant; NULL: none. */
const char *suggest_subject(const char *word);

/* Prints to standard error what the words of a command line that failed may have meant:
 * a command's name behind its options, a mistyped one, or a topic of `duet help`. */
void suggest_commands(int count, char *const *words);

#endif
