/* From values to places on a picture's axis, and where its ticks are. */
#ifndef DUET_REPORT_PLOT_SCALE_H
#define DUET_REPORT_PLOT_SCALE_H

#include "report/plot/plot.h"

#include <stdbool.h>
#include <stddef.h>

/* The values seen so far; starts as PLOT_RANGE_EMPTY. */
struct plot_range {
    double low;
    double high;
};
#define PLOT_RANGE_EMPTY                    \
    (struct plot_range)                     \
    {                                       \
        (double)INFINITY, (double)-INFINITY \
    }

/* Values that the scale cannot show do not count. */
void plot_range_add(struct plot_range *range, enum plot_scale scale, double value);
bool plot_range_is_empty(const struct plot_range *range);

struct plot_ruler {
    enum plot_scale scale;
    double low; /* values at the ends */
    double high;
    double from; /* pixels of `low` and `high` */
    double to;
};

/* The ruler's values: those of the axis when it gives a range or categories, else the
 * range seen, a little wider (0 stays the end of bars and areas: `from_zero`). */
void plot_ruler_set(struct plot_ruler *ruler, const struct plot_axis *axis,
                    const struct plot_range *range, bool from_zero);

/* Pixels. A value that the scale cannot show: NaN; infinite: the ruler's end. */
double plot_ruler_place(const struct plot_ruler *ruler, double value);

enum { PLOT_TICKS_MAX = 64, PLOT_TICK_LABEL_MAX = 32 };

struct plot_tick {
    double value;
    char label[PLOT_TICK_LABEL_MAX]; /* "": a minor one */
};

/* Ticks within the ruler, about `wanted` of them with a label (at least 2): multiples
 * of 1, 2 or 5 times a power of ten; on a logarithmic ruler powers of ten, or 1, 2 and
 * 5 of them, or those of a linear ruler when it spans too little. Returns how many. */
size_t plot_ticks(const struct plot_ruler *ruler, size_t wanted,
                  struct plot_tick ticks[PLOT_TICKS_MAX]);

#endif
