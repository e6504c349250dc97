/* Pictures: distributions, intervals, series, bars and heat maps as one self-contained
 * SVG document. It computes nothing but places: quantiles, densities and intervals are
 * given. The same figure gives the same bytes. Readable on light and dark ground (the
 * reader's preference), colours told apart by colour-blind readers; title and
 * description are what a screen reader says. Pixels are SVG user units.
 *
 * Whatever is not finite is left out: a point, a cell's colour, one half of an interval
 * (whose open end then runs to the panel's edge). On a logarithmic axis that goes for
 * values of 0 and below too. A panel with nothing to show says "no data".
 *
 * All memory is borrowed for the length of the call. Names may hold any bytes.
 * docs/decisions/0012-pictures.md says why this is written here. */
#ifndef DUET_REPORT_PLOT_H
#define DUET_REPORT_PLOT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum plot_scale { PLOT_LINEAR, PLOT_LOG };

struct plot_axis {
    const char *label; /* NULL: none */
    const char *unit;  /* behind the label in brackets; NULL: a bare number */
    enum plot_scale scale;
    /* The range; from the data unless low < high (and, logarithmic, low > 0). */
    double low;
    double high;
    /* Names instead of numbers: category i lies at i. On the y axis the first is the
     * uppermost. NULL: numbers. */
    const char *const *categories;
    size_t category_count;
};

/* The first four go by x and y. The others stand at a place (x) of the axis that has
 * categories and reach along the other one: bars are upright when x has the categories
 * or neither axis has, and lie when y has. Those that share a panel stand side by side.
 */
enum plot_kind {
    PLOT_POINTS,
    PLOT_LINE,      /* a gap where a point is missing */
    PLOT_STEPS,     /* y[i] holds from x[i] to x[i + 1] */
    PLOT_AREA,      /* a line filled down to 0: a density */
    PLOT_BARS,      /* y: the value; low and high: error bars */
    PLOT_INTERVALS, /* y: the centre; low and high: the ends */
    PLOT_BOXES,     /* boxes: whiskers, quartiles, median */
    PLOT_VIOLINS    /* boxes with a density: its outline instead of the whiskers */
};

/* A distribution, in values of the axis that it reaches along. */
struct plot_box {
    double place; /* on the other axis */
    double low;   /* ends of the whiskers */
    double quarter_low;
    double median;
    double quarter_high;
    double high;
    /* A violin's outline: density[i] >= 0 (any unit) at values at[i], ascending. */
    const double *at;
    const double *density;
    size_t count;
};

/* Of fewer values a density shows bumps that are chance: each value is a point. The
 * number as such, and for the words of a picture. */
#define PLOT_DENSITY_LEAST 30
#define PLOT_DENSITY_LEAST_WORD "30"

enum { PLOT_COLORS = 8, PLOT_DASHES = 4, PLOT_LINES = PLOT_COLORS * PLOT_DASHES };

struct plot_series {
    const char *name;  /* in the legend; NULL: not there */
    const char *group; /* begins a line of the legend; NULL: none */
    enum plot_kind kind;
    size_t color;      /* which of PLOT_COLORS; larger ones start over, lines with
                        * other dashes up to PLOT_LINES */
    size_t count;      /* of the arrays */
    const double *x;   /* NULL: 0, 1, 2 ... */
    const double *y;   /* needed except for boxes and violins */
    const double *low; /* of bars and intervals; NULL: none */
    const double *high;
    const struct plot_box *boxes;
    const char *missing; /* written where a bar has no value; NULL: nothing */
};

/* A dashed line across the panel. */
struct plot_reference {
    bool upright; /* at `value` of the x axis; else of the y axis */
    double value;
    const char *label; /* NULL: none */
};

/* A heat map over the categories of both axes, a number in each cell. */
struct plot_grid {
    const double *values; /* y categories x x categories, by rows */
    const bool *marked;   /* the same shape: cells with a frame; NULL: none */
    double low;           /* the colours' range; from the data unless low < high */
    double high;
    int decimals; /* of the numbers, 0 to 9 */
};

struct plot_panel {
    const char *title; /* NULL: none */
    struct plot_axis x;
    struct plot_axis y;
    const struct plot_series *series;
    size_t series_count;
    const struct plot_reference *references;
    size_t reference_count;
    const struct plot_grid *grid; /* NULL: none; both axes have categories then */
};

struct plot_figure {
    const char *title;
    const char *description; /* what is to be seen, for those who do not see it */
    const char *note;        /* below it all: how much was measured, when; NULL: none */
    const struct plot_panel *panels;
    size_t panel_count;
    size_t columns; /* panels beside each other; 0: one, or two of more than three */
    double width;   /* 0: 600, which is legible at 400 */
    double panel_height; /* 0: 300; a panel of many rows grows with them */
    bool same_x;         /* all panels have one range: small multiples */
    bool same_y;
    bool bare; /* for a page that has svg_style() already */
};

/* Appends the document; a failed allocation is the text's (text_failed()).
 * O(points + panels * legend entries). */
void plot_svg(struct text *text, const struct plot_figure *figure);

#endif
