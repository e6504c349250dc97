/* Text on a terminal: columns, names that may hold anything, wrapping, colour. */
#ifndef DUET_REPORT_DISPLAY_H
#define DUET_REPORT_DISPLAY_H

#include "base/text.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

enum display_paint {
    DISPLAY_PLAIN,
    DISPLAY_WORSE,  /* red and bold */
    DISPLAY_BETTER, /* green and bold */
    DISPLAY_STRONG, /* bold */
    DISPLAY_DIM
};

/* Columns that a NUL-terminated UTF-8 string takes: 0 for combining and control
 * characters, 2 for East Asian wide ones and most emoji, 1 for everything else,
 * ill-formed bytes too. Source: Unicode UAX #11, as utf8proc has it. */
size_t display_columns(const char *string);

/* A name or message of foreign origin, safe to print: line breaks and tabs become
 * spaces, other control characters (escape sequences, bidirectional overrides) and
 * ill-formed bytes U+FFFD. unicode false: `?` for them and for all beyond ASCII. */
void display_append_clean(struct text *text, const char *string, bool unicode);

/* The same for a message that may have several lines: line breaks and tabs stay. */
void display_append_message(struct text *text, const char *string, bool unicode);

/* As display_append_clean(), shortened in the middle to at most `columns` columns (0:
 * unlimited), since the ends of a command line tell commands apart: "xz -6 … a.txt". */
void display_append_name(struct text *text, const char *name, size_t columns,
                         bool unicode);

/* Columns that display_append_clean() makes of a string, with unicode. */
size_t display_clean_columns(const char *string);

/* Releases a part whose bytes were used; that it failed becomes the text's failure. */
void display_drop(struct text *text, struct text *part);

/* Spaces, as many as a cell of `columns` that holds `string` still needs. */
void display_pad(struct text *text, const char *string, size_t columns);

/* The string in a colour; plain when style->color is false or the string is empty. */
void display_append_painted(struct text *text, const struct report_style *style,
                            enum display_paint paint, const char *string);

/* A paragraph: `indent` spaces, `lead` in bold (may be ""), then `body`, broken between
 * words at style->width; further lines begin below the body's first word. Ends with a
 * newline. The body is cleaned as by display_append_clean. */
void display_append_paragraph(struct text *text, const struct report_style *style,
                              enum display_paint paint, size_t indent, const char *lead,
                              const char *body);

#endif
