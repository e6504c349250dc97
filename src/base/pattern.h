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
 * anchors before them take. At the limits it takes half a second and 70 MB.
 *
 * What anchors take that are repeated with no character between them follows no rule:
 * 19 s of "(\b\b\b\b\b)+*", 2 ms of "(\b\B^)*^\b". Another process compiles these
 * first, which has PATTERN_TRIAL_MS of a CPU. */
enum {
    PATTERN_PARTS_MAX = 400,
    PATTERN_ANCHOR_PARTS = 33,
    PATTERN_WAYS_MAX = 32,
    PATTERN_DEPTH_MAX = 50,
    PATTERN_NESTED_MAX = 8,
    PATTERN_TRIAL_MS = 250
};

/* Compiles a POSIX extended regular expression, matched line by line. regfree() it.
 * Errors, whose message is the reason alone: DUET_E_FORMAT (no regular expression, or
 * above the limits), DUET_E_NOMEM, or DUET_E_SYSTEM or another one of error_set_start()
 * (no process). */
BASE_MUST_USE enum duet_code pattern_compile(const char *pattern, regex_t *ret_regex,
                                             struct duet_error *reterr);

#endif
