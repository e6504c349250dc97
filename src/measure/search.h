/* Regular expressions on what programs print: in bounded time, and where the text is a
 * file that may be cut short meanwhile. */
#ifndef DUET_MEASURE_SEARCH_H
#define DUET_MEASURE_SEARCH_H

#include "pattern/pattern.h"

enum { SEARCH_CPU_S = 10 };

/* pattern_find() in a process of its own that the kernel ends after `cpu_s` seconds of
 * CPU time, or as many as this process's hard limit allows. cancel_fd: -1, or ends it
 * when readable. Errors: DUET_E_WORKLOAD (it took longer or more than pattern_find()
 * may, or the text goes away; the message is a reason, as "looking for it took ..."),
 * DUET_E_SYSTEM, DUET_E_NOMEM, DUET_E_INTERRUPTED. */
BASE_MUST_USE enum duet_code
measure_search(const struct pattern *pattern, const char *text, size_t length,
               unsigned cpu_s, int cancel_fd, struct pattern_range *ret_ranges,
               size_t count, bool *ret_found, struct duet_error *reterr);

#endif
