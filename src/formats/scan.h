/* Numbers and units as they stand in files. */
#ifndef DUET_FORMATS_SCAN_H
#define DUET_FORMATS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finite decimal number, all of text[0..length), spaces around it allowed; correctly
 * rounded. text[length] must be readable and not part of a number. The program's
 * LC_NUMERIC must be "C". */
bool formats_scan_number(const char *text, size_t length, double *ret_value);
/* What a text is not that formats_scan_number() refused: "number", or with its limit.
 */
const char *formats_scan_wanted(const char *text, size_t length);

/* Whether a field says that there is no value: empty, "NA", "N/A", "NaN", "null", "-".
 */
bool formats_scan_is_missing(const char *text, size_t length);

/* A whole number without sign, all of the text. */
bool formats_scan_whole(const char *text, size_t length, uint64_t *ret_value);

/* What files hold, and in which unit. */
struct formats_unit {
    double ns;       /* of the unit of time; 0: not said */
    bool throughput; /* values are operations per unit of time, not times */
};

/* "ns", "us", "µs", "ms", "s", "min", "h", and some of their longer names. */
bool formats_unit_from_name(const char *name, double *ret_ns);
/* The unit at the end of a column's name: "time_ns", "real (ms)"; false: none, or one
 * that is unclear. */
bool formats_unit_from_suffix(const char *name, double *ret_ns);
/* Whether a column's name ends with "min", as in "time_min": minutes, or the smallest
 * of several times. In brackets it is the unit: "time [min]". */
bool formats_unit_is_unclear(const char *name);

/* A value of a file as time in ns; of a throughput, the time of an operation. false:
 * no positive and finite time comes out. Without a unit: seconds. */
bool formats_unit_apply(const struct formats_unit *unit, double value, double *ret_ns);

/* What a value is not that formats_unit_apply() refused: "time: it must be positive",
 * or the limit of what can be computed with, in the value's own unit. */
struct formats_unit_wanted {
    char text[64];
};
struct formats_unit_wanted formats_unit_wanted(const struct formats_unit *unit,
                                               double value);

#endif
