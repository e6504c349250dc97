/* Paragraphs for the terminal. */
#ifndef DUET_CLI_WRAP_H
#define DUET_CLI_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints `text`, broken between words into lines of at most `width` columns; the first
 * one begins where the cursor is, at column `indent`, the others are indented so far. A
 * newline in the text is kept. Ends with a newline. */
void wrap_print(FILE *stream, const char *text, size_t indent, size_t width);

#endif
