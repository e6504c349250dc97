/* Widths of intervals, workload by workload, and what a method gains over another: the
 * tables of Bulej 2020 (s.4.1, table 1; s.7.2) from any widths, published or measured.
 */
#ifndef DUET_STUDY_STUDY_WIDTHS_H
#define DUET_STUDY_STUDY_WIDTHS_H

#include "base/error.h"
#include "stats/spread.h"

#include <stddef.h>
#include <stdint.h>

/* Of the interval that each method gives for A/A measurements, relative to the mean. */
enum study_width_kind {
    STUDY_WIDTH_DUET,         /* pairs; the geometric mean inside a run */
    STUDY_WIDTH_SHUFFLED,     /* the same pairs torn apart */
    STUDY_WIDTH_STANDARD,     /* one side at a time; difference of means */
    STUDY_WIDTH_DUET_TRIMMED, /* the 20 % trimmed mean inside a run, of both methods */
    STUDY_WIDTH_STANDARD_TRIMMED,
    STUDY_WIDTH_TIMESLICE, /* both on one CPU; CPU time */
    STUDY_WIDTH_KINDS
};
const char *study_width_name(enum study_width_kind kind); /* "duet", "shuffled" ... */

struct study_width {
    char group[32]; /* of platforms, over which one average is taken */
    char platform[96];
    char suite[64];
    char workload[160];
    double widths[STUDY_WIDTH_KINDS]; /* %; NaN: unknown */
    double together_ratio; /* time measured together / time alone; NaN: unknown */
    double runs;           /* analysed; NaN: unknown */
    double iterations;     /* of a run; NaN: unknown */
    double together_low;   /* ends of the ratio's interval over runs */
    double together_high;  /* (stats_welch_ratio()); NaN: unknown */
    /* When the first and the last of its measurements began, ms since 1970, UTC; 0:
     * unknown. */
    int64_t first_utc_ms;
    int64_t last_utc_ms;
};

/* Which rows; NULL: any. */
struct study_widths_filter {
    const char *group;
    const char *platform;
    const char *suite;
};

/* Geometric mean, over the chosen rows that have both widths, of over / under: how many
 * times narrower `under` is. *ret_workloads: how many rows. Errors: DUET_E_TOO_FEW (no
 * such row). Source: Bulej 2020 s.4.1, table 1. */
BASE_MUST_USE enum duet_code
study_widths_gain(const struct study_width *rows, size_t count,
                  const struct study_widths_filter *filter, enum study_width_kind over,
                  enum study_width_kind under, double *ret_gain, size_t *ret_workloads,
                  struct duet_error *reterr);

/* over / under of one row: how many times narrower `under` is there. NaN: a width is
 * unknown, or `under` is 0. */
double study_width_gain(const struct study_width *row, enum study_width_kind over,
                        enum study_width_kind under);

/* The narrowest of a row's widths by the duet, shuffled and standard method; infinite
 * when none is known. */
double study_width_narrowest(const struct study_width *row);

/* Of the rows from `first` on, the number (from there) of that with the largest gain of
 * duet over the standard method; 0 when none has both widths. */
size_t study_widths_most_gained(const struct study_width *rows, size_t count,
                                size_t first);

/* The rows by together_ratio, the largest first, unknown ones at the end.
 * ret_order: count. */
void study_widths_by_together(const struct study_width *rows, size_t count,
                              const struct study_width **ret_order);

/* How the chosen rows' widths are distributed. Errors: DUET_E_TOO_FEW (no such row),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
study_widths_spread(const struct study_width *rows, size_t count,
                    const struct study_widths_filter *filter,
                    enum study_width_kind kind, struct stats_spread *ret_spread,
                    struct duet_error *reterr);

#endif
