/* What every fuzzer holds its subject to: at most LIMIT_FACTOR bytes of memory for each
 * byte of input beside LIMIT_MEMORY, and a second of the CPU. Linked with
 * --wrap=LLVMFuzzerTestOneInput, so that the fuzzers do not know it. */
#include <sanitizer/allocator_interface.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIMIT_FACTOR = 10, LIMIT_CPU_MS = 1000 };

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Of all threads; allocations of before an input and not freed in it do not matter. */
static atomic_llong live;
static atomic_llong peak;

static void count_malloc(const volatile void *block, size_t bytes)
{
    (void)block;
    long long now = atomic_fetch_add(&live, (long long)bytes) + (long long)bytes;
    long long before = atomic_load(&peak);
    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now)) {
    }
}

static void count_free(const volatile void *block)
{
    if (block != NULL) {
        atomic_fetch_sub(&live, (long long)__sanitizer_get_allocated_size(
                                    (const void *)(uintptr_t)block));
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0 ? 0
                                                                                   : 1;
}

static long long cpu_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long long before = atomic_load(&live);
    atomic_store(&peak, before);
    long long began_ms = cpu_ms();
    int result = __real_LLVMFuzzerTestOneInput(data, size);
    long long took_ms = cpu_ms() - began_ms;
    long long took_bytes = atomic_load(&peak) - before;
    if (took_bytes > LIMIT_FACTOR * (long long)size + LIMIT_MEMORY) {
        fprintf(stderr, "limits: %lld bytes of memory for %zu of input\n", took_bytes,
                size);
        abort();
    }
    if (took_ms > LIMIT_CPU_MS) {
        fprintf(stderr, "limits: %lld ms for %zu bytes of input\n", took_ms, size);
        abort();
    }
    return result;
}
