/* Writes the few SVG elements that pictures need: numbers with at most two decimals,
 * text escaped for XML, colours by class from one style sheet for light and dark. */
#ifndef DUET_REPORT_SVG_H
#define DUET_REPORT_SVG_H

#include "base/text.h"

#include <stdbool.h>

/* Opens and closes the document. Its style sheet (svg_style(), left out of a bare one)
 * has the classes
 *   t text, s small text, b bold text, m muted text; e and c: anchored at the end,
 * centre g grid line, a axis line, r reference line, o outline in the text's colour f0
 * to f7 filled, w0 to w7 filled lightly, l0 to l7 lines of these colours p round
 * points, q square points (paths of zero length), d1 to d3 dashes. */
void svg_open(struct text *text, double width, double height, const char *title,
              const char *description, bool bare);
void svg_style(struct text *text);
void svg_close(struct text *text);

/* A coordinate: at most two decimals, no trailing zeros, never "-0". Not finite: 0. */
void svg_number(struct text *text, double value);

void svg_rectangle(struct text *text, const char *css, double x, double y, double width,
                   double height);
void svg_line(struct text *text, const char *css, double x1, double y1, double x2,
              double y2);
/* Turned by `degrees` around (x, y), clockwise. */
void svg_text(struct text *text, const char *css, double x, double y, double degrees,
              const char *string);

/* A path's parts: `<path class="css" d="`, commands, `"/>`. */
void svg_path_begin(struct text *text, const char *css);
void svg_path_point(struct text *text, char command, double x, double y);
void svg_path_end(struct text *text);
/* A point of a path of points: of class "p" and a line's colour a dot, of class "q" and
 * a fill's colour a square. */
void svg_path_mark(struct text *text, bool square, double x, double y);

/* What is drawn between them is cut off at the rectangle; coordinates stay the same. */
void svg_clip_begin(struct text *text, double x, double y, double width, double height);
void svg_clip_end(struct text *text);

#endif
