#include "report/plot/plot_scale.h"

#include <math.h>
#include <stdio.h>

/* Share of the range left free at each end. */
static const double margin_share = 0.04;

static bool shows(enum plot_scale scale, double value)
{
    return isfinite(value) && (scale == PLOT_LINEAR || value > 0);
}

void plot_range_add(struct plot_range *range, enum plot_scale scale, double value)
{
    if (shows(scale, value)) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

bool plot_range_is_empty(const struct plot_range *range)
{
    return !(range->low <= range->high);
}

static double order_of(double value)
{
    return log10(value); /* banned-ok: where a mark stands on a logarithmic axis */
}

static double ten_to(double order)
{
    return pow(10, order); /* banned-ok: what stands there, and steps of ticks */
}

static double bend(enum plot_scale scale, double value)
{
    return scale == PLOT_LOG ? order_of(value) : value;
}

static double unbend(enum plot_scale scale, double value)
{
    return scale == PLOT_LOG ? ten_to(value) : value;
}

/* A range of no width gets one around its value. */
static void widen(struct plot_ruler *ruler, bool from_zero)
{
    double low = bend(ruler->scale, ruler->low);
    double high = bend(ruler->scale, ruler->high);
    double margin = (high - low) * margin_share;
    if (!(high > low)) {
        margin = ruler->scale == PLOT_LOG ? 0.1 : fmax(fabs(low) * 0.05, 1e-9);
        margin = low == 0.0 && ruler->scale == PLOT_LINEAR ? 1 : margin;
    }
    bool keep_low = from_zero && ruler->scale == PLOT_LINEAR && ruler->low >= 0;
    bool keep_high = from_zero && ruler->scale == PLOT_LINEAR && ruler->high <= 0;
    ruler->low = unbend(ruler->scale, keep_low ? 0 : low - margin);
    ruler->high = unbend(ruler->scale, keep_high ? 0 : high + margin);
}

void plot_ruler_set(struct plot_ruler *ruler, const struct plot_axis *axis,
                    const struct plot_range *range, bool from_zero)
{
    ruler->scale = axis->scale;
    if (axis->categories != NULL) {
        ruler->scale = PLOT_LINEAR;
        ruler->low = -0.5;
        ruler->high = (double)axis->category_count - 0.5;
        return;
    }
    bool given = axis->low < axis->high && shows(axis->scale, axis->low) &&
                 shows(axis->scale, axis->high);
    if (given) {
        ruler->low = axis->low;
        ruler->high = axis->high;
        return;
    }
    struct plot_range seen = *range;
    if (plot_range_is_empty(&seen)) {
        seen = axis->scale == PLOT_LOG ? (struct plot_range){1, 10}
                                       : (struct plot_range){0, 1};
    }
    if (from_zero && axis->scale == PLOT_LINEAR) {
        plot_range_add(&seen, PLOT_LINEAR, 0);
    }
    ruler->low = seen.low;
    ruler->high = seen.high;
    widen(ruler, from_zero);
}

double plot_ruler_place(const struct plot_ruler *ruler, double value)
{
    if (isinf(value)) {
        return value > 0 ? ruler->to : ruler->from;
    }
    if (!shows(ruler->scale, value)) {
        return (double)NAN;
    }
    double low = bend(ruler->scale, ruler->low);
    double high = bend(ruler->scale, ruler->high);
    double share = (bend(ruler->scale, value) - low) / (high - low);
    return ruler->from + share * (ruler->to - ruler->from);
}

/* Over more decades than these, ticks without a label would be dense, and too many. */
enum { MINOR_DECADES = 30 };

/* 1, 2 or 5 times a power of ten, the smallest not below `least`. */
static double nice_step(double least, int *ret_exponent)
{
    int exponent = (int)floor(order_of(least));
    static const double steps[] = {1, 2, 5, 10};
    double power = ten_to(exponent);
    size_t i = 0;
    while (i < 3 && steps[i] * power < least * (1 - 1e-9)) {
        i++;
    }
    *ret_exponent = exponent + (i == 3 ? 1 : 0);
    return steps[i] * power;
}

static void label_tick(struct plot_tick *tick, int decimals, bool plain)
{
    if (plain) {
        (void)snprintf(tick->label, sizeof tick->label, "%.*f", decimals, tick->value);
    } else {
        (void)snprintf(tick->label, sizeof tick->label, "%.6g", tick->value);
    }
}

static size_t linear_ticks(const struct plot_ruler *ruler, size_t wanted,
                           struct plot_tick *ticks)
{
    int exponent = 0;
    double step = nice_step((ruler->high - ruler->low) / (double)wanted, &exponent);
    double largest = fmax(fabs(ruler->low), fabs(ruler->high));
    bool plain = largest < 1e7 && exponent >= -9;
    double first = ceil(ruler->low / step - 1e-9);
    size_t count = 0;
    while (count < PLOT_TICKS_MAX) {
        double value = (first + (double)count) * step;
        if (!(value <= ruler->high + step * 1e-9)) {
            break;
        }
        /* 0 rather than -0, and rather than a rounding's rest. */
        ticks[count].value = fabs(value) < step * 1e-9 ? 0 : value;
        label_tick(&ticks[count], exponent < 0 ? -exponent : 0, plain);
        count++;
    }
    return count;
}

/* Whether 10^exponent times mantissa gets a label. */
static bool labels_mantissa(int mantissa, int exponent, int decades, size_t wanted)
{
    int every = decades <= (int)wanted ? 1 : (decades - 1) / (int)wanted + 1;
    if (mantissa == 1) {
        return exponent % every == 0;
    }
    return (mantissa == 2 || mantissa == 5) && decades * 2 <= (int)wanted;
}

static size_t log_ticks(const struct plot_ruler *ruler, size_t wanted,
                        struct plot_tick *ticks, size_t *ret_labels)
{
    int first = (int)floor(order_of(ruler->low));
    int last = (int)ceil(order_of(ruler->high));
    int decades = last - first;
    size_t count = 0;
    *ret_labels = 0;
    for (int exponent = first; exponent <= last; exponent++) {
        for (int mantissa = 1; mantissa <= 9; mantissa++) {
            double value = mantissa * ten_to(exponent);
            bool labelled = labels_mantissa(mantissa, exponent, decades, wanted);
            bool minor = mantissa == 1 ? decades <= MINOR_DECADES : decades <= 5;
            if (value < ruler->low * (1 - 1e-9) || value > ruler->high * (1 + 1e-9) ||
                (!labelled && !minor) || count == PLOT_TICKS_MAX) {
                continue;
            }
            ticks[count] = (struct plot_tick){.value = value};
            if (labelled) {
                label_tick(&ticks[count], 0, false);
                (*ret_labels)++;
            }
            count++;
        }
    }
    return count;
}

size_t plot_ticks(const struct plot_ruler *ruler, size_t wanted,
                  struct plot_tick ticks[PLOT_TICKS_MAX])
{
    size_t most = wanted < 2 ? 2 : wanted;
    if (ruler->scale == PLOT_LOG) {
        size_t labels = 0;
        size_t count = log_ticks(ruler, most, ticks, &labels);
        if (labels >= 3 || (labels == 2 && ruler->high / ruler->low > 50)) {
            return count;
        }
    }
    size_t count = linear_ticks(ruler, most, ticks);
    /* One number does not make a scale. */
    return count < 2 && most + 2 < PLOT_TICKS_MAX ? linear_ticks(ruler, most + 2, ticks)
                                                  : count;
}
