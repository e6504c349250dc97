#include "formats/left_out.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Whether the line from `at` on is the one before it, too: values of a benchmark come
 * together, and often share their fault. */
static bool is_repeated(const struct text *lines, size_t at)
{
    size_t length = lines->length - at;
    return at > length && lines->bytes[at - 1] == '\n' &&
           memcmp(lines->bytes + at - 1 - length, lines->bytes + at, length) == 0 &&
           (at - 1 == length || lines->bytes[at - 2 - length] == '\n');
}

void formats_left_out_note(struct formats_left_out *left_out, const char *format, ...)
{
    struct text *lines = &left_out->lines;
    if (left_out->count < FORMATS_LEFT_OUT_LINES) {
        va_list args;
        text_append(lines, left_out->count == 0 ? "" : "\n");
        size_t at = lines->length;
        va_start(args, format);
        text_append_list(lines, format, args);
        va_end(args);
        if (lines->length > at && !text_failed(lines)) {
            text_mend(lines->bytes + at);
            lines->length = at + strlen(lines->bytes + at);
        }
        if (!text_failed(lines) && is_repeated(lines, at)) {
            lines->length = at - 1;
            lines->bytes[at - 1] = '\0';
            return;
        }
    }
    left_out->count++;
}

void formats_left_out_release(struct formats_left_out *left_out)
{
    text_release(&left_out->lines);
    *left_out = (struct formats_left_out){.count = 0};
}
