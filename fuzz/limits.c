/* What every fuzzer holds its subject to: at most LIMIT_FACTOR bytes of memory for each
 * byte of input beside LIMIT_MEMORY, and a second of the CPU. Linked with
 * --wrap=LLVMFuzzerTestOneInput, so that the fuzzers do not know it. */
#include <sanitizer/allocator_interface.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { LIMIT_FACTOR = 10, LIMIT_CPU_US = 1000000, TICK_US = 100000 };

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Of all threads; allocations of before an input and not freed in it do not matter. */
static atomic_llong live;
static atomic_llong peak;

static void count_malloc(const volatile void *block, size_t bytes)
{
    (void)block;
    long long now =
        atomic_fetch_add_explicit(&live, (long long)bytes, memory_order_relaxed) +
        (long long)bytes;
    /* No exchange: threads that race lose a block of the peak at most. */
    if (now > atomic_load_explicit(&peak, memory_order_relaxed)) {
        atomic_store_explicit(&peak, now, memory_order_relaxed);
    }
}

static void count_free(const volatile void *block)
{
    if (block != NULL) {
        atomic_fetch_sub_explicit(
            &live,
            (long long)__sanitizer_get_allocated_size((const void *)(uintptr_t)block),
            memory_order_relaxed);
    }
}

/* Odd while an input is executed. */
static atomic_ullong turn;

/* An input that has been executed for so many ticks of the CPU's time takes too long.
 */
static void look_at_clock(int signum)
{
    static unsigned long long seen;
    static int ticks;
    unsigned long long now = atomic_load(&turn);
    (void)signum;
    ticks = now == seen && now % 2 == 1 ? ticks + 1 : 0;
    seen = now;
    if (ticks > LIMIT_CPU_US / TICK_US) {
        static const char say[] = "limits: more than a second of the CPU\n";
        (void)!write(STDERR_FILENO, say, sizeof say - 1);
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct sigaction action = {.sa_handler = look_at_clock,
                                     .sa_flags = SA_RESTART};
    const struct itimerval timer = {{0, TICK_US}, {0, TICK_US}};
    (void)argc;
    (void)argv;
    return sigaction(SIGPROF, &action, NULL) == 0 &&
                   setitimer(ITIMER_PROF, &timer, NULL) == 0 &&
                   __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) >
                       0
               ? 0
               : 1;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long long before = atomic_load(&live);
    atomic_store(&peak, before);
    atomic_fetch_add(&turn, 1);
    int result = __real_LLVMFuzzerTestOneInput(data, size);
    atomic_fetch_add(&turn, 1);
    long long took_bytes = atomic_load(&peak) - before;
    if (took_bytes > LIMIT_FACTOR * (long long)size + LIMIT_MEMORY) {
        fprintf(stderr, "limits: %lld bytes of memory for %zu of input\n", took_bytes,
                size);
        abort();
    }
    return result;
}
