/* A growing string. Zeroed storage is an empty one; text_release() frees it. An
 * allocation failure is remembered: later appends do nothing and text_failed() says so,
 * so that a caller checks once at the end. */
#ifndef DUET_BASE_TEXT_H
#define DUET_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NUL-terminated once anything was appended; NULL before */
    size_t length;
    size_t capacity;
    bool failed;
};

void text_append(struct text *text, const char *string);
void text_append_n(struct text *text, const char *bytes, size_t length);
void text_append_char(struct text *text, char c);
void text_append_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_append_list(struct text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* As one word of a POSIX shell, byte by byte, in single quotes. */
void text_append_quoted(struct text *text, const char *word);

bool text_failed(const struct text *text);
/* The string so far; "" when nothing was appended. Valid until the next append. */
const char *text_string(const struct text *text);
/* Hands the bytes over to the caller (free()); the text is empty afterwards. NULL when
 * an append failed. */
char *text_take(struct text *text);
void text_release(struct text *text);

/* Copies into a field of `size` bytes. What does not fit is cut between two characters
 * of UTF-8. */
void text_copy(char *field, size_t size, const char *string);

bool text_ends_with(const char *string, const char *ending);

/* Characters of UTF-8 that were cut become "?": of a text that was cut by printf(). */
void text_mend(char *string);

#endif
