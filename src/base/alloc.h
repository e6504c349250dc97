/* Heap allocation. Everything in the project allocates through these functions, so
 * that a test can make the n-th call fail (tests link with --wrap=alloc_array etc.).
 * All return NULL when memory is short or a size overflows; free with free(). */
#ifndef DUET_BASE_ALLOC_H
#define DUET_BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* count elements of `size` bytes, zeroed. count or size 0 gives one byte. */
void *alloc_array(size_t count, size_t size) __attribute__((malloc));

/* Resizes to count elements; contents kept, new ones not set. On failure returns NULL
 * and `block` stays valid. */
void *alloc_resize(void *block, size_t count, size_t size);

/* Room for one more element after the first `count`: `block` itself while count is
 * below *capacity, else a larger one, and *capacity with it. On failure returns NULL,
 * and `block` stays valid. */
static inline void *alloc_grow(void *block, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return block;
    }
    size_t more = *capacity * 2 + 16;
    void *grown = alloc_resize(block, more, size);
    *capacity = grown != NULL ? more : *capacity;
    return grown;
}

/* A copy of a string, and of its first `length` bytes (NUL added). */
char *alloc_string(const char *text) __attribute__((malloc));
char *alloc_string_n(const char *text, size_t length) __attribute__((malloc));

/* printf into a new string. */
char *alloc_format(const char *format, ...)
    __attribute__((malloc, format(printf, 1, 2)));
char *alloc_format_v(const char *format, va_list args)
    __attribute__((malloc, format(printf, 1, 0)));

#endif
