/* Numbers as people read them: as many digits as the spread beside them supports.
 * LC_NUMERIC must be "C", the program's start value. */
#ifndef DUET_REPORT_DIGITS_H
#define DUET_REPORT_DIGITS_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Decimals that show `spread` (half an interval's width, a standard deviation) with two
 * significant digits, at least 0 and at most 9; `unknown` when spread is NaN, infinite
 * or 0. */
int digits_decimals(double spread, int unknown);

/* Decimals that show a finite value with `digits` significant digits, 0 to 9. */
int digits_significant(double value, int digits);

/* 1, 1e3, 1e6 or 1e9: the largest unit of time, in ns, that `ns` has at least one of
 * when shown with four digits. unit_ns other than 0 is returned as it is. */
double digits_unit_ns(double ns, double unit_ns);
/* "ns", "µs" (unicode false: "us"), "ms", "s". */
const char *digits_unit_name(double unit_ns, bool unicode);

/* Decimals for a mean in `unit_ns` beside its standard deviation: two digits of the
 * deviation, but at most six of the mean; four of the mean when sd_ns is NaN or 0. */
int digits_time_decimals(double mean_ns, double sd_ns, double unit_ns);

/* `decimals`, or as many more as show a value above 0 as more than 0, at most 9. */
int digits_above_zero(double value, int decimals);

/* "+3.02": the change in percent that a ratio means, (ratio - 1) * 100, always with a
 * sign. A value just below zero stays "-0.00": it tells on which side of 1 it lies. */
void digits_append_change(struct text *text, double ratio, int decimals);

/* The same of an estimate, which has no sign when it is rounded to 0: "0.00". */
void digits_append_estimate(struct text *text, double ratio, int decimals);

/* Whether it would say "more than +9999": too much for a figure. */
bool digits_change_is_open(double ratio);

/* A positive number with two significant digits, trailing zeros dropped: 5.3, 0.8, 12,
 * 140. NaN: "?". */
void digits_append_short(struct text *text, double value);
/* The same for a fraction as a percentage: 0.008 gives "0.8 %". */
void digits_append_pct(struct text *text, double fraction);

/* The smallest change that could have been seen, as a fraction: from 1 on "nothing
 * below a doubling", since its size means nothing then. */
void digits_append_seen(struct text *text, double fraction);

/* A confidence level or a limit that a person chose, in full: 0.995 gives "99.5 %". */
void digits_append_level(struct text *text, double fraction);

/* How long something takes, in whole units: "8 s", "1 min 20 s", "2 h 5 min". */
void digits_append_duration(struct text *text, uint64_t ns);

#endif
