/* Regular expressions of people who may mean no good: within limits, and with an error
 * where memory is short. */
#ifndef DUET_PATTERN_PATTERN_H
#define DUET_PATTERN_PATTERN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PATTERN_BYTES_MAX = 4096,     /* of an expression */
    PATTERN_STEPS_MAX = 10000000, /* from one place of a line on; 0.2 to 0.5 s */
    PATTERN_HEAP_KIB = 64 * 1024  /* which that takes */
};

struct pattern;

/* Bytes of a text. */
struct pattern_range {
    size_t begin; /* SIZE_MAX: no part of the match, as "a" in "(a)|b" of "b" */
    size_t end;
};

/* Compiles a regular expression as PCRE2 has it, in UTF-8. pattern_free() it. Errors,
 * whose message is the reason alone: DUET_E_FORMAT (it is none, or too large),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code pattern_compile(const char *text,
                                             struct pattern **ret_pattern,
                                             struct duet_error *reterr);
void pattern_free(struct pattern *pattern); /* NULL: nothing */

/* Looks for it in `length` bytes of text, one line at a time: no match goes beyond a
 * line. *ret_found: whether a line matches; then ret_ranges[0..count-1] of the first
 * that does: the match, and its groups. Bytes that are no UTF-8 match nothing. Errors,
 * whose message is a reason, as "looking for it takes ...": DUET_E_WORKLOAD (above
 * PATTERN_STEPS_MAX or PATTERN_HEAP_KIB),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code pattern_find(const struct pattern *pattern,
                                          const char *text, size_t length,
                                          struct pattern_range *ret_ranges,
                                          size_t count, bool *ret_found,
                                          struct duet_error *reterr);

#endif
