#include "report/plot/svg.h"

#include "report/xml_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Okabe and Ito 2008 ("Color Universal Design"), the light tones darkened on white and
 * the dark ones lightened on black so that each has at least 3 : 1 against its ground
 * (WCAG 2.1, 1.4.11). */
static const char *const light_colors[] = {"0072b2", "d55e00", "008a65", "b85c93",
                                           "8f6b00", "2a8cc4", "5e5e5e", "7a4fb0"};
static const char *const dark_colors[] = {"56b4e9", "ff9248", "2ecc9b", "e59bc4",
                                          "f0e442", "a6d8f5", "b4b4b4", "bfa2ea"};

struct ground {
    const char *ground;
    const char *ink;
    const char *muted;
    const char *grid;
    const char *const *colors;
};

static const struct ground light = {"ffffff", "1f2328", "57606a", "d8dee4",
                                    light_colors};
static const struct ground dark = {"0d1117", "e6edf3", "9aa4ae", "30363d", dark_colors};

static void append_ground(struct text *text, const struct ground *ground)
{
    text_append_format(
        text,
        ".duet-plot .k{fill:#%s}.duet-plot text{fill:#%s}.duet-plot .m{fill:#%s}.duet-plot "
        ".g{stroke:#%s}.duet-plot .a,.duet-plot .r{stroke:#%s}.duet-plot .o{stroke:#%s}\n",
        ground->ground, ground->ink, ground->muted, ground->grid, ground->muted,
        ground->ink);
    for (int i = 0; i < 8; i++) {
        text_append_format(
            text,
            ".duet-plot .f%d,.duet-plot .w%d{fill:#%s}.duet-plot .l%d{stroke:#%s}", i,
            i, ground->colors[i], i, ground->colors[i]);
    }
    text_append_char(text, '\n');
}

/* Every rule begins with .duet-plot: a page may hold several pictures and more. */
void svg_style(struct text *text)
{
    text_append(
        text,
        ".duet-plot text{font-family:sans-serif;font-size:12px;stroke:none}.duet-plot "
        ".s{font-size:11px}.duet-plot .b{font-weight:bold}.duet-plot .h{font-size:15px}.duet-plot "
        ".e{text-anchor:end}.duet-plot .c{text-anchor:middle}\n"
        ".duet-plot path,.duet-plot line{fill:none;stroke-width:1.5}.duet-plot .g,.duet-plot .a,.duet-plot "
        ".o{stroke-width:1}.duet-plot .r{stroke-width:1;stroke-dasharray:5 4}.duet-plot "
        "rect.o{fill:none}.duet-plot .n,.duet-plot .i{fill:none;stroke:#fff;stroke-width:4}.duet-plot "
        ".i{stroke:#000;stroke-width:1.5}.duet-plot .p{stroke-width:5;stroke-opacity:.75}.duet-plot "
        ".q{fill-opacity:.75}.duet-plot .p{stroke-linecap:round}.duet-plot .d1{stroke-dasharray:7 "
        "3}.duet-plot .d2{stroke-dasharray:2 3}.duet-plot .d3{stroke-dasharray:8 3 2 3}.duet-plot "
        ".wide{stroke-width:3.5}\n");
    for (int i = 0; i < 8; i++) {
        text_append_format(text, ".duet-plot .w%d{fill-opacity:.3}", i);
    }
    text_append_char(text, '\n');
    append_ground(text, &light);
    text_append(text, "@media (prefers-color-scheme:dark){\n");
    append_ground(text, &dark);
    text_append(text, "}\n");
}

void svg_open(struct text *text, double width, double height, const char *title,
              const char *description, bool bare)
{
    text_append(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"duet-plot\" role=\"img\" width=\"");
    svg_number(text, width);
    text_append(text, "\" height=\"");
    svg_number(text, height);
    text_append(text, "\" viewBox=\"0 0 ");
    svg_number(text, width);
    text_append_char(text, ' ');
    svg_number(text, height);
    text_append(text, "\">\n<title>");
    xml_append_line(text, title);
    text_append(text, "</title>\n<desc>");
    xml_append_line(text, description);
    text_append(text, "</desc>\n");
    if (!bare) {
        text_append(text, "<style>\n");
        svg_style(text);
        text_append(text, "</style>\n");
    }
    svg_rectangle(text, "k", 0, 0, width, height);
}

void svg_close(struct text *text)
{
    text_append(text, "</svg>\n");
}

void svg_number(struct text *text, double value)
{
    char digits[64];
    /* Beyond any picture; keeps the digits within the buffer. */
    double kept = isfinite(value) && fabs(value) < 1e9 ? value : 0;
    int length = snprintf(digits, sizeof digits, "%.2f", kept);
    while (length > 0 && digits[length - 1] == '0') {
        length--;
    }
    if (length > 0 && digits[length - 1] == '.') {
        length--;
    }
    digits[length] = '\0';
    text_append(text, strcmp(digits, "-0") == 0 ? "0" : digits);
}

/* A dot is a line of no length with round ends; such a line with square ends is drawn
 * or not as the reader pleases, so that a square is an area. */
void svg_path_mark(struct text *text, bool square, double x, double y)
{
    svg_path_point(text, 'M', square ? x - 2 : x, square ? y - 2 : y);
    text_append(text, square ? "h4v4h-4Z" : "h0");
}

/* ` name="value"` */
static void append_attribute(struct text *text, const char *name, double value)
{
    text_append_format(text, " %s=\"", name);
    svg_number(text, value);
    text_append_char(text, '"');
}

void svg_rectangle(struct text *text, const char *css, double x, double y, double width,
                   double height)
{
    text_append_format(text, "<rect class=\"%s\"", css);
    append_attribute(text, "x", x);
    append_attribute(text, "y", y);
    append_attribute(text, "width", fmax(width, 0));
    append_attribute(text, "height", fmax(height, 0));
    text_append(text, "/>\n");
}

void svg_line(struct text *text, const char *css, double x1, double y1, double x2,
              double y2)
{
    text_append_format(text, "<line class=\"%s\"", css);
    append_attribute(text, "x1", x1);
    append_attribute(text, "y1", y1);
    append_attribute(text, "x2", x2);
    append_attribute(text, "y2", y2);
    text_append(text, "/>\n");
}

void svg_text(struct text *text, const char *css, double x, double y, double degrees,
              const char *string)
{
    text_append_format(text, "<text class=\"%s\"", css);
    append_attribute(text, "x", x);
    append_attribute(text, "y", y);
    if (degrees < 0 || degrees > 0) {
        text_append(text, " transform=\"rotate(");
        svg_number(text, degrees);
        text_append_char(text, ' ');
        svg_number(text, x);
        text_append_char(text, ' ');
        svg_number(text, y);
        text_append(text, ")\"");
    }
    text_append_char(text, '>');
    xml_append_line(text, string);
    text_append(text, "</text>\n");
}

void svg_path_begin(struct text *text, const char *css)
{
    text_append_format(text, "<path class=\"%s\" d=\"", css);
}

void svg_path_point(struct text *text, char command, double x, double y)
{
    text_append_char(text, command);
    svg_number(text, x);
    text_append_char(text, ' ');
    svg_number(text, y);
}

void svg_path_end(struct text *text)
{
    text_append(text, "\"/>\n");
}

void svg_clip_begin(struct text *text, double x, double y, double width, double height)
{
    text_append(text, "<svg");
    append_attribute(text, "x", x);
    append_attribute(text, "y", y);
    append_attribute(text, "width", fmax(width, 1));
    append_attribute(text, "height", fmax(height, 1));
    text_append(text, " viewBox=\"");
    svg_number(text, x);
    text_append_char(text, ' ');
    svg_number(text, y);
    text_append_char(text, ' ');
    svg_number(text, fmax(width, 1));
    text_append_char(text, ' ');
    svg_number(text, fmax(height, 1));
    text_append(text, "\">\n");
}

void svg_clip_end(struct text *text)
{
    text_append(text, "</svg>\n");
}
