#include "formats/left_out.h"

#include <stdarg.h>

void formats_left_out_note(struct formats_left_out *left_out, const char *format, ...)
{
    if (left_out->count < FORMATS_LEFT_OUT_LINES) {
        va_list args;
        va_start(args, format);
        text_append(&left_out->lines, left_out->count == 0 ? "" : "\n");
        text_append_list(&left_out->lines, format, args);
        va_end(args);
    }
    left_out->count++;
}

void formats_left_out_release(struct formats_left_out *left_out)
{
    text_release(&left_out->lines);
    *left_out = (struct formats_left_out){.count = 0};
}
