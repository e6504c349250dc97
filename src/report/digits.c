#include "report/digits.h"

#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS_MAX = 9, TIME_DIGITS = 4, MEAN_DIGITS_MAX = 6 };
enum { LEVEL_DIGITS = 6, LEVEL_DIGITS_MAX = 12 };

static int clamp_decimals(int decimals)
{
    return decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
}

/* Rounds to `digits` significant ones, so that 999.96 is treated as the 1000 that it
 * will be printed as. */
static double round_significant(double value, int digits)
{
    char buffer[64];
    (void)snprintf(buffer, sizeof buffer, "%.*e", digits - 1, value);
    return strtod(buffer, NULL);
}

int digits_significant(double value, int digits)
{
    double rounded = fabs(round_significant(value, digits));
    if (!(rounded > 0)) {
        return 0;
    }
    /* banned-ok: how many digits stand before the decimal point */
    return clamp_decimals(digits - 1 - (int)floor(log10(rounded)));
}

int digits_decimals(double spread, int unknown)
{
    return isfinite(spread) && spread > 0 ? digits_significant(spread, 2) : unknown;
}

double digits_unit_ns(double ns, double unit_ns)
{
    if (unit_ns > 0) {
        return unit_ns;
    }
    double size = isfinite(ns) ? fabs(round_significant(ns, TIME_DIGITS)) : 0;
    return size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1;
}

const char *digits_unit_name(double unit_ns, bool unicode)
{
    if (unit_ns >= 1e9) {
        return "s";
    }
    if (unit_ns >= 1e6) {
        return "ms";
    }
    return unit_ns >= 1e3 ? (unicode ? "µs" : "us") : "ns";
}

int digits_time_decimals(double mean_ns, double sd_ns, double unit_ns)
{
    double mean = mean_ns / unit_ns;
    if (!isfinite(mean)) {
        return 0;
    }
    if (!(sd_ns > 0) || !isfinite(sd_ns)) {
        return digits_significant(mean, TIME_DIGITS);
    }
    int wanted = digits_significant(sd_ns / unit_ns, 2);
    int most = digits_significant(mean, MEAN_DIGITS_MAX);
    return wanted < most ? wanted : most;
}

int digits_above_zero(double value, int decimals)
{
    char buffer[400];
    int shown = decimals;
    do {
        (void)snprintf(buffer, sizeof buffer, "%.*f", shown, value);
    } while (value > 0 && strpbrk(buffer, "123456789i") == NULL &&
             ++shown <= DECIMALS_MAX);
    return shown < DECIMALS_MAX ? shown : DECIMALS_MAX;
}

void report_time(struct text *text, double ns, const struct report_style *style)
{
    if (!isfinite(ns)) {
        text_append(text, "unknown");
        return;
    }
    double unit = digits_unit_ns(ns, style->unit_ns);
    text_append_format(text, "%.*f %s", digits_significant(ns / unit, TIME_DIGITS),
                       ns / unit, digits_unit_name(unit, style->unicode));
}

/* A hundredfold: beyond it a figure only says that there is too little data. */
static const double change_ratio_max = 100.99;

bool digits_change_is_open(double ratio)
{
    return ratio > change_ratio_max;
}

void digits_append_change(struct text *text, double ratio, int decimals)
{
    if (digits_change_is_open(ratio)) {
        text_append(text, "more than +9999");
    } else if (isfinite(ratio)) {
        text_append_format(text, "%+.*f", decimals, (ratio - 1) * 100);
    } else {
        text_append_char(text, '?');
    }
}

void digits_append_estimate(struct text *text, double ratio, int decimals)
{
    char size[64] = "";
    if (isfinite(ratio) && !digits_change_is_open(ratio)) {
        (void)snprintf(size, sizeof size, "%.*f", decimals, fabs(ratio - 1) * 100);
    }
    if (size[0] != '\0' && strpbrk(size, "123456789") == NULL) {
        text_append(text, size);
    } else {
        digits_append_change(text, ratio, decimals);
    }
}

void digits_append_short(struct text *text, double value)
{
    char buffer[400];
    if (!isfinite(value)) {
        text_append_char(text, '?');
        return;
    }
    double rounded = round_significant(value, 2);
    int length = snprintf(buffer, sizeof buffer, "%.*f", digits_significant(rounded, 2),
                          rounded);
    if (strchr(buffer, '.') != NULL) {
        while (buffer[length - 1] == '0') {
            length--;
        }
        length -= buffer[length - 1] == '.';
    }
    text_append_n(text, buffer, (size_t)length);
}

void digits_append_pct(struct text *text, double fraction)
{
    if (fraction > change_ratio_max - 1) {
        text_append(text, "more than 9999 %");
        return;
    }
    digits_append_short(text, fraction * 100);
    text_append(text, " %");
}

void digits_append_seen(struct text *text, double fraction)
{
    if (fraction >= 1) {
        text_append(text, "nothing below a doubling");
    } else {
        digits_append_pct(text, fraction);
    }
}

void digits_append_level(struct text *text, double fraction)
{
    /* What is below 100 % is not said as that. */
    bool nearly =
        fraction < 1 && round_significant(fraction * 100, LEVEL_DIGITS) >= 100;
    text_append_format(text, "%.*g %%", nearly ? LEVEL_DIGITS_MAX : LEVEL_DIGITS,
                       fraction * 100);
}

void digits_append_duration(struct text *text, uint64_t ns)
{
    uint64_t s = ns / 1000000000U + (ns % 1000000000U >= 500000000U);
    if (s >= 3600) {
        text_append_format(text, "%llu h %llu min", (unsigned long long)(s / 3600),
                           (unsigned long long)(s % 3600 / 60));
    } else if (s >= 60) {
        text_append_format(text, "%llu min %llu s", (unsigned long long)(s / 60),
                           (unsigned long long)(s % 60));
    } else {
        text_append_format(text, "%llu s", (unsigned long long)s);
    }
}
