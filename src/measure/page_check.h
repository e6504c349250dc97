/* Is the shared page still what the protocol makes of it? Any program under test may
 * write anything into it. */
#ifndef DUET_MEASURE_PAGE_CHECK_H
#define DUET_MEASURE_PAGE_CHECK_H

#include "measure/runner.h"

/* Whether a program has attached to the page, or it looks as if one had. */
bool page_is_used(const struct runner *runner);

/* What in the page of a run that nobody has aborted contradicts what the runner knows
 * ("its header", ...); NULL: nothing. May be asked while the sides work. */
const char *page_check(const struct runner *runner, bool solo);

/* What of it a look remembers for the next one. */
struct page_look {
    bool known;
    bool asleep[SYNC_SLOTS];
    uint64_t heads[SYNC_SLOTS];
    uint64_t fillers[SYNC_SLOTS];
    unsigned waited;   /* looks in a row at which each side waited for the other */
    uint64_t since_ns; /* of the look before the first of them */
};

/* Looks at two sides, at now_ns of the monotonic clock. true: for a quarter of a minute
 * and several looks each has waited for the other, which no side does that keeps to the
 * protocol. A side that was woken may get no CPU for seconds, and of a virtual machine
 * that stood still the clock goes on: neither lasts for so many looks. Set *look to
 * zeros when the runner has kept the sides waiting itself. */
bool page_check_stuck(const struct runner *runner, uint64_t now_ns,
                      struct page_look *look);

#endif
