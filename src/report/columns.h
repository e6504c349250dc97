/* Tables for people: cells side by side in columns of fixed width, counted as a
 * terminal shows them. Nothing else pads. */
#ifndef DUET_REPORT_COLUMNS_H
#define DUET_REPORT_COLUMNS_H

#include "base/text.h"
#include "report/display.h"

#include <stddef.h>

/* Cells of a row, printf's format with a tab between two: "%s\t%zu\t%.1f\n". widths: of
 * the columns, one a cell; text stands at the right of its column, with a negative
 * width at its left, and longer text stays whole. A newline ends the row. Whatever
 * foreign names hold goes through columns_append_name() instead. */
void columns_append(struct text *text, const int *widths, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One cell. */
void columns_append_cell(struct text *text, int width, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number with so many decimals; "-" when it is not finite. */
void columns_append_number(struct text *text, int width, int decimals, double number);

/* A cell in a colour, which the blanks beside it do not have. */
void columns_append_painted(struct text *text, int width,
                            const struct report_style *style, enum display_paint paint,
                            const char *cell);

/* A name at the left, as by display_append_name(), shortened so that a blank stays
 * behind it. */
void columns_append_name(struct text *text, size_t width, const char *name);

#endif
