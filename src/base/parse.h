/* Numbers with units, as users type them. Every function leaves its result untouched
 * on failure and names `what` (an option, a field) in the message. */
#ifndef DUET_BASE_PARSE_H
#define DUET_BASE_PARSE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "500ms", "2s", "1.5min", "20us", "100ns", "2h", "1d"; a bare number is seconds.
 * Result in ns, rounded, exact up to 2^52 ns (52 days). Errors: DUET_E_USAGE (not a
 * duration, negative, or above 292 years). */
BASE_MUST_USE enum duet_code parse_duration_ns(const char *text, const char *what,
                                               uint64_t *ret_ns,
                                               struct duet_error *reterr);

/* The same above 0. Errors: also DUET_E_USAGE (0). */
BASE_MUST_USE enum duet_code parse_time_ns(const char *text, const char *what,
                                           uint64_t *ret_ns, struct duet_error *reterr);

/* "2%" or "0.02", giving the fraction 0.02. Errors: DUET_E_USAGE (not a number, not
 * finite, negative). */
BASE_MUST_USE enum duet_code parse_fraction(const char *text, const char *what,
                                            double *ret_fraction,
                                            struct duet_error *reterr);
/* Such a fraction between 0 and 1 but neither of them: a confidence, an error. */
BASE_MUST_USE enum duet_code parse_share(const char *text, const char *what,
                                         double *ret_share, struct duet_error *reterr);

/* A change relative to something, with its unit: "2%" gives 0.02. Also "0", which is
 * the same in every unit. Errors: DUET_E_USAGE (as above, or no unit: whether "2" is
 * meant as 2 % or as 200 % cannot be known). */
BASE_MUST_USE enum duet_code parse_change(const char *text, const char *what,
                                          double *ret_fraction,
                                          struct duet_error *reterr);

/* A whole number in [low, high]. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code parse_whole(const char *text, const char *what,
                                         uint64_t low, uint64_t high,
                                         uint64_t *ret_value,
                                         struct duet_error *reterr);

/* The same for a number of things. */
BASE_MUST_USE enum duet_code parse_size(const char *text, const char *what, size_t low,
                                        size_t high, size_t *ret_size,
                                        struct duet_error *reterr);

/* A finite number, all of the text. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code parse_number(const char *text, const char *what,
                                          double *ret_value, struct duet_error *reterr);

/* The same above 0. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code parse_positive(const char *text, const char *what,
                                            double *ret_value,
                                            struct duet_error *reterr);

/* The index of the text among `words`, which end with NULL. Errors: DUET_E_USAGE (names
 * all of them). */
BASE_MUST_USE enum duet_code parse_word(const char *text, const char *what,
                                        const char *const *words, size_t *ret_index,
                                        struct duet_error *reterr);

/* Several of `words` with commas between them: bit i of *ret_set for words[i]. Errors:
 * DUET_E_USAGE (names all words). */
BASE_MUST_USE enum duet_code parse_word_set(const char *text, const char *what,
                                            const char *const *words, unsigned *ret_set,
                                            struct duet_error *reterr);

/* The words between commas, one after the other, cut where they are longer than any
 * that is known; false behind the last, where *list has become NULL. */
enum { PARSE_WORD_BYTES = 40 };
bool parse_next_word(const char **list, char ret_word[PARSE_WORD_BYTES]);

/* A list of CPUs as in /sys ("0-2,5"), into cpus[0..*ret_count), ascending as given.
 * Errors: DUET_E_USAGE (syntax, more than `capacity` CPUs, one named twice). */
BASE_MUST_USE enum duet_code parse_cpu_list(const char *text, const char *what,
                                            unsigned *cpus, size_t capacity,
                                            size_t *ret_count,
                                            struct duet_error *reterr);

/* Splits a command line into words as a POSIX shell does (quotes, backslash; no
 * expansion, no operators: an unquoted one of |&;<>()$` or a line break between words
 * is refused and the message points to -S; in double quotes $ and ` stand for
 * themselves). A first word NAME=VALUE, an assignment to a shell, is refused, too: the
 * message points to env. Result: NULL-terminated array in one block, free(). Errors:
 * DUET_E_USAGE (open quote, operator, assignment, no word), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code parse_command_words(const char *text, char ***ret_words,
                                                 struct duet_error *reterr);

#endif
