/* What happens inside the two measured processes. */
#include "sync_latency.h"

#include "duet/duet.h"
#include "sync/clock.h"

#include <stdlib.h>

enum { CLOCK_READS = 20000, CACHE_BYTES = 16 * 1024 * 1024 };

/* The same instruction as in the meeting's spin. */
static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

static void wait_for(_Atomic uint32_t *word, uint32_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value) {
        spin_pause();
    }
}

/* One line there, another one back: elapsed / 2N is a transfer. */
static void transfer_measure(unsigned slot, struct results *results)
{
    uint32_t trip = 0;
    for (unsigned batch = 0; batch < TRANSFER_BATCHES; batch++) {
        uint64_t start_ns = clock_mono_ns();
        for (unsigned i = 0; i < TRANSFER_TRIPS; i++) {
            trip++;
            if (slot == 0) {
                atomic_store_explicit(&results->ping, trip, memory_order_release);
                wait_for(&results->pong, trip);
            } else {
                wait_for(&results->ping, trip);
                atomic_store_explicit(&results->pong, trip, memory_order_release);
            }
        }
        if (slot == 0) {
            results->transfer_ns[batch] =
                (double)(clock_mono_ns() - start_ns) / (2.0 * TRANSFER_TRIPS);
        }
    }
}

static double clock_measure(void)
{
    uint64_t start_ns = clock_mono_ns();
    for (unsigned i = 0; i < CLOCK_READS; i++) {
        uint64_t now_ns = clock_mono_ns();
        duet_keep(&now_ns);
    }
    return (double)(clock_mono_ns() - start_ns) / CLOCK_READS;
}

static void busy(uint64_t time_ns)
{
    uint64_t start_ns = clock_mono_ns();
    while (clock_mono_ns() - start_ns < time_ns) {
        spin_pause();
    }
}

static void caches_drop(volatile unsigned char *buffer)
{
    for (size_t i = 0; i < CACHE_BYTES; i += 64) {
        buffer[i]++;
    }
}

/* Around an iteration's calls: outer - (end - start) contains the harness and the two
 * halves of each of the two clock reads at its edges and of the two inside. Beyond two
 * clock reads it is that minus twice a read. The inner difference comes from the
 * record, which the harness has just written. */
static void late_side_loop(const struct scenario *scenario, struct duet *d,
                           double *outer_ns, volatile unsigned char *buffer)
{
    unsigned round = 0;
    for (;;) {
        if (scenario->cold) {
            caches_drop(buffer);
        }
        if (scenario->late_ns > 0) {
            busy(scenario->late_ns);
        }
        uint64_t before_ns = clock_mono_ns();
        if (!duet_next(d)) {
            return;
        }
        duet_begin(d);
        if (scenario->work_ns > 0) {
            busy(scenario->work_ns);
        }
        duet_end(d);
        uint64_t after_ns = clock_mono_ns();
        if (round < ROUNDS_MOST) {
            outer_ns[round] = (double)(after_ns - before_ns);
        }
        round++;
    }
}

static int side_iterate(struct duet *d)
{
    int wanted = duet_next(d);
    if (wanted) {
        duet_begin(d);
        duet_end(d);
    }
    return wanted;
}

int side_main(const struct scenario *scenario, unsigned slot, struct results *results)
{
    unsigned char *buffer = calloc(1, CACHE_BYTES);
    struct duet *d = duet_open("sync_latency");
    if (buffer == NULL || !duet_attached(d)) {
        free(buffer);
        (void)duet_close(d);
        return 1;
    }
    transfer_measure(slot, results);
    if (slot == 1) {
        results->clock_ns = clock_measure();
        late_side_loop(scenario, d, results->cost_ns, buffer);
    } else {
        do {
            if (scenario->cold) {
                caches_drop(buffer);
            }
        } while (side_iterate(d));
    }
    free(buffer);
    return duet_close(d);
}
