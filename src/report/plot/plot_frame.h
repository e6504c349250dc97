/* What the parts of the plotting module share: a panel and where it is drawn. */
#ifndef DUET_REPORT_PLOT_FRAME_H
#define DUET_REPORT_PLOT_FRAME_H

#include "report/plot/plot.h"
#include "report/plot/plot_scale.h"

struct plot_frame {
    struct text *text;
    const struct plot_panel *panel;
    struct plot_ruler x;
    struct plot_ruler y;
    double left; /* the inside, in pixels */
    double top;
    double width;
    double height;
};

/* Adds what the panel's series and reference lines reach to the ranges of both axes;
 * *ret_zero: the axis that bars or areas reach along must show 0 (x, y). */
void plot_marks_range(const struct plot_panel *panel, struct plot_range *x,
                      struct plot_range *y, bool ret_zero[2]);

/* Draws the series in their order, then the reference lines. */
void plot_marks_draw(const struct plot_frame *frame);

/* Which dashes a line has; 0: none. */
size_t plot_marks_dashes(const struct plot_series *series);

/* How many series stand side by side at a place. */
size_t plot_marks_slots(const struct plot_panel *panel);

/* Draws the cells of the panel's heat map. */
void plot_grid_draw(const struct plot_frame *frame);

/* The colours' range, and a small key of it at (x, y), 150 pixels wide. */
void plot_grid_key(struct text *text, const struct plot_panel *panel, double x,
                   double y);

#endif
