/* Regular expressions on what programs print: glibc's regexec() takes time with the
 * square of a line's length, and without limit where an expression refers back. */
#ifndef DUET_MEASURE_SEARCH_H
#define DUET_MEASURE_SEARCH_H

#include "base/error.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEARCH_CPU_S = 10 };

/* Looks for the regular expression in `length` bytes of text, in a process of its own
 * that the kernel ends after `cpu_s` seconds of CPU time, or as many as this process's
 * hard limit allows. *ret_found: whether it matches; then ret_matches[0..count-1] as of
 * regexec(). cancel_fd: -1, or ends it when readable. Errors: DUET_E_WORKLOAD (it took
 * longer, the text is too long or goes away; the message is a reason, as "looking for
 * it took ..."), DUET_E_SYSTEM, DUET_E_INTERRUPTED. */
BASE_MUST_USE enum duet_code measure_search(const regex_t *regex, const char *text,
                                            size_t length, unsigned cpu_s,
                                            int cancel_fd, regmatch_t *ret_matches,
                                            size_t count, bool *ret_found,
                                            struct duet_error *reterr);

#endif
