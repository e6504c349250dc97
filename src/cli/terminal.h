/* The terminal that a stream may lead to. */
#ifndef DUET_CLI_TERMINAL_H
#define DUET_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool terminal_is(FILE *stream);
/* Whether a line there can be drawn again and again: a terminal that is not dumb. */
bool terminal_redraws(FILE *stream);
/* Columns; 0 when it is no terminal or does not say. */
size_t terminal_width(FILE *stream);
/* Whether it shows UTF-8, by the locale's variables. */
bool terminal_is_utf8(void);
/* Prints a name to standard output that may hold anything, escape sequences too. */
void terminal_print_clean(const char *before, const char *name, const char *after);
/* Whether colours are wanted there: a terminal that knows them, and no NO_COLOR. */
bool terminal_has_color(FILE *stream);

#endif
