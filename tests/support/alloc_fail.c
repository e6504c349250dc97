#include "support/alloc_fail.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_ulong fail_at;
static atomic_ulong seen;

void *__real_alloc_array(size_t count, size_t size);
void *__real_alloc_resize(void *block, size_t count, size_t size);
char *__real_alloc_string(const char *text);
char *__real_alloc_string_n(const char *text, size_t length);
void *__wrap_alloc_array(size_t count, size_t size);
void *__wrap_alloc_resize(void *block, size_t count, size_t size);
char *__wrap_alloc_string(const char *text);
char *__wrap_alloc_string_n(const char *text, size_t length);
char *__wrap_alloc_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

void alloc_fail_at(unsigned long n)
{
    atomic_store(&seen, 0);
    atomic_store(&fail_at, n);
}

unsigned long alloc_fail_seen(void)
{
    return atomic_load(&seen);
}

static int must_fail(void)
{
    unsigned long n = atomic_fetch_add(&seen, 1) + 1;
    return n == atomic_load(&fail_at);
}

void *__wrap_alloc_array(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_alloc_array(count, size);
}

void *__wrap_alloc_resize(void *block, size_t count, size_t size)
{
    return must_fail() ? NULL : __real_alloc_resize(block, count, size);
}

char *__wrap_alloc_string(const char *text)
{
    return must_fail() ? NULL : __real_alloc_string(text);
}

char *__wrap_alloc_string_n(const char *text, size_t length)
{
    return must_fail() ? NULL : __real_alloc_string_n(text, length);
}

char *__wrap_alloc_format(const char *format, ...)
{
    if (must_fail()) {
        return NULL;
    }
    va_list args;
    va_start(args, format);
    char *text = alloc_format_v(format, args);
    va_end(args);
    return text;
}
