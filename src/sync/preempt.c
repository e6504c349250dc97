#include "sync/preempt.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

#if defined(RSEQ_SIG) && (defined(__x86_64__) || defined(__aarch64__))

/* Weak: the library also runs where libc is older than the one it was built with. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* The kernel checks, before it looks whether the thread is inside the section, that the
 * signature stands in front of the abort address. Nobody ever jumps there. */
static const struct {
    uint32_t signature;
    uint32_t landing;
    uint64_t elsewhere;
} target = {.signature = RSEQ_SIG};

static const struct rseq_cs section = {
    .start_ip = (uintptr_t)&target.elsewhere,
    .post_commit_offset = 1,
    .abort_ip = (uintptr_t)&target.landing,
};

uint64_t preempt_section(void)
{
    return (uintptr_t)&section;
}

struct preempt_probe preempt_probe_here(void)
{
    struct preempt_probe probe = {0};
    /* 0: the kernel has no rseq, or the user switched it off (glibc.pthread.rseq). */
    if (&__rseq_size != NULL && &__rseq_offset != NULL && __rseq_size != 0) {
        unsigned char *area =
            (unsigned char *)__builtin_thread_pointer() + __rseq_offset;
        probe.section = (void *)(area + offsetof(struct rseq, rseq_cs));
        probe.cpu = (void *)(area + offsetof(struct rseq, cpu_id));
    }
    return probe;
}

#else

uint64_t preempt_section(void)
{
    return 0;
}

struct preempt_probe preempt_probe_here(void)
{
    return (struct preempt_probe){0};
}

#endif
