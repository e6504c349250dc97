/* The marks of a panel: points, lines, bars, intervals, boxes, violins. */
#include "report/plot/plot_frame.h"
#include "report/plot/svg.h"

#include <math.h>
#include <stdio.h>

static bool stands(enum plot_kind kind)
{
    return kind >= PLOT_BARS;
}

static bool marks_lie(const struct plot_panel *panel)
{
    return panel->y.categories != NULL;
}

size_t plot_marks_slots(const struct plot_panel *panel)
{
    size_t slots = 0;
    for (size_t i = 0; i < panel->series_count; i++) {
        slots += stands(panel->series[i].kind);
    }
    return slots;
}

/* A colour that comes again has other dashes. */
size_t plot_marks_dashes(const struct plot_series *series)
{
    return (series->color % PLOT_COLORS + series->color / PLOT_COLORS) % PLOT_DASHES;
}

static double place_of(const struct plot_series *series, size_t i)
{
    if (series->boxes != NULL) {
        return series->boxes[i].place;
    }
    return series->x == NULL ? (double)i : series->x[i];
}

static void add_box(struct plot_range *range, enum plot_scale scale,
                    const struct plot_box *box)
{
    const double values[] = {box->low, box->quarter_low, box->median, box->quarter_high,
                             box->high};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        plot_range_add(range, scale, values[i]);
    }
    for (size_t i = 0; i < box->count; i++) {
        plot_range_add(range, scale, box->at[i]);
    }
}

static void add_standing(const struct plot_series *series, struct plot_range *range,
                         enum plot_scale scale)
{
    for (size_t i = 0; i < series->count; i++) {
        if (series->boxes != NULL) {
            add_box(range, scale, &series->boxes[i]);
            continue;
        }
        plot_range_add(range, scale, series->y[i]);
        if (series->low != NULL && series->high != NULL) {
            plot_range_add(range, scale, series->low[i]);
            plot_range_add(range, scale, series->high[i]);
        }
    }
}

static bool reaches_zero(enum plot_kind kind)
{
    return kind == PLOT_BARS || kind == PLOT_AREA;
}

void plot_marks_range(const struct plot_panel *panel, struct plot_range *x,
                      struct plot_range *y, bool ret_zero[2])
{
    bool lies = marks_lie(panel);
    for (size_t s = 0; s < panel->series_count; s++) {
        const struct plot_series *series = &panel->series[s];
        bool along_x = stands(series->kind) && lies;
        ret_zero[along_x ? 0 : 1] |= reaches_zero(series->kind);
        if (stands(series->kind)) {
            add_standing(series, along_x ? x : y,
                         along_x ? panel->x.scale : panel->y.scale);
        }
        for (size_t i = 0; i < series->count; i++) {
            plot_range_add(along_x ? y : x, along_x ? panel->y.scale : panel->x.scale,
                           place_of(series, i));
            if (!stands(series->kind)) {
                plot_range_add(y, panel->y.scale, series->y[i]);
            }
        }
    }
    for (size_t i = 0; i < panel->reference_count; i++) {
        const struct plot_reference *line = &panel->references[i];
        plot_range_add(line->upright ? x : y,
                       line->upright ? panel->x.scale : panel->y.scale, line->value);
    }
}

/* Lying marks are standing ones with x and y exchanged. */
static void draw_line(const struct plot_frame *frame, const char *css, double place1,
                      double value1, double place2, double value2)
{
    if (!(isfinite(place1 + value1) && isfinite(place2 + value2))) {
        return;
    }
    if (marks_lie(frame->panel)) {
        svg_line(frame->text, css, value1, place1, value2, place2);
    } else {
        svg_line(frame->text, css, place1, value1, place2, value2);
    }
}

static void draw_rectangle(const struct plot_frame *frame, const char *css,
                           double place, double half, double value1, double value2)
{
    double low = fmin(value1, value2);
    double length = fabs(value1 - value2);
    if (!isfinite(place + length)) {
        return;
    }
    if (marks_lie(frame->panel)) {
        svg_rectangle(frame->text, css, low, place - half, length, half * 2);
    } else {
        svg_rectangle(frame->text, css, place - half, low, half * 2, length);
    }
}

static bool is_square(const struct plot_series *series)
{
    return series->color % 2 == 1;
}

static void draw_point(const struct plot_frame *frame, const struct plot_series *series,
                       const char *css, double place, double value)
{
    if (isfinite(place + value)) {
        bool lies = marks_lie(frame->panel);
        svg_path_begin(frame->text, css);
        svg_path_mark(frame->text, is_square(series), lies ? value : place,
                      lies ? place : value);
        svg_path_end(frame->text);
    }
}

/* Classes of a colour: "l3 w3" for ("l", "w"). */
struct css {
    char name[32];
};

static struct css css_of(const struct plot_series *series, const char *first,
                         const char *second)
{
    struct css css;
    size_t color = series->color % PLOT_COLORS;
    if (second == NULL) {
        (void)snprintf(css.name, sizeof css.name, "%s%zu", first, color);
    } else {
        (void)snprintf(css.name, sizeof css.name, "%s%zu %s%zu", first, color, second,
                       color);
    }
    return css;
}

/* Points of two colours differ in shape as well, lines in their dashes. */
static struct css css_of_points(const struct plot_series *series)
{
    struct css css;
    size_t color = series->color % PLOT_COLORS;
    (void)snprintf(css.name, sizeof css.name, is_square(series) ? "f%zu q" : "l%zu p",
                   color);
    return css;
}

static struct css css_of_line(const struct plot_series *series)
{
    struct css css;
    size_t color = series->color % PLOT_COLORS;
    size_t dashes = plot_marks_dashes(series);
    if (dashes == 0) {
        (void)snprintf(css.name, sizeof css.name, "l%zu", color);
    } else {
        (void)snprintf(css.name, sizeof css.name, "l%zu d%zu", color, dashes);
    }
    return css;
}

static bool point_of(const struct plot_frame *frame, const struct plot_series *series,
                     size_t i, double *ret_x, double *ret_y)
{
    double x = place_of(series, i);
    double y = series->y[i];
    if (!isfinite(x) || !isfinite(y)) {
        return false;
    }
    *ret_x = plot_ruler_place(&frame->x, x);
    *ret_y = plot_ruler_place(&frame->y, y);
    return isfinite(*ret_x) && isfinite(*ret_y);
}

static void draw_points(const struct plot_frame *frame,
                        const struct plot_series *series)
{
    struct css css = css_of_points(series);
    svg_path_begin(frame->text, css.name);
    for (size_t i = 0; i < series->count; i++) {
        double x = 0;
        double y = 0;
        if (point_of(frame, series, i, &x, &y)) {
            svg_path_mark(frame->text, is_square(series), x, y);
        }
    }
    svg_path_end(frame->text);
}

static void draw_lines(const struct plot_frame *frame, const struct plot_series *series)
{
    struct css css = css_of_line(series);
    bool joined = false;
    double last_y = 0;
    svg_path_begin(frame->text, css.name);
    for (size_t i = 0; i < series->count; i++) {
        double x = 0;
        double y = 0;
        if (!point_of(frame, series, i, &x, &y)) {
            joined = false;
            continue;
        }
        if (joined && series->kind == PLOT_STEPS) {
            svg_path_point(frame->text, 'L', x, last_y);
        }
        svg_path_point(frame->text, joined ? 'L' : 'M', x, y);
        joined = true;
        last_y = y;
    }
    svg_path_end(frame->text);
}

static double base_of(const struct plot_ruler *ruler)
{
    return ruler->scale == PLOT_LOG ? ruler->from : plot_ruler_place(ruler, 0);
}

static void draw_area(const struct plot_frame *frame, const struct plot_series *series)
{
    struct css css = css_of(series, "w", "l");
    double base = base_of(&frame->y);
    double last_x = 0;
    bool open = false;
    svg_path_begin(frame->text, css.name);
    for (size_t i = 0; i < series->count; i++) {
        double x = 0;
        double y = 0;
        if (point_of(frame, series, i, &x, &y)) {
            if (!open) {
                svg_path_point(frame->text, 'M', x, base);
            }
            svg_path_point(frame->text, 'L', x, y);
            last_x = x;
            open = true;
        } else if (open) {
            svg_path_point(frame->text, 'L', last_x, base);
            open = false;
        }
    }
    if (open) {
        svg_path_point(frame->text, 'L', last_x, base);
    }
    svg_path_end(frame->text);
}

/* Where the series' marks stand, and how wide they may be. */
struct slot {
    const struct plot_ruler *places;
    const struct plot_ruler *values;
    double shift;
    double half;
};

static struct slot slot_of(const struct plot_frame *frame, size_t number)
{
    bool lies = marks_lie(frame->panel);
    const struct plot_axis *axis = lies ? &frame->panel->y : &frame->panel->x;
    struct slot slot = {.places = lies ? &frame->y : &frame->x,
                        .values = lies ? &frame->x : &frame->y};
    double unit = 24;
    if (axis->categories != NULL) {
        unit = fabs(slot.places->to - slot.places->from) / (double)axis->category_count;
    }
    double slots = (double)plot_marks_slots(frame->panel);
    double width = fmin(unit * 0.8 / slots, 48);
    slot.shift = ((double)number - (slots - 1) / 2) * width;
    slot.half = width * 0.42;
    return slot;
}

static double slot_place(const struct slot *slot, double place)
{
    return isfinite(place) ? plot_ruler_place(slot->places, place) + slot->shift
                           : (double)NAN;
}

static void draw_ends(const struct plot_frame *frame, const struct slot *slot,
                      const char *css, double place, double low, double high)
{
    double from = plot_ruler_place(slot->values, low);
    double to = plot_ruler_place(slot->values, high);
    double cap = fmin(slot->half, 5);
    draw_line(frame, css, place, from, place, to);
    if (isfinite(low)) {
        draw_line(frame, css, place - cap, from, place + cap, from);
    }
    if (isfinite(high)) {
        draw_line(frame, css, place - cap, to, place + cap, to);
    }
}

/* Where a bar would stand, that there is none. */
static void draw_missing(const struct plot_frame *frame, const struct slot *slot,
                         double place, const char *missing)
{
    double base = base_of(slot->values);
    if (marks_lie(frame->panel)) {
        svg_text(frame->text, "s m", base + 4, place + 4, 0, missing);
    } else {
        svg_text(frame->text, "s m", place + 4, base - 4, -90, missing);
    }
}

static void draw_bars(const struct plot_frame *frame, const struct plot_series *series,
                      const struct slot *slot)
{
    struct css fill = css_of(series, "f", NULL);
    for (size_t i = 0; i < series->count; i++) {
        double place = slot_place(slot, place_of(series, i));
        if (!isfinite(series->y[i]) && isfinite(place) && series->missing != NULL) {
            draw_missing(frame, slot, place, series->missing);
        }
        draw_rectangle(frame, fill.name, place, slot->half, base_of(slot->values),
                       plot_ruler_place(slot->values, series->y[i]));
        if (series->low != NULL && series->high != NULL) {
            draw_ends(frame, slot, "o", place, series->low[i], series->high[i]);
        }
    }
}

static void draw_intervals(const struct plot_frame *frame,
                           const struct plot_series *series, const struct slot *slot)
{
    struct css line = css_of(series, "l", NULL);
    struct css point = css_of_points(series);
    for (size_t i = 0; i < series->count; i++) {
        double place = slot_place(slot, place_of(series, i));
        if (series->low != NULL && series->high != NULL) {
            draw_ends(frame, slot, line.name, place, series->low[i], series->high[i]);
        }
        if (isfinite(series->y[i])) {
            draw_point(frame, series, point.name, place,
                       plot_ruler_place(slot->values, series->y[i]));
        }
    }
}

static void draw_outline(const struct plot_frame *frame,
                         const struct plot_series *series, const struct slot *slot,
                         double place, const struct plot_box *box)
{
    struct css css = css_of(series, "w", "l");
    double most = 0;
    for (size_t i = 0; i < box->count; i++) {
        most = isfinite(box->density[i]) ? fmax(most, box->density[i]) : most;
    }
    bool lies = marks_lie(frame->panel);
    bool open = false;
    svg_path_begin(frame->text, css.name);
    for (size_t i = 0; i < 2 * box->count; i++) {
        size_t at = i < box->count ? i : 2 * box->count - 1 - i;
        double side = i < box->count ? 1 : -1;
        double value = plot_ruler_place(slot->values, box->at[at]);
        double across = place + side * slot->half * box->density[at] / most;
        if (isfinite(value) && isfinite(across)) {
            svg_path_point(frame->text, open ? 'L' : 'M', lies ? value : across,
                           lies ? across : value);
            open = true;
        }
    }
    text_append(frame->text, open ? "Z" : "");
    svg_path_end(frame->text);
}

static void draw_violin(const struct plot_frame *frame,
                        const struct plot_series *series, const struct slot *slot,
                        double place, const struct plot_box *box)
{
    struct css line = css_of(series, "wide l", NULL);
    draw_outline(frame, series, slot, place, box);
    draw_line(frame, line.name, place, plot_ruler_place(slot->values, box->quarter_low),
              place, plot_ruler_place(slot->values, box->quarter_high));
    double cap = fmin(slot->half, 6);
    double median = plot_ruler_place(slot->values, box->median);
    draw_line(frame, "o wide", place - cap, median, place + cap, median);
}

static void draw_box(const struct plot_frame *frame, const struct plot_series *series,
                     const struct slot *slot, double place, const struct plot_box *box)
{
    struct css line = css_of(series, "l", NULL);
    struct css fill = css_of(series, "w", "l");
    struct css thick = css_of(series, "wide l", NULL);
    double low = plot_ruler_place(slot->values, box->quarter_low);
    double high = plot_ruler_place(slot->values, box->quarter_high);
    double median = plot_ruler_place(slot->values, box->median);
    draw_ends(frame, slot, line.name, place, box->low, box->quarter_low);
    draw_ends(frame, slot, line.name, place, box->quarter_high, box->high);
    draw_rectangle(frame, fill.name, place, slot->half, low, high);
    draw_line(frame, thick.name, place - slot->half, median, place + slot->half,
              median);
}

static void draw_boxes(const struct plot_frame *frame, const struct plot_series *series,
                       const struct slot *slot)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct plot_box *box = &series->boxes[i];
        double place = slot_place(slot, box->place);
        if (!isfinite(place) || !isfinite(box->median)) {
            continue;
        }
        if (series->kind == PLOT_VIOLINS && box->count > 1) {
            draw_violin(frame, series, slot, place, box);
        } else {
            draw_box(frame, series, slot, place, box);
        }
    }
}

static void draw_standing(const struct plot_frame *frame,
                          const struct plot_series *series, size_t number)
{
    struct slot slot = slot_of(frame, number);
    if (series->boxes != NULL) {
        draw_boxes(frame, series, &slot);
    } else if (series->kind == PLOT_INTERVALS) {
        draw_intervals(frame, series, &slot);
    } else {
        draw_bars(frame, series, &slot);
    }
}

enum { LABEL_HEIGHT = 14 };

static void draw_reference(const struct plot_frame *frame,
                           const struct plot_reference *line)
{
    double place = plot_ruler_place(line->upright ? &frame->x : &frame->y, line->value);
    double right = frame->left + frame->width;
    double bottom = frame->top + frame->height;
    if (!isfinite(place)) {
        return;
    }
    if (line->upright) {
        svg_line(frame->text, "r", place, frame->top, place, bottom);
    } else {
        svg_line(frame->text, "r", frame->left, place, right, place);
    }
    if (line->label != NULL && line->upright) {
        svg_text(frame->text, "s m", place + 4, frame->top + 11, 0, line->label);
    } else if (line->label != NULL) {
        bool below = place - frame->top < LABEL_HEIGHT;
        svg_text(frame->text, "s m e", right - 4, below ? place + 11 : place - 4, 0,
                 line->label);
    }
}

void plot_marks_draw(const struct plot_frame *frame)
{
    const struct plot_panel *panel = frame->panel;
    size_t slot = 0;
    for (size_t i = 0; i < panel->series_count; i++) {
        const struct plot_series *series = &panel->series[i];
        switch (series->kind) {
        case PLOT_POINTS:
            draw_points(frame, series);
            break;
        case PLOT_LINE:
        case PLOT_STEPS:
            draw_lines(frame, series);
            break;
        case PLOT_AREA:
            draw_area(frame, series);
            break;
        case PLOT_BARS:
        case PLOT_INTERVALS:
        case PLOT_BOXES:
        case PLOT_VIOLINS:
            draw_standing(frame, series, slot++);
            break;
        }
    }
    for (size_t i = 0; i < panel->reference_count; i++) {
        draw_reference(frame, &panel->references[i]);
    }
}
