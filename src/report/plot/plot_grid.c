/* Heat maps: cells coloured by value, with the value written into them. */
#include "report/plot/plot_frame.h"
#include "report/plot/svg.h"

#include <math.h>
#include <stdio.h>

struct shade {
    double red;
    double green;
    double blue;
};

/* Five stops of viridis (van der Walt and Smith 2015): lightness grows evenly, for
 * every kind of colour vision. */
static const struct shade stops[] = {
    {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
enum { STOPS = sizeof stops / sizeof stops[0] };

static struct shade shade_of(double share)
{
    double at = fmin(fmax(share, 0), 1) * (STOPS - 1);
    size_t i = at >= STOPS - 1 ? STOPS - 2 : (size_t)at;
    double rest = at - (double)i;
    const struct shade *a = &stops[i];
    const struct shade *b = &stops[i + 1];
    return (struct shade){a->red + (b->red - a->red) * rest,
                          a->green + (b->green - a->green) * rest,
                          a->blue + (b->blue - a->blue) * rest};
}

static void append_shade(struct text *text, const struct shade *shade)
{
    text_append_format(text, "#%02x%02x%02x", (unsigned)lround(shade->red),
                       (unsigned)lround(shade->green), (unsigned)lround(shade->blue));
}

static struct plot_range color_range(const struct plot_panel *panel)
{
    const struct plot_grid *grid = panel->grid;
    struct plot_range range = PLOT_RANGE_EMPTY;
    if (grid->low < grid->high) {
        return (struct plot_range){grid->low, grid->high};
    }
    size_t cells = panel->x.category_count * panel->y.category_count;
    for (size_t i = 0; i < cells; i++) {
        plot_range_add(&range, PLOT_LINEAR, grid->values[i]);
    }
    return range;
}

static void append_filled(struct text *text, double x, double y, double width,
                          double height, const struct shade *shade)
{
    text_append(text, "<rect x=\"");
    svg_number(text, x);
    text_append(text, "\" y=\"");
    svg_number(text, y);
    text_append(text, "\" width=\"");
    svg_number(text, width);
    text_append(text, "\" height=\"");
    svg_number(text, height);
    text_append(text, "\" fill=\"");
    append_shade(text, shade);
    text_append(text, "\"/>\n");
}

/* Black or white, whichever is read better on the shade (ITU-R BT.601 luma). */
static void append_value(struct text *text, double x, double y, double value,
                         int decimals, const struct shade *shade)
{
    double luma = 0.299 * shade->red + 0.587 * shade->green + 0.114 * shade->blue;
    text_append(text, "<text class=\"s c\" style=\"fill:");
    text_append(text, luma > 128 ? "#000" : "#fff");
    text_append(text, "\" x=\"");
    svg_number(text, x);
    text_append(text, "\" y=\"");
    svg_number(text, y);
    text_append_format(text, "\">%.*f</text>\n",
                       decimals < 0 ? 0 : (decimals > 9 ? 9 : decimals), value);
}

static double share_of(const struct plot_range *range, double value)
{
    return range->high > range->low ? (value - range->low) / (range->high - range->low)
                                    : 0.5;
}

void plot_grid_draw(const struct plot_frame *frame)
{
    const struct plot_panel *panel = frame->panel;
    const struct plot_grid *grid = panel->grid;
    struct plot_range range = color_range(panel);
    size_t columns = panel->x.category_count;
    double width = frame->width / (double)columns;
    double height = frame->height / (double)panel->y.category_count;
    for (size_t i = 0; i < columns * panel->y.category_count; i++) {
        double x = frame->left + (double)(i % columns) * width;
        size_t row = i / columns;
        double y = frame->top + (double)row * height;
        if (isfinite(grid->values[i])) {
            struct shade shade = shade_of(share_of(&range, grid->values[i]));
            append_filled(frame->text, x + 0.5, y + 0.5, width - 1, height - 1, &shade);
            if (width >= 20 && height >= 12) {
                append_value(frame->text, x + width / 2, y + height / 2 + 4,
                             grid->values[i], grid->decimals, &shade);
            }
        }
        if (grid->marked != NULL && grid->marked[i]) {
            svg_rectangle(frame->text, "n", x + 2.5, y + 2.5, width - 5, height - 5);
            svg_rectangle(frame->text, "i", x + 2.5, y + 2.5, width - 5, height - 5);
        }
    }
}

void plot_grid_key(struct text *text, const struct plot_panel *panel, double x,
                   double y)
{
    struct plot_range range = color_range(panel);
    enum { STEPS = 15 };
    char label[PLOT_TICK_LABEL_MAX];
    if (plot_range_is_empty(&range) || range.low == range.high) {
        return; /* one value needs no key: it stands in its cell */
    }
    (void)snprintf(label, sizeof label, "%.4g", range.low);
    svg_text(text, "s m e", x + 32, y + 10, 0, label);
    for (int i = 0; i < STEPS; i++) {
        struct shade shade = shade_of((double)i / (STEPS - 1));
        append_filled(text, x + 37 + i * 5, y, 5, 12, &shade);
    }
    (void)snprintf(label, sizeof label, "%.4g", range.high);
    svg_text(text, "s m", x + 42 + STEPS * 5, y + 10, 0, label);
}
