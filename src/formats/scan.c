#include "formats/scan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Powers of ten that a double holds exactly. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_DIGITS_MAX = 15 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Up to 15 digits with a point, which is nearly all that files hold: whole number and
 * power of ten are exact and the quotient rounds once (Clinger 1990). Anything else is
 * left to strtod(), which is ten times slower. */
static bool scan_short(const char *text, size_t length, double *ret_value)
{
    uint64_t digits = 0;
    size_t count = 0;
    size_t behind_point = 0;
    bool point = false;
    bool negative = length > 0 && text[0] == '-';
    for (size_t i = negative ? 1 : 0; i < length; i++) {
        if (is_digit(text[i])) {
            digits = 10 * digits + (uint64_t)(text[i] - '0');
            behind_point += point ? 1 : 0;
            count++;
        } else if (text[i] == '.' && !point) {
            point = true;
        } else {
            return false;
        }
        if (count > EXACT_DIGITS_MAX) {
            return false;
        }
    }
    if (count == 0) {
        return false;
    }
    double value = (double)digits / exact_power[behind_point];
    *ret_value = negative ? -value : value;
    return true;
}

/* [sign] digits [. digits] [e [sign] digits]: strtod() alone would also take "inf",
 * "nan" and hexadecimal numbers. */
static bool is_decimal(const char *text, size_t length)
{
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    size_t digits = 0;
    for (; i < length && is_digit(text[i]); i++) {
        digits++;
    }
    if (i < length && text[i] == '.') {
        for (i++; i < length && is_digit(text[i]); i++) {
            digits++;
        }
    }
    if (digits > 0 && i < length && (text[i] == 'e' || text[i] == 'E')) {
        i += i + 1 < length && (text[i + 1] == '-' || text[i + 1] == '+') ? 2 : 1;
        if (i >= length) {
            return false;
        }
        for (; i < length && is_digit(text[i]); i++) {
        }
    }
    return digits > 0 && i == length;
}

static void strip_spaces(const char **text, size_t *length)
{
    while (*length > 0 && is_space((*text)[0])) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_space((*text)[*length - 1])) {
        (*length)--;
    }
}

const char *formats_scan_wanted(const char *text, size_t length)
{
    strip_spaces(&text, &length);
    return is_decimal(text, length) ? "number up to 1.79769e+308" : "number";
}

bool formats_scan_number(const char *text, size_t length, double *ret_value)
{
    strip_spaces(&text, &length);
    if (scan_short(text, length, ret_value)) {
        return true;
    }
    if (!is_decimal(text, length)) {
        return false;
    }
    double value = strtod(text, NULL);
    if (!isfinite(value)) {
        return false;
    }
    *ret_value = value;
    return true;
}

bool formats_scan_is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"", "NA", "N/A", "NaN", "null", "-"};
    strip_spaces(&text, &length);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

bool formats_scan_whole(const char *text, size_t length, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = is_digit(text[i]) ? (uint64_t)(text[i] - '0') : 10;
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    if (length == 0) {
        return false;
    }
    *ret_value = value;
    return true;
}

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1},
             {"nanoseconds", 1},
             {"us", 1e3},
             {"µs", 1e3},
             {"μs", 1e3},
             {"microseconds", 1e3},
             {"ms", 1e6},
             {"msec", 1e6},
             {"millis", 1e6},
             {"milliseconds", 1e6},
             {"s", 1e9},
             {"sec", 1e9},
             {"secs", 1e9},
             {"seconds", 1e9},
             {"min", 60e9},
             {"minutes", 60e9},
             {"h", 3600e9},
             {"hours", 3600e9},
             {"nanos", 1},
             {"micros", 1e3},
             {"nanosecond", 1},
             {"microsecond", 1e3},
             {"minute", 60e9},
             {"hour", 3600e9},
             {"millisecond", 1e6},
             {"second", 1e9}};

static bool unit_named(const char *name, size_t length, double *ret_ns)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) == length &&
            strncasecmp(units[i].name, name, length) == 0) {
            *ret_ns = units[i].ns;
            return true;
        }
    }
    return false;
}

bool formats_unit_from_name(const char *name, double *ret_ns)
{
    return unit_named(name, strlen(name), ret_ns);
}

/* Where the last word of a column's name begins; *ret_end: behind it. */
static size_t last_word(const char *name, size_t *ret_end)
{
    size_t end = strlen(name);
    while (end > 0 && strchr(" )]", name[end - 1]) != NULL) {
        end--;
    }
    size_t start = end;
    while (start > 0 && strchr(" ([_.-", name[start - 1]) == NULL) {
        start--;
    }
    *ret_end = end;
    return start;
}

bool formats_unit_is_unclear(const char *name)
{
    static const char word[] = "min";
    size_t end = 0;
    size_t start = last_word(name, &end);
    bool bracketed = start > 0 && strchr("([", name[start - 1]) != NULL;
    return !bracketed && end - start == sizeof word - 1 &&
           strncasecmp(name + start, word, sizeof word - 1) == 0;
}

bool formats_unit_from_suffix(const char *name, double *ret_ns)
{
    size_t end = 0;
    size_t start = last_word(name, &end);
    /* "h" or "s" alone is rather a column called so than a unit. */
    return (start > 0 || end > 1) && !formats_unit_is_unclear(name) &&
           unit_named(name + start, end - start, ret_ns);
}

static double unit_ns_of(const struct formats_unit *unit)
{
    return unit->ns > 0 ? unit->ns : 1e9;
}

struct formats_unit_wanted formats_unit_wanted(const struct formats_unit *unit,
                                               double value)
{
    struct formats_unit_wanted wanted;
    const char *noun = unit->throughput ? "throughput" : "time";
    if (!(value > 0)) {
        (void)snprintf(wanted.text, sizeof wanted.text, "%s: it must be positive",
                       noun);
    } else if (unit->throughput) {
        (void)snprintf(wanted.text, sizeof wanted.text, "%s: it must be at least %.6g",
                       noun, unit_ns_of(unit) / DBL_MAX);
    } else {
        (void)snprintf(wanted.text, sizeof wanted.text, "%s: it must be at most %.6g",
                       noun, DBL_MAX / unit_ns_of(unit));
    }
    return wanted;
}

bool formats_unit_apply(const struct formats_unit *unit, double value, double *ret_ns)
{
    double unit_ns = unit_ns_of(unit);
    double ns = unit->throughput ? unit_ns / value : value * unit_ns;
    if (!(value > 0 && ns > 0 && isfinite(ns))) {
        return false;
    }
    *ret_ns = ns;
    return true;
}
