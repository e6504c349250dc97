#include "report/plot/plot.h"

#include "report/display.h"
#include "report/plot/plot_frame.h"
#include "report/plot/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels. A column of text is taken for somewhat wider than it is on average: a font
 * that this program does not know draws it. */
static const double column_px = 6.7;
static const double small_column_px = 6.7;
static const double bold_column_px = 7.4;
static const double title_column_px = 9;
static const double line_px = 17;
static const double edge_px = 12;
static const double tick_gap_px = 6;
static const double category_row_px = 19;
static const double slant_degrees = -40;
/* Cells of a heat map are no larger. */
static const double cell_width_px = 230;
static const double cell_height_px = 60;
enum { LABEL_COLUMNS = 32 };

/* Where everything is; the same left margin for every panel, so that they line up. */
struct layout {
    double width;
    size_t columns;
    size_t rows;
    double head; /* title and legend */
    double left;
    double right;
    double top;
    double inner_width;
    double inner_height; /* of a panel without many rows */
};

static double text_px(const char *string, double column)
{
    size_t columns = display_columns(string);
    return (double)(columns > LABEL_COLUMNS ? LABEL_COLUMNS : columns) * column;
}

/* "label [unit]" */
static void append_axis_label(struct text *text, const struct plot_axis *axis)
{
    text_append(text, axis->label == NULL ? "" : axis->label);
    if (axis->unit != NULL) {
        text_append_format(text, "%s[%s]", axis->label == NULL ? "" : " ", axis->unit);
    }
}

static bool has_label(const struct plot_axis *axis)
{
    return axis->label != NULL || axis->unit != NULL;
}

static double widest_category(const struct plot_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->category_count; i++) {
        widest = fmax(widest, text_px(axis->categories[i], small_column_px));
    }
    return widest;
}

/* The values of both rulers, without pixels. */
static void set_rulers(const struct plot_figure *figure, const struct plot_panel *panel,
                       struct plot_ruler *x, struct plot_ruler *y, bool *ret_empty)
{
    struct plot_range own[2] = {PLOT_RANGE_EMPTY, PLOT_RANGE_EMPTY};
    struct plot_range all[2] = {PLOT_RANGE_EMPTY, PLOT_RANGE_EMPTY};
    bool zero[2] = {false, false};
    bool other_zero[2] = {false, false};
    plot_marks_range(panel, &own[0], &own[1], zero);
    bool shared = figure->same_x || figure->same_y;
    for (size_t i = 0; shared && i < figure->panel_count; i++) {
        plot_marks_range(&figure->panels[i], &all[0], &all[1], other_zero);
    }
    *ret_empty = plot_range_is_empty(&own[0]) || plot_range_is_empty(&own[1]);
    plot_ruler_set(x, &panel->x, figure->same_x ? &all[0] : &own[0], zero[0]);
    plot_ruler_set(y, &panel->y, figure->same_y ? &all[1] : &own[1], zero[1]);
}

static size_t wanted_ticks(double pixels, double each)
{
    double wanted = pixels / each;
    return wanted < 2 ? 2 : (size_t)wanted;
}

static double widest_tick(const struct plot_figure *figure,
                          const struct plot_panel *panel, double height)
{
    struct plot_ruler x = {0};
    struct plot_ruler y = {0};
    struct plot_tick ticks[PLOT_TICKS_MAX];
    bool empty = false;
    double widest = 0;
    if (panel->y.categories != NULL) {
        return widest_category(&panel->y);
    }
    set_rulers(figure, panel, &x, &y, &empty);
    size_t count = plot_ticks(&y, wanted_ticks(height, 45), ticks);
    for (size_t i = 0; i < count; i++) {
        widest = fmax(widest, text_px(ticks[i].label, small_column_px));
    }
    return widest;
}

static double asked(double value, double otherwise)
{
    return isfinite(value) && value > 0 ? value : otherwise;
}

/* Whether the names of the x axis do not fit beside each other. */
static bool must_slant(const struct plot_axis *axis, double width)
{
    return axis->categories != NULL && axis->category_count > 0 &&
           widest_category(axis) + 6 > width / (double)axis->category_count;
}

static void fit_panel(struct layout *layout, const struct plot_figure *figure,
                      const struct plot_panel *panel)
{
    double height = asked(figure->panel_height, 300);
    layout->left = fmax(layout->left, widest_tick(figure, panel, height) + tick_gap_px +
                                          (has_label(&panel->y) ? line_px + 4 : 0) + 6);
    layout->top = fmax(layout->top, panel->title == NULL ? 8 : line_px + 8);
}

/* The height of the panel's inside: a panel of many rows grows with them, a heat map of
 * few cells does not fill its place. */
static double height_of(const struct layout *layout, const struct plot_panel *panel)
{
    double count = (double)panel->y.category_count;
    double slots = (double)plot_marks_slots(panel);
    double rows =
        panel->y.categories == NULL ? 0 : count * fmax(category_row_px, slots * 12);
    double height = fmax(layout->inner_height, rows);
    return panel->grid == NULL ? height : fmin(height, count * cell_height_px);
}

/* Of the highest of a row of panels. */
static double row_height(const struct layout *layout, const struct plot_figure *figure,
                         size_t row)
{
    double height = 0;
    for (size_t i = row * layout->columns;
         i < figure->panel_count && i < (row + 1) * layout->columns; i++) {
        height = fmax(height, height_of(layout, &figure->panels[i]));
    }
    return height;
}

/* The height below the panel's inside: ticks, names, label. */
static double bottom_of(const struct layout *layout, const struct plot_panel *panel)
{
    double bottom = line_px + 4;
    if (must_slant(&panel->x, layout->inner_width)) {
        bottom = 0.65 * widest_category(&panel->x) + 16;
    }
    return bottom + (has_label(&panel->x) ? line_px + 2 : 0) + 4;
}

/* The same for a row of panels. */
static double row_bottom(const struct layout *layout, const struct plot_figure *figure,
                         size_t row)
{
    double bottom = 0;
    for (size_t i = row * layout->columns;
         i < figure->panel_count && i < (row + 1) * layout->columns; i++) {
        bottom = fmax(bottom, bottom_of(layout, &figure->panels[i]));
    }
    return bottom;
}

static struct layout layout_of(const struct plot_figure *figure)
{
    struct layout layout = {.width = asked(figure->width, 600), .right = edge_px};
    layout.columns = figure->columns;
    if (layout.columns == 0) {
        layout.columns = figure->panel_count > 3 ? 2 : 1;
    }
    if (layout.columns > figure->panel_count && figure->panel_count > 0) {
        layout.columns = figure->panel_count;
    }
    layout.rows = (figure->panel_count + layout.columns - 1) / layout.columns;
    for (size_t i = 0; i < figure->panel_count; i++) {
        fit_panel(&layout, figure, &figure->panels[i]);
    }
    double share = layout.width / (double)layout.columns;
    layout.inner_width = fmax(share - layout.left - layout.right, 40);
    double around = layout.top;
    for (size_t row = 0; row < layout.rows; row++) {
        around = fmax(around, layout.top + row_bottom(&layout, figure, row));
    }
    double height = asked(figure->panel_height, 300) - around;
    layout.inner_height = fmax(height, 60);
    return layout;
}

static bool same_entry(const struct plot_series *a, const struct plot_series *b)
{
    return a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0 &&
           a->color % PLOT_LINES == b->color % PLOT_LINES;
}

/* Whether an earlier series has the same entry in the legend. */
static bool is_repeated(const struct plot_figure *figure, size_t panel, size_t series)
{
    const struct plot_series *own = &figure->panels[panel].series[series];
    for (size_t p = 0; p <= panel; p++) {
        size_t count = p == panel ? series : figure->panels[p].series_count;
        for (size_t s = 0; s < count; s++) {
            if (same_entry(&figure->panels[p].series[s], own)) {
                return true;
            }
        }
    }
    return false;
}

static void draw_swatch(struct text *text, const struct plot_series *series, double x,
                        double y)
{
    char css[32];
    size_t color = series->color % PLOT_COLORS;
    if (series->kind == PLOT_LINE || series->kind == PLOT_STEPS) {
        (void)snprintf(css, sizeof css, "l%zu d%zu", color, plot_marks_dashes(series));
        svg_line(text, css, x, y - 4, x + 20, y - 4);
    } else if (series->kind == PLOT_POINTS || series->kind == PLOT_INTERVALS) {
        bool square = color % 2 == 1;
        (void)snprintf(css, sizeof css, square ? "f%zu q" : "l%zu p", color);
        svg_path_begin(text, css);
        svg_path_mark(text, square, x + 10, y - 4);
        svg_path_end(text);
    } else {
        (void)snprintf(css, sizeof css,
                       series->kind == PLOT_BARS ? "f%zu" : "w%zu l%zu", color, color);
        svg_rectangle(text, css, x + 4, y - 10, 12, 12);
    }
}

/* Where the next entry goes. */
struct legend {
    double x;
    double y;
    bool any;
    const char *group; /* of the entry before */
};

static void draw_entry(struct text *text, const struct plot_series *series,
                       double figure_width, struct legend *legend)
{
    double width = 26 + (double)display_columns(series->name) * column_px + edge_px;
    bool another = series->group != NULL &&
                   (legend->group == NULL || strcmp(series->group, legend->group) != 0);
    if (!legend->any || another ||
        (legend->x > edge_px && legend->x + width > figure_width)) {
        legend->y += line_px;
        legend->x = edge_px;
    }
    if (another) {
        svg_text(text, "s b", legend->x, legend->y, 0, series->group);
        legend->x += (double)display_columns(series->group) * column_px + edge_px;
    }
    legend->any = true;
    legend->group = series->group;
    draw_swatch(text, series, legend->x, legend->y);
    svg_text(text, "s", legend->x + 26, legend->y, 0, series->name);
    legend->x += width;
}

/* Title, legend and the heat map's key; returns the height used. */
static double draw_head(struct text *text, const struct plot_figure *figure,
                        const struct layout *layout)
{
    double y = edge_px;
    if (figure->title != NULL) {
        y += line_px;
        struct text title = {0};
        display_append_name(&title, figure->title,
                            (size_t)((layout->width - 2 * edge_px) / title_column_px),
                            true);
        svg_text(text, "b h", edge_px, y - 2, 0, text_string(&title));
        display_drop(text, &title);
    }
    struct legend legend = {.x = edge_px, .y = y};
    for (size_t p = 0; p < figure->panel_count; p++) {
        const struct plot_panel *panel = &figure->panels[p];
        for (size_t s = 0; s < panel->series_count; s++) {
            if (panel->series[s].name != NULL && !is_repeated(figure, p, s)) {
                draw_entry(text, &panel->series[s], layout->width, &legend);
            }
        }
    }
    y = legend.y;
    if (figure->panel_count > 0 && figure->panels[0].grid != NULL) {
        plot_grid_key(text, &figure->panels[0], edge_px, y + 6);
        y += line_px + 4;
    }
    return y + 4;
}

static void draw_category(const struct plot_frame *frame, bool upright, size_t i)
{
    const struct plot_axis *axis = upright ? &frame->panel->x : &frame->panel->y;
    const struct plot_ruler *ruler = upright ? &frame->x : &frame->y;
    double place = plot_ruler_place(ruler, (double)i);
    double bottom = frame->top + frame->height;
    struct text name = {0};
    display_append_name(&name, axis->categories[i], LABEL_COLUMNS, true);
    if (!upright) {
        svg_text(frame->text, "s e", frame->left - tick_gap_px, place + 4, 0,
                 text_string(&name));
    } else if (must_slant(axis, frame->width)) {
        svg_text(frame->text, "s e", place + 3, bottom + 13, slant_degrees,
                 text_string(&name));
    } else {
        svg_text(frame->text, "s c", place, bottom + 15, 0, text_string(&name));
    }
    display_drop(frame->text, &name);
}

static void draw_tick(const struct plot_frame *frame, bool upright,
                      const struct plot_tick *tick)
{
    double place = plot_ruler_place(upright ? &frame->x : &frame->y, tick->value);
    double right = frame->left + frame->width;
    double bottom = frame->top + frame->height;
    bool minor = tick->label[0] == '\0';
    if (upright) {
        svg_line(frame->text, minor ? "a" : "g", place, minor ? bottom - 3 : frame->top,
                 place, bottom);
    } else {
        svg_line(frame->text, minor ? "a" : "g", frame->left, place,
                 minor ? frame->left + 3 : right, place);
    }
    if (!minor && upright) {
        svg_text(frame->text, "s c", place, bottom + 15, 0, tick->label);
    } else if (!minor) {
        svg_text(frame->text, "s e", frame->left - tick_gap_px, place + 4, 0,
                 tick->label);
    }
}

static void draw_axis(const struct plot_frame *frame, bool upright)
{
    const struct plot_axis *axis = upright ? &frame->panel->x : &frame->panel->y;
    double length = upright ? frame->width : frame->height;
    if (axis->categories != NULL) {
        double each = length / fmax((double)axis->category_count, 1);
        size_t every = each >= 12 ? 1 : (size_t)ceil(12 / each);
        for (size_t i = 0; i < axis->category_count; i += every) {
            draw_category(frame, upright, i);
        }
        return;
    }
    struct plot_tick ticks[PLOT_TICKS_MAX];
    size_t count = plot_ticks(upright ? &frame->x : &frame->y,
                              wanted_ticks(length, upright ? 75 : 45), ticks);
    for (size_t i = 0; i < count; i++) {
        draw_tick(frame, upright, &ticks[i]);
    }
}

static void draw_axis_labels(const struct plot_figure *figure,
                             const struct layout *layout,
                             const struct plot_frame *frame)
{
    struct text label = {0};
    append_axis_label(&label, &frame->panel->x);
    if (label.length > 0) {
        svg_text(frame->text, "c", frame->left + frame->width / 2,
                 frame->top + frame->height + bottom_of(layout, frame->panel) - 10, 0,
                 text_string(&label));
    }
    display_drop(frame->text, &label);
    append_axis_label(&label, &frame->panel->y);
    if (label.length > 0) {
        double ticks = widest_tick(figure, frame->panel, frame->height);
        svg_text(frame->text, "c", frame->left - ticks - tick_gap_px - 8,
                 frame->top + frame->height / 2, -90, text_string(&label));
    }
    display_drop(frame->text, &label);
}

/* A title that is wider than its panel begins further left. */
static void draw_panel_title(const struct layout *layout,
                             const struct plot_frame *frame)
{
    double end = frame->left + layout->inner_width;
    double begin = frame->left - layout->left + edge_px;
    double width = (double)display_columns(frame->panel->title) * bold_column_px;
    double left = fmax(begin, fmin(frame->left, end - width));
    svg_text(frame->text, "b", left, frame->top - 7, 0, frame->panel->title);
}

static void draw_panel(const struct plot_figure *figure, const struct layout *layout,
                       struct plot_frame *frame)
{
    bool empty = false;
    double bottom = frame->top + frame->height;
    set_rulers(figure, frame->panel, &frame->x, &frame->y, &empty);
    frame->x.from = frame->left;
    frame->x.to = frame->left + frame->width;
    bool downward = frame->panel->y.categories != NULL;
    frame->y.from = downward ? frame->top : bottom;
    frame->y.to = downward ? bottom : frame->top;
    if (frame->panel->title != NULL) {
        draw_panel_title(layout, frame);
    }
    draw_axis(frame, true);
    draw_axis(frame, false);
    svg_clip_begin(frame->text, frame->left, frame->top, frame->width, frame->height);
    if (frame->panel->grid != NULL && frame->panel->x.categories != NULL &&
        frame->panel->y.categories != NULL) {
        plot_grid_draw(frame);
    } else if (empty) {
        svg_text(frame->text, "c m", frame->left + frame->width / 2,
                 frame->top + frame->height / 2, 0, "no data");
    }
    plot_marks_draw(frame);
    svg_clip_end(frame->text);
    svg_line(frame->text, "a", frame->left, bottom, frame->left + frame->width, bottom);
    svg_line(frame->text, "a", frame->left, frame->top, frame->left, bottom);
    draw_axis_labels(figure, layout, frame);
}

/* The inside of a panel, in a row of that height. */
static struct plot_frame frame_of(const struct layout *layout,
                                  const struct plot_panel *panel, double height)
{
    struct plot_frame frame = {
        .panel = panel, .width = layout->inner_width, .height = height};
    if (panel->grid != NULL) {
        double columns = (double)panel->x.category_count;
        frame.width = fmin(frame.width, columns * cell_width_px);
        frame.height = height_of(layout, panel);
    }
    return frame;
}

void plot_svg(struct text *text, const struct plot_figure *figure)
{
    struct layout layout = layout_of(figure);
    struct text head = {0};
    layout.head = draw_head(&head, figure, &layout);
    double height = layout.head + 4;
    for (size_t row = 0; row < layout.rows; row++) {
        height += layout.top + row_height(&layout, figure, row) +
                  row_bottom(&layout, figure, row);
    }
    height += figure->note == NULL ? 0 : line_px;
    svg_open(text, layout.width, height, figure->title == NULL ? "" : figure->title,
             figure->description == NULL ? "" : figure->description, figure->bare);
    text_append_n(text, text_string(&head), head.length);
    display_drop(text, &head);
    double share = layout.width / (double)layout.columns;
    double top = layout.head;
    for (size_t i = 0; i < figure->panel_count; i++) {
        size_t row = i / layout.columns;
        double row_px = row_height(&layout, figure, row);
        struct plot_frame frame = frame_of(&layout, &figure->panels[i], row_px);
        frame.text = text;
        frame.top = top + layout.top;
        frame.left = (double)(i % layout.columns) * share + layout.left;
        draw_panel(figure, &layout, &frame);
        if (i % layout.columns == layout.columns - 1) {
            top += layout.top + row_px + row_bottom(&layout, figure, row);
        }
    }
    if (figure->note != NULL) {
        svg_text(text, "s m", edge_px, height - 8, 0, figure->note);
    }
    svg_close(text);
}
