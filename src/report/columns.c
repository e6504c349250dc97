#include "report/columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void columns_append_painted(struct text *text, int width,
                            const struct report_style *style, enum display_paint paint,
                            const char *cell)
{
    size_t columns = (size_t)abs(width);
    display_pad(text, cell, width > 0 ? columns : 0);
    display_append_painted(text, style, paint, cell);
    display_pad(text, cell, width < 0 ? columns : 0);
}

static void append_padded(struct text *text, int width, const char *cell)
{
    static const struct report_style plain = {.color = false};
    columns_append_painted(text, width, &plain, DISPLAY_PLAIN, cell);
}

void columns_append(struct text *text, const int *widths, const char *format, ...)
{
    struct text row = {0};
    va_list arguments;
    va_start(arguments, format);
    text_append_list(&row, format, arguments);
    va_end(arguments);
    char *cell = row.bytes; /* NULL: an empty row, or no memory */
    while (cell != NULL) {
        size_t length = strcspn(cell, "\t\n");
        char end = cell[length];
        cell[length] = '\0';
        append_padded(text, *widths++, cell);
        if (end == '\n') {
            text_append_char(text, '\n');
        }
        cell = end == '\t' ? cell + length + 1 : NULL;
    }
    display_drop(text, &row);
}

void columns_append_cell(struct text *text, int width, const char *format, ...)
{
    struct text cell = {0};
    va_list arguments;
    va_start(arguments, format);
    text_append_list(&cell, format, arguments);
    va_end(arguments);
    append_padded(text, width, text_string(&cell));
    display_drop(text, &cell);
}

void columns_append_number(struct text *text, int width, int decimals, double number)
{
    if (isfinite(number)) {
        columns_append_cell(text, width, "%.*f", decimals, number);
    } else {
        append_padded(text, width, "-");
    }
}

void columns_append_name(struct text *text, size_t width, const char *name)
{
    struct text cell = {0};
    display_append_name(&cell, name, width - 1, true);
    append_padded(text, -(int)width, text_string(&cell));
    display_drop(text, &cell);
}
