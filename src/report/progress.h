/* The line that a terminal shows while measuring. */
#ifndef DUET_REPORT_PROGRESS_H
#define DUET_REPORT_PROGRESS_H

#include "base/text.h"
#include "model/comparison.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_progress {
    const char *label;  /* the benchmark's name; any bytes */
    double done_ratio;  /* 0 to 1; NaN: unknown (until a rule is met) */
    bool in_percent;    /* done_ratio is shown instead of runs: they are another unit */
    uint64_t runs;      /* finished */
    uint64_t runs_goal; /* 0: unknown */
    const char *units;  /* what `runs` counts; NULL: runs */
    uint64_t elapsed_ns;
    double left_ns; /* NaN: unknown, the elapsed time is shown instead */
    double ratio;   /* estimate so far, new / old; NaN: none yet */
    double low;     /* its interval; NaN: none yet */
    double high;
    const size_t *found; /* how often each verdict was found: MODEL_VERDICTS; or NULL */
};

/* One line, to be written as it is over the last one: carriage return, at most `width`
 * - 1 columns (0: unlimited; the last column would make some terminals wrap), erase to
 * the end of the line. Where it is narrow, parts go in this order: the estimate's
 * interval, the estimate, the bar (the bar first where verdicts were found), the
 * verdicts, the count of runs, the label. Example:
 * "xz -6 … a.txt  ━━━━━━━━──────  9/16 runs  +2.9 % [+1.8, +4.0]  1 slower  8 s left".
 */
void report_progress_line(struct text *text, const struct report_progress *progress,
                          size_t width, bool unicode);

/* A benchmark of several that has ended. */
struct report_ended {
    const char *name;
    const struct model_comparison *comparison; /* NULL: it failed */
    size_t index;                              /* so many have ended ... */
    size_t count;                              /* ... of these */
    double left_ns;                            /* of all; NaN: unknown */
};
/* "zip: slower, +2.9 % [+1.8 %, +4.0 %] (3 of 40, 8 min 20 s left)"; "slower by itself"
 * where the benchmarks are judged together only in the end. */
void report_progress_ended(struct text *text, const struct report_ended *ended,
                           bool unicode);

/* Removes the line. */
void report_progress_erase(struct text *text);

#endif
