/* The n-th allocation fails, of libraries, too: malloc() and its like, in place of
 * glibc's, for the one source file of a test that includes this. Sanitizers and
 * Valgrind have their own (labels noasan, novalgrind). */
#ifndef TESTS_SUPPORT_MALLOC_FAIL_H
#define TESTS_SUPPORT_MALLOC_FAIL_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/* glibc's own, beneath the ones below. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);

/* Shared with processes that the code under test starts. */
static struct {
    atomic_ulong seen;
    unsigned long at; /* 0: none fails */
} * malloc_counter;

static inline int malloc_must_fail(void)
{
    int fails = malloc_counter != NULL &&
                atomic_fetch_add(&malloc_counter->seen, 1) + 1 == malloc_counter->at;
    if (fails) {
        errno = ENOMEM;
    }
    return fails;
}

void *malloc(size_t bytes)
{
    return malloc_must_fail() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return malloc_must_fail() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return malloc_must_fail() ? NULL : __libc_realloc(block, bytes);
}

/* The n-th from now on fails (1: the next one), once. 0: none fails. Returns how many
 * there have been since the last call. */
static inline unsigned long malloc_fail_at(unsigned long n)
{
    if (malloc_counter == NULL) {
        void *shared = mmap(NULL, sizeof *malloc_counter, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        malloc_counter = shared == MAP_FAILED ? NULL : shared;
        return 0;
    }
    malloc_counter->at = n;
    return atomic_exchange(&malloc_counter->seen, 0);
}

#endif
