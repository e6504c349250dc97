/* A benchmark that nobody compares: started without a runner it measures itself. */
#ifndef DUET_HARNESS_ALONE_H
#define DUET_HARNESS_ALONE_H

#include "base/error.h"
#include "harness/harness_regions.h"
#include "sync/page.h"

#include <stdbool.h>
#include <stdint.h>

/* Environment: exactly so many iterations; how long to measure; one line for each
 * time. */
#define HARNESS_ITERATIONS_VARIABLE SYNC_ITERATIONS_VARIABLE
#define HARNESS_TIME_VARIABLE "DUET_TIME"
#define HARNESS_TIMES_VARIABLE "DUET_TIMES"

/* Times in ns for one operation each, in the order of measurement. */
struct harness_times {
    double *times_ns; /* owned; the first `count` of `capacity` */
    uint64_t count;
    uint64_t capacity;
};

struct harness_alone {
    char *name;          /* owned */
    uint64_t iterations; /* at most so many */
    uint64_t time_ns;    /* ... or so long, warm-up included */
    bool list_times;
    bool warm; /* the warm-up is over */
    uint64_t
        opened_ns; /* CLOCK_MONOTONIC of the first harness_alone_next(); 0: before */
    uint64_t start_ns;   /* of the iteration under way */
    uint64_t operations; /* in it */
    uint64_t took_ns;    /* ... as duet_took() said; UINT64_MAX: it did not */
    struct harness_times whole;
    struct harness_regions regions;
    struct harness_times parts[SYNC_REGIONS_MAX]; /* of the regions */
    struct duet_error error;                      /* code DUET_OK: none so far */
};

/* Reads the three variables. `name`: copied. Errors: DUET_E_USAGE (a variable's value),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code harness_alone_init(struct harness_alone *ret_alone,
                                                const char *name,
                                                struct duet_error *reterr);
void harness_alone_release(struct harness_alone *alone);

/* Whether another iteration is wanted. The first one is a warm-up, and so are the
 * following ones until a tenth of the time has passed. Makes room for the next time, so
 * that nothing is allocated while the clock runs. */
bool harness_alone_next(struct harness_alone *alone);

/* Starts the clock; takes the time of an iteration that ended at a moment that has been
 * read already, and those of its regions. */
void harness_alone_begin(struct harness_alone *alone);
void harness_alone_end(struct harness_alone *alone, uint64_t now_ns);
/* As duet_region(). Returns NULL, or what is wrong with the name. */
const char *harness_alone_region(struct harness_alone *alone, const char *name);

/* What was measured, as text: the times in ns, one a line in the order of measurement,
 * when the user asked for them, and a line with name, mean, sample standard deviation,
 * median and range; one more for each region. All are for one operation. *ret_text is
 * the caller's, free(). Sorts the times. Errors: DUET_E_TOO_FEW (no iteration was
 * measured), DUET_E_NOMEM, and that of harness_alone_next(). */
BASE_MUST_USE enum duet_code harness_alone_report(struct harness_alone *alone,
                                                  char **ret_text,
                                                  struct duet_error *reterr);

#endif
