/* What the kinds of duet_truth's programs share. */

#include "truth_sides.h"

#include <duet/duet.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

void truth_fail(const char *what)
{
    (void)fprintf(stderr, "duet_truth: %s: %s\n", what, strerror(errno));
    exit(1);
}

void truth_burn(uint64_t operations)
{
    uint64_t value = operations;
    for (; operations > 0; operations--) {
        value ^= value >> 32U;
        value *= UINT64_C(0xff51afd7ed558ccd);
        value += operations;
    }
    duet_keep(&value);
}

void truth_sleep_ns(long time_ns)
{
    struct timespec left = {.tv_nsec = time_ns};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

double truth_uniform(struct truth_side *side)
{
    /* SplitMix64. */
    side->random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t bits = side->random_state;
    bits = (bits ^ (bits >> 30U)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27U)) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31U;
    return ((double)(bits >> 11U) + 0.5) * 0x1p-53;
}

void truth_die_with_parent(void)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        truth_fail("prctl");
    }
}
