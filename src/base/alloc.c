#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *alloc_array(size_t count, size_t size)
{
    if (count == 0 || size == 0) {
        count = size = 1;
    }
    if (count > SIZE_MAX / size) { /* calloc() checks too, but sanitizers abort there */
        return NULL;
    }
    return calloc(count, size);
}

void *alloc_resize(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    size_t bytes = count * size;
    return realloc(block, bytes == 0 ? 1 : bytes);
}

char *alloc_string_n(const char *text, size_t length)
{
    if (length == SIZE_MAX) {
        return NULL;
    }
    char *copy = alloc_array(length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *alloc_string(const char *text)
{
    return alloc_string_n(text, strlen(text));
}

char *alloc_format_v(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : alloc_array((size_t)n + 1, 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    return text;
}

char *alloc_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = alloc_format_v(format, args);
    va_end(args);
    return text;
}
