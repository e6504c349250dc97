/* Extended regular expressions of people who may mean no good: compiling one takes
 * neither the stack nor the memory of the machine. */
#ifndef DUET_BASE_PATTERN_H
#define DUET_BASE_PATTERN_H

#include "base/error.h"

#include <regex.h>

/* The parts of an expression are its characters, * and ?, written out as often as
 * repetitions say ("+" says two). Time and memory of glibc's regcomp() grow with their
 * cube, and exponentially with anchors (^ $ \b), which count as PATTERN_ANCHOR_PARTS
 * each, and with the ways in which parts that stand together can match nothing: 2 of
 * "(a*)*", 4 of "(a*)*(a*)*". Repetitions of repetitions ("a**") multiply the time that
 * anchors before them take. At the limits it takes half a second and 70 MB; six anchors
 * in what "+" repeats take 0.1 s, and seven, which are refused, six times as long. */
enum {
    PATTERN_PARTS_MAX = 400,
    PATTERN_ANCHOR_PARTS = 33,
    PATTERN_WAYS_MAX = 32,
    PATTERN_DEPTH_MAX = 50,
    PATTERN_NESTED_MAX = 8
};

/* Compiles a POSIX extended regular expression, matched line by line. regfree() it.
 * Errors, whose message is the reason alone: DUET_E_FORMAT (no regular expression, or
 * above the limits), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code pattern_compile(const char *pattern, regex_t *ret_regex,
                                             struct duet_error *reterr);

#endif
